#include "plan/epilogue_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace uc {
namespace {

using Kind = Node::Kind;

// Of every node the stages that must be over before it can be computed.
std::vector<size_t> levels_of(const Scalar& scalar) {
  std::vector<size_t> out(scalar.nodes.size(), 0);
  for (size_t i = 0; i < out.size(); ++i) {
    const Node& node = scalar.nodes[i];
    for (size_t k = 0; k < node.arity; ++k) out[i] = std::max(out[i], out[node.args[k].index()]);
    if (node.kind == Kind::across) ++out[i];
  }
  return out;
}

class Planner {
 public:
  explicit Planner(const Scalar& scalar) : scalar_(scalar), levels_(levels_of(scalar)) {
    const auto found = std::ranges::find(scalar.nodes, Kind::running, &Node::kind);
    running_ = NodeId(static_cast<size_t>(found - scalar.nodes.begin()));
    moves_.assign(scalar.nodes.size(), false);
    for (size_t i = 0; i < scalar.nodes.size(); ++i) {
      const Node& node = scalar.nodes[i];
      moves_[i] = node.kind == Kind::running;
      for (size_t k = 0; k < node.arity && node.kind != Kind::across; ++k)
        moves_[i] = moves_[i] || moves_[node.args[k].index()];
    }
  }

  EpilogueRows run() {
    EpilogueRows out;
    std::vector<NodeId> stored;
    for (size_t i = 0; i < scalar_.effects.size(); ++i) {
      stored.push_back(scalar_.effects[i].node);
      if (once_a_row(scalar_, scalar_.effects[i])) out.once.push_back(i);
    }
    out.stages = stages(needed(stored, std::nullopt, 0));
    NodeId held = running_;
    for (size_t s = 0; s < out.stages.size(); ++s) {
      held = latest(held, s, stored);
      out.held.push_back(held);
    }
    last(held, out);
    return out;
  }

 private:
  // Nodes that `wanted` are made of once `known` stages are over, not looking behind `given`.
  std::vector<bool> needed(const std::vector<NodeId>& wanted, std::optional<NodeId> given,
                           size_t known) const {
    std::vector<bool> out(scalar_.nodes.size(), false);
    for (const NodeId id : wanted) out[id.index()] = true;
    for (size_t i = out.size(); i-- > 0;) {
      const Node& node = scalar_.nodes[i];
      if (!out[i] || given == NodeId(i) || (node.kind == Kind::across && levels_[i] <= known)) continue;
      for (size_t k = 0; k < node.arity; ++k) out[node.args[k].index()] = true;
    }
    return out;
  }

  bool follows(const std::vector<NodeId>& wanted, NodeId given, size_t known) const {
    return given == running_ || !needed(wanted, given, known)[running_.index()];
  }

  std::vector<std::vector<NodeId>> stages(const std::vector<bool>& wanted) const {
    std::vector<std::vector<NodeId>> out;
    for (size_t i = 0; i < scalar_.nodes.size(); ++i) {
      if (!wanted[i] || scalar_.nodes[i].kind != Kind::across) continue;
      if (out.size() < levels_[i]) out.resize(levels_[i]);
      out[levels_[i] - 1].push_back(NodeId(i));
    }
    return out;
  }

  bool can_be_held(size_t i, size_t stage) const {
    return moves_[i] && levels_[i] <= stage && compute_type(scalar_.nodes[i].type) == DType::f32;
  }

  // The last value that can be computed before stage `stage` of which all follows that is still to come.
  NodeId latest(NodeId held, size_t stage, const std::vector<NodeId>& stored) const {
    for (size_t i = scalar_.nodes.size(); i-- > held.index() + 1;) {
      if (can_be_held(i, stage) && follows({NodeId(i)}, held, stage) && follows(stored, NodeId(i), stage))
        return NodeId(i);
    }
    return held;
  }

  // The first value of which most effects follow without what met, the last of them above all. What is not
  // stored by rows is stored by hand.
  void last(NodeId held, EpilogueRows& out) const {
    const size_t stages = out.stages.size();
    std::vector<size_t> elements, by_rows;
    for (size_t i = 0; i < scalar_.effects.size(); ++i) {
      if (std::ranges::find(out.once, i) != out.once.end()) continue;
      elements.push_back(i);
      const View& view = scalar_.views[scalar_.effects[i].view];
      const bool dense = view.shape[2] == 1 || view.stride[2] == 1;
      if (dense || scalar_.effects[i].combine != Combine::none) by_rows.push_back(i);
    }
    NodeId best = held;
    for (size_t i = held.index(); i < scalar_.nodes.size() && !by_rows.empty(); ++i) {
      if (!can_be_held(i, stages) || !follows({NodeId(i)}, held, stages)) continue;
      std::vector<size_t> late;
      for (const size_t effect : by_rows) {
        if (plain(scalar_.effects[effect].node, NodeId(i))) late.push_back(effect);
      }
      const bool has_last = !late.empty() && late.back() == by_rows.back();
      if (has_last && late.size() > out.late.size()) {
        out.late = std::move(late);
        best = NodeId(i);
      }
    }
    out.held.push_back(best);
    for (const size_t effect : elements) {
      if (std::ranges::find(out.late, effect) == out.late.end()) out.early.push_back(effect);
    }
  }

