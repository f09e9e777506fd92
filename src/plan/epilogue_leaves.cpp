#include "plan/epilogue_leaves.h"

#include <algorithm>

namespace uc {
namespace {

// Marks what `node` needs, not looking behind `stop`. False when it reaches the accumulator past `stop`.
bool reach(const Scalar& scalar, NodeId node, NodeId stop, std::vector<bool>& needed) {
  if (node == stop || needed[node.index()]) return true;
  needed[node.index()] = true;
  const Node& at = scalar.nodes[node.index()];
  if (at.kind == Node::Kind::running) return !stop;
  for (size_t i = 0; i < at.arity; ++i) {
    if (!reach(scalar, at.args[i], stop, needed)) return false;
  }
  return true;
}

}  // namespace

LeafKind leaf_kind(const View& view) {
  const int64_t m = view.shape[1] == 1 ? 0 : view.stride[1];
  const int64_t n = view.shape[2] == 1 ? 0 : view.stride[2];
  if (m == 0 && n == 0) return LeafKind::scalar;
  if (m == 0 && n == 1) return LeafKind::row;
  if (m == 1 && n == 0) return LeafKind::column;
  if (n == 1) return LeafKind::full;
  return LeafKind::other;
}

std::optional<std::vector<Segment>> cut_segments(const Scalar& epilogue) {
  std::vector<Segment> segments;
  NodeId from;
  for (size_t i = 0; i < epilogue.effects.size(); ++i) {
    Segment segment;
    segment.from = from;
    segment.node = epilogue.effects[i].node;
    segment.store = epilogue.effects[i].view;
    segment.last = i + 1 == epilogue.effects.size();
    std::vector<bool> needed(epilogue.nodes.size(), false);
    if (!reach(epilogue, segment.node, from, needed)) return std::nullopt;
    for (size_t k = 0; k < needed.size(); ++k) {
      const Node& node = epilogue.nodes[k];
      if (!needed[k] || node.kind != Node::Kind::tensor) continue;
      if (std::find(segment.loads.begin(), segment.loads.end(), node.view) == segment.loads.end())
        segment.loads.push_back(node.view);
    }
    segments.push_back(std::move(segment));
    from = segments.back().node;
  }
  return segments;
}

std::optional<uint32_t> source_view(const Scalar& epilogue, const std::vector<Segment>& segments) {
  for (const Segment& segment : segments) {
    for (const uint32_t view : segment.loads) {
      if (leaf_kind(epilogue.views[view]) == LeafKind::full) return view;
    }
  }
  return std::nullopt;
}

}  // namespace uc
