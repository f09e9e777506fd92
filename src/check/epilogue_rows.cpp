#include "check/epilogue_rows.h"

#include <algorithm>

#include "catalog/infer.h"
#include "catalog/scalar_builder.h"
#include "check/row_scope.h"

namespace uc {
namespace {

// A vector of weights is read along the columns: the operator's own idea of it says the same.
bool along_columns(const Shape& operand) { return operand.empty() || numel(operand) == operand.back(); }

}  // namespace

std::optional<int64_t> epilogue_columns(const Program& program, const Op& op, const Shape& result) {
  if (op.spec->row_scalar == nullptr || op.in.empty() || program[op.in[0]].shape != result)
    return std::nullopt;
  const auto scope = row_scope(program, op);
  if (!scope) return std::nullopt;
  if (op.spec->row_domain == nullptr)
    return scope->dims == std::vector<size_t>{result.size() - 1} ? std::optional(result.back())
                                                                 : std::nullopt;
  const RowDomain of = op.spec->row_domain(program, op);
  // What meets must be the innermost dimension, and lie in one row of the result.
  const bool consecutive = of.windows.empty() && of.shape == result && of.meet.size() == 1 &&
                           of.meet[0] + 1 == of.domain.size() && result.back() % of.domain.back() == 0;
  if (!consecutive || !std::ranges::all_of(of.operands, along_columns)) return std::nullopt;
  return scope->dims.empty() ? 0 : of.domain.back();
}

bool lower_row(const Catalog& catalog, const Program& program, const Op& op, Contraction& kernel,
               const Shape& result, ScalarLowering& lowering) {
  std::vector<NodeId> args;
  for (const ValueId in : op.in) {
    const auto node = lowering.node_of(in, op);
    if (!node) return false;
    args.push_back(*node);
  }
  const size_t before = kernel.epilogue.nodes.size();
  ScalarBuilder builder(catalog, kernel.epilogue, compute_type_of(program, op), result, result);
  const std::vector<NodeId> made = op.spec->row_scalar(builder, args, program, op);
  const auto met_elsewhere = [](const Node& node) {
    return node.kind == Node::Kind::across &&
           (gives_place(node.combine) || node.of_rows || compute_type(node.type) != DType::f32);
  };
  const auto added = kernel.epilogue.nodes.begin() + static_cast<std::ptrdiff_t>(before);
  if (std::any_of(added, kernel.epilogue.nodes.end(), met_elsewhere)) return false;
  for (size_t i = 0; i < op.out.size(); ++i) lowering.bind(op.out[i], made.at(i));
  return true;
}

}  // namespace uc
