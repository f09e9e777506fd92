#include "plan/scalar_cost.h"

#include "catalog/scalar_fn.h"

namespace uc {

ScalarCost scalar_cost(const Scalar& scalar) {
  ScalarCost out;
  for (const Node& node : scalar.nodes) {
    if (node.kind != Node::Kind::call) continue;
    out.fma += node.fn->fma_ops;
    out.special += node.fn->special_ops;
  }
  return out;
}

}  // namespace uc
