#include "check/pieces.h"

#include <set>

#include "catalog/infer.h"
#include "catalog/scalar_builder.h"
#include "check/scalar_lowering.h"

namespace uc {
namespace {

// Values of the prologue that `value` is made of.
std::set<ValueId> behind(const Program& program, const Step& step, ValueId value) {
  std::set<ValueId> out{value};
  for (size_t i = step.prologue.size(); i-- > 0;) {
    const Op& op = program[step.prologue[i]];
    for (const ValueId made : op.out) {
      if (out.contains(made)) out.insert(op.in.begin(), op.in.end());
    }
  }
  return out;
}

}  // namespace

std::optional<NodeId> piece_node(const Catalog& catalog, const Program& program, const Step& step,
                                 const Piece& piece, Scalar& scalar, DiagSink& diags) {
  const Op& main = program[step.main];
  const Value& result = program[main.out[0]];
  if (!piece.operand) {
    ScalarBuilder builder(catalog, scalar, compute_type(result.dtype));
    return builder.cast(builder.constant(piece.value), result.dtype);
  }
  const ValueId operand = main.in[*piece.operand];
  const Shape& shape = program[operand].shape;
  ScalarLowering lowering(catalog, program, diags, scalar, shape, shape);
  const std::set<ValueId> wanted = behind(program, step, operand);
  for (const OpId id : step.prologue) {
    if (!lowering.op(id, wanted)) return std::nullopt;
  }
  const auto node = lowering.node_of(operand, main);
  for (View& view : scalar.views) {
    view.shape = result.shape;
    for (size_t d = 0; d < view.stride.size(); ++d) {
      view.offset += (piece.from[d] - piece.start[d] * piece.step[d]) * view.stride[d];
      view.stride[d] *= piece.step[d];
    }
  }
  return node;
}

void restrict_to(const Piece& piece, Map::Body& body) {
  body.domain = piece.extent;
  for (View& view : body.scalar.views) {
    view.shape = piece.extent;
    for (size_t d = 0; d < view.stride.size(); ++d) view.offset += piece.start[d] * view.stride[d];
  }
}

}  // namespace uc
