#include "ir/scalar.h"

#include <algorithm>

namespace uc {
namespace {

// A coordinate counts (element / divisor) % extent: it stays along a dimension whose steps are whole
// multiples of divisor * extent, and along one that lies below the divisor.
bool moves(const Node& node, int64_t step, int64_t extent) {
  return extent != 1 && step % (node.divisor * node.extent) != 0 && node.divisor % (step * extent) != 0;
}

bool differs(const Scalar& scalar, const Node& node, const Shape& domain, const std::vector<size_t>& meet) {
  const Strides steps = row_major(domain);
  return std::ranges::any_of(meet, [&](size_t d) {
    if (node.kind == Node::Kind::tensor) return domain[d] != 1 && scalar.views[node.view].stride[d] != 0;
    return moves(node, steps[d], domain[d]);
  });
}

}  // namespace

std::vector<bool> varying(const Scalar& scalar, const Shape& domain, const std::vector<size_t>& meet) {
  std::vector<bool> out(scalar.nodes.size(), false);
  for (size_t i = 0; i < scalar.nodes.size(); ++i) {
    const Node& node = scalar.nodes[i];
    const bool leaf = node.kind == Node::Kind::tensor || node.kind == Node::Kind::coordinate;
    out[i] = node.kind == Node::Kind::running || (leaf && differs(scalar, node, domain, meet));
    if (node.kind == Node::Kind::across) continue;
    for (size_t k = 0; k < node.arity; ++k) out[i] = out[i] || out[node.args[k].index()];
  }
  return out;
}

}  // namespace uc