  // Made of `given` alone, and of tensors.
  bool plain(NodeId node, NodeId given) const {
    const std::vector<bool> used = needed({node}, given, 0);
    for (size_t i = 0; i < used.size(); ++i) {
      const Kind kind = scalar_.nodes[i].kind;
      if (used[i] && NodeId(i) != given && (kind == Kind::running || kind == Kind::across)) return false;
    }
    return true;
  }

  const Scalar& scalar_;
  std::vector<size_t> levels_;
  std::vector<bool> moves_;  // differs along a row because the accumulator does
  NodeId running_;
};

bool combines(Combine how) {
  return how == Combine::sum || how == Combine::product || how == Combine::max || how == Combine::min;
}

int64_t warpgroups(const ContractionConfig& config) {
  return config.schedule == ContractionConfig::Schedule::cooperative ? 2 : 1;
}

}  // namespace

bool has_rows(const Scalar& epilogue) {
  return std::ranges::any_of(epilogue.nodes, [](const Node& node) { return node.kind == Kind::across; });
}

EpilogueRows epilogue_rows(const Scalar& epilogue) { return Planner(epilogue).run(); }

bool once_a_row(const Scalar& epilogue, const Effect& effect) {
  const View& view = epilogue.views[effect.view];
  return effect.combine == Combine::none && view.shape[2] != 1 && view.stride[2] == 0;
}

std::string epilogue_rows_refuses(const Contraction& kernel) {
  if (!has_rows(kernel.epilogue)) return {};
  if (kernel.accumulate != DType::f32) return "what meets in a row is gathered out of f32 accumulators";
  for (const Node& node : kernel.epilogue.nodes) {
    if (node.kind != Kind::across) continue;
    if (!combines(node.combine) || node.of_rows) return "no places of elements are found in a row";
    if (compute_type(node.type) != DType::f32) return "what meets in a row is computed in f32";
  }
  const EpilogueRows rows = epilogue_rows(kernel.epilogue);
  for (const size_t early : rows.early) {
    if (kernel.epilogue.effects[early].combine != Combine::none)
      return "what is reduced over columns follows what met in rows, and nothing else";
  }
  return {};
}

Scalar without_rows(const Scalar& epilogue) {
  if (!has_rows(epilogue)) return epilogue;
  const EpilogueRows rows = epilogue_rows(epilogue);
  Scalar out = epilogue;
  out.effects.clear();
  for (const size_t late : rows.late) out.effects.push_back(epilogue.effects[late]);
  std::vector<bool> used(out.nodes.size(), false);
  for (const Effect& effect : out.effects) used[effect.node.index()] = true;
  for (size_t i = out.nodes.size(); i-- > 0;) {
    Node& node = out.nodes[i];
    if (NodeId(i) == rows.held.back()) {
      node = Node{};
      node.kind = Kind::running;
    } else if (!used[i]) {
      node = Node{};
    }
    for (size_t k = 0; k < node.arity; ++k) used[node.args[k].index()] = true;
  }
  return out;
}

Contraction without_rows(const Contraction& kernel) {
  Contraction out = kernel;
  out.epilogue = without_rows(kernel.epilogue);
  out.meet = 0;
  return out;
}

namespace {

bool in_whole_tiles(int64_t columns, int64_t tile_n, int64_t cluster_n) {
  return tile_n % columns == 0 || (columns % tile_n == 0 && tile_n * cluster_n % columns == 0);
}

}  // namespace

bool holds_rows(const Contraction& kernel, int64_t tile_n, int64_t cluster_n) {
  const bool one_row = kernel.meet == kernel.n() && kernel.meet % 8 == 0 && tile_n * cluster_n >= kernel.meet;
  return one_row || in_whole_tiles(kernel.meet, tile_n, cluster_n);
}

bool ends_within(const Contraction& kernel, const ContractionConfig& config) {
  return kernel.meet != 0 && !in_whole_tiles(kernel.meet, config.tile_n, config.cluster_n);
}

int64_t blocks_of_row(const Contraction& kernel, const ContractionConfig& config) {
  if (ends_within(kernel, config)) return config.cluster_n;
  return std::max<int64_t>(1, kernel.meet / std::max<int64_t>(1, config.tile_n));
}

int64_t meeting_bytes(const Contraction& kernel, const ContractionConfig& config) {
  if (kernel.meet == 0 || blocks_of_row(kernel, config) == 1) return 0;
  constexpr int64_t kWarps = 8;
  constexpr int64_t kBuffers = 2;
  size_t most = 1;
  for (const auto& stage : epilogue_rows(kernel.epilogue).stages) most = std::max(most, stage.size());
  const int64_t rows = 2 * (config.tile_m / (64 * warpgroups(config))) * 8;
  return kBuffers * kWarps * (8 + blocks_of_row(kernel, config) * rows * static_cast<int64_t>(most) * 4);
}

}  // namespace uc
