#include "plan/epilogue_leaves.h"

#include <algorithm>

#include "plan/epilogue_rows.h"

namespace uc {
LeafKind leaf_kind(const View& view) {
  const int64_t m = view.shape[1] == 1 ? 0 : view.stride[1];
  const int64_t n = view.shape[2] == 1 ? 0 : view.stride[2];
  if (m == 0 && n == 0) return LeafKind::scalar;
  if (m == 0 && n == 1) return LeafKind::row;
  if (m == 1 && n == 0) return LeafKind::column;
  if (n == 1) return LeafKind::full;
  return LeafKind::other;
}

bool rows_aligned(const View& view) {
  const auto on = [&view](int64_t elements) { return elements * size_bytes(view.dtype) % 16 == 0; };
  if (leaf_kind(view) != LeafKind::full && (view.shape[1] != 1 || view.stride[2] != 1)) return false;
  return on(view.offset) && on(view.stride[1]) && (view.shape[0] == 1 || on(view.stride[0]));
}

bool whole_vectors(const View& view) {
  return rows_aligned(view) && view.shape[2] * size_bytes(view.dtype) % 16 == 0;
}

EpilogueParts epilogue_parts(const Scalar& epilogue) {
  if (has_rows(epilogue)) {
    // Of what is left of it, whose effects are counted among all.
    EpilogueParts out = epilogue_parts(without_rows(epilogue));
    const std::vector<size_t> late = epilogue_rows(epilogue).late;
    if (out.result) out.result = late[*out.result];
    for (size_t& effect : out.aside) effect = late[effect];
    return out;
  }
  EpilogueParts out;
  std::vector<bool> needed(epilogue.nodes.size(), false);
  for (const Effect& effect : epilogue.effects) needed[effect.node.index()] = true;
  for (size_t i = epilogue.nodes.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (size_t k = 0; k < epilogue.nodes[i].arity; ++k) needed[epilogue.nodes[i].args[k].index()] = true;
  }
  for (size_t i = 0; i < epilogue.nodes.size(); ++i) {
    const Node& node = epilogue.nodes[i];
    if (!needed[i] || node.kind != Node::Kind::tensor) continue;
    if (std::ranges::find(out.loads, node.view) != out.loads.end()) continue;
    out.loads.push_back(node.view);
    const View& view = epilogue.views[node.view];
    if (!out.source && leaf_kind(view) == LeafKind::full && rows_aligned(view)) out.source = node.view;
  }
  for (size_t i = 0; i < epilogue.effects.size(); ++i) {
    const Effect& effect = epilogue.effects[i];
    if (effect.combine == Combine::none && rows_aligned(epilogue.views[effect.view])) out.result = i;
  }
  for (size_t i = 0; i < epilogue.effects.size(); ++i) {
    if (out.result != i) out.aside.push_back(i);
  }
  return out;
}

}  // namespace uc
