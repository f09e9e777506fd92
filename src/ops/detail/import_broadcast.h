#pragma once
// Why: torch's losses broadcast lists of tensors before they compute; here each is a view of its own.
#include "ir/graph.h"
#include "ops/view_row.h"

namespace uc::ops {

/// Every tensor of the list stretched to the shape of all.
inline bool import_broadcast(ImportContext& context, const GraphOp& op) {
  const auto values = context.values(op, 0);
  if (!values || values->size() != op.out.size()) return false;
  Shape shape;
  for (const ValueId each : *values) {
    const auto joined = broadcast(shape, context.program()[each].shape);
    if (!joined) return false;
    shape = *joined;
  }
  for (size_t i = 0; i < values->size(); ++i) {
    std::optional<ValueId> made = (*values)[i];
    if (context.program()[*made].shape != shape) made = with_list(context, "expand", *made, "shape", shape);
    if (!made) return false;
    context.result(op, i, *made);
  }
  return true;
}

}  // namespace uc::ops
