#include "check/epilogue_rows.h"

#include <algorithm>
#include <vector>

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

bool RowsOfChain::holds(OpId id) const {
  const Op& main = program_[step_.main];
  if (program_[id].spec->row_scalar == nullptr || id == step_.main || main.spec->lower == nullptr)
    return false;
  const auto kernel = main.spec->lower(program_, main);
  if (!kernel || !std::holds_alternative<Contraction>(*kernel)) return false;
  const auto columns = epilogue_columns(program_, program_[id], result());
  const auto widest = epilogue_row(program_, step_);
  return columns && (*columns == 0 || (widest && widest->extent == *columns));
}

const Op* RowsOfChain::first() const {
  for (const OpId id : ops_of(step_)) {
    if (holds(id)) return &program_[id];
  }
  return nullptr;
}

bool RowsOfChain::lower(OpId id, Contraction& kernel, ScalarLowering& lowering) {
  const Op& op = program_[id];
  std::vector<NodeId> args;
  for (const ValueId in : op.in) {
    const auto node = lowering.node_of(in, op);
    if (!node) return false;
    args.push_back(*node);
  }
  const size_t before = kernel.epilogue.nodes.size();
  ScalarBuilder builder(catalog_, kernel.epilogue, compute_type_of(program_, op), result(), result());
  const std::vector<NodeId> made = op.spec->row_scalar(builder, args, program_, op);
  const auto met_elsewhere = [](const Node& node) {
    return node.kind == Node::Kind::across &&
           (gives_place(node.combine) || node.of_rows || compute_type(node.type) != DType::f32);
  };
  const auto added = kernel.epilogue.nodes.begin() + static_cast<std::ptrdiff_t>(before);
  if (std::any_of(added, kernel.epilogue.nodes.end(), met_elsewhere)) return false;
  for (size_t i = 0; i < op.out.size(); ++i) lowering.bind(op.out[i], made.at(i));
  kernel.meet = std::max(kernel.meet, *epilogue_columns(program_, op, result()));
  if (op.spec->reduces) once_.insert(op.out.begin(), op.out.end());
  return true;
}

bool RowsOfChain::goes_on(const Op& op) {
  if (std::ranges::none_of(op.in, [this](ValueId id) { return once(id); })) return true;
  if (op.spec->is_view() || op.spec->stores) return false;
  const Shape& made = program_[op.out[0]].shape;
  // With the dimension that was reduced kept, it broadcasts to the whole result as it is meant.
  const bool wide = made == result();
  const auto plain = [&](ValueId id) {
    const Shape& shape = program_[id].shape;
    const bool kept = once(id) ? !wide || shape.size() == made.size() : wide;
    return kept || program_[id].kind == ValueKind::literal || numel(shape) == 1;
  };
  if (!std::ranges::all_of(op.in, plain)) return false;
  if (!wide) once_.insert(op.out.begin(), op.out.end());
  return true;
}

bool RowsOfChain::store(ValueId value, NodeId node, Contraction& kernel) const {
  const Value& to = program_[value];
  int64_t next = 1;
  for (size_t d = to.shape.size(); d-- > 0;) {
    if (to.shape[d] != 1 && to.stride[d] != next) return false;
    next *= to.shape[d];
  }
  View view{to.root, to.dtype, {kernel.batch(), kernel.m(), kernel.n()}, {kernel.m(), 1, 0}, to.offset};
  if (kernel.batch() == 1) view.stride[0] = 0;
  kernel.epilogue.effects.push_back({node, static_cast<uint32_t>(kernel.epilogue.views.size())});
  kernel.epilogue.views.push_back(std::move(view));
  return true;
}

}  // namespace uc
