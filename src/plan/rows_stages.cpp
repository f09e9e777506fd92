#include "plan/rows_stages.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "catalog/scalar_fn.h"

namespace uc {
namespace {

bool calls(const Node& node, std::string_view fn) {
  return node.kind == Node::Kind::call && node.fn->name == fn;
}

bool sums(const Node& node) {
  return node.kind == Node::Kind::across && !node.of_rows && node.combine == Combine::sum;
}

// The maximum whose x - max x the sum is of.
std::optional<Gathered> exponentials(const Scalar& scalar, size_t sum) {
  const Node& node = scalar.nodes[sum];
  const Node& term = scalar.nodes[node.args[0].index()];
  if (!sums(node) || node.type == DType::i64 || !calls(term, "exp")) return std::nullopt;
  const Node& apart = scalar.nodes[term.args[0].index()];
  if (!calls(apart, "sub")) return std::nullopt;
  const Node& top = scalar.nodes[apart.args[1].index()];
  const bool fits = top.kind == Node::Kind::across && !top.of_rows && top.combine == Combine::max &&
                    top.args[0] == apart.args[0] && top.type == node.type;
  if (!fits) return std::nullopt;
  return Gathered{Gathered::How::exponentials, top.args[0], apart.args[1], NodeId(sum),
                  2 * size_bytes(node.type)};
}

// Of a mean, written as a sum times one over the count: that sum.
std::optional<NodeId> summed(const Scalar& scalar, const Node& mean, int64_t count) {
  if (!calls(mean, "mul") && !calls(mean, "div")) return std::nullopt;
  const Node& by = scalar.nodes[mean.args[1].index()];
  if (by.kind != Node::Kind::constant || !sums(scalar.nodes[mean.args[0].index()])) return std::nullopt;
  const double share = calls(mean, "mul") ? by.constant : 1.0 / by.constant;
  if (std::abs(share * static_cast<double>(count) - 1.0) > 1e-6) return std::nullopt;
  return mean.args[0];
}

// The sum whose mean the squared differences are from.
std::optional<Gathered> moments(const Scalar& scalar, size_t squares, int64_t count) {
  const Node& node = scalar.nodes[squares];
  const Node& term = scalar.nodes[node.args[0].index()];
  if (!sums(node) || node.type == DType::i64 || !calls(term, "mul") || term.args[0] != term.args[1])
    return std::nullopt;
  const Node& apart = scalar.nodes[term.args[0].index()];
  if (!calls(apart, "sub")) return std::nullopt;
  const auto sum = summed(scalar, scalar.nodes[apart.args[1].index()], count);
  if (!sum || scalar.nodes[sum->index()].args[0] != apart.args[0]) return std::nullopt;
  return Gathered{Gathered::How::moments, apart.args[0], *sum, NodeId(squares), 4 * size_bytes(node.type)};
}

int64_t bytes_of(const Node& node) {
  const bool place = gives_place(node.combine);
  return place ? 16 : size_bytes(compute_type(node.type));
}

class Stages {
 public:
  Stages(const Rows& rows, bool online) : rows_(rows), scalar_(rows.body) {
    if (online) find_pairs();
  }

  std::vector<RowsStage> run() {
    const std::vector<bool> needed = needed_by_effects(scalar_);
    const std::vector<size_t> levels = levels_of_nodes();
    std::vector<RowsStage> out;
    for (size_t i = 0; i < scalar_.nodes.size(); ++i) {
      const Node& node = scalar_.nodes[i];
      if (!needed[i] || node.kind != Node::Kind::across || node.of_rows) continue;
      const Gathered* pair = pair_of(NodeId(i));
      if (pair != nullptr && pair->second == NodeId(i)) continue;  // comes with its first
      const Gathered each = pair != nullptr
                                ? *pair
                                : Gathered{Gathered::How::plain, node.args[0], NodeId(i), {}, bytes_of(node)};
      const size_t level = levels[node.args[0].index()];
      if (out.size() <= level) out.resize(level + 1);
      out[level].push_back(each);
    }
    return out;
  }

 private:
  void find_pairs() {
    for (size_t i = 0; i < scalar_.nodes.size(); ++i) {
      if (scalar_.nodes[i].kind != Node::Kind::across) continue;
      auto pair = exponentials(scalar_, i);
      if (!pair) pair = moments(scalar_, i, rows_.length());
      if (pair && pair_of(pair->first) == nullptr) pairs_.push_back(*pair);
    }
  }

  const Gathered* pair_of(NodeId id) const {
    for (const Gathered& each : pairs_) {
      if (each.first == id || each.second == id) return &each;
    }
    return nullptr;
  }

  // Of every node the stages that must be over before it can be computed.
  std::vector<size_t> levels_of_nodes() const {
    std::vector<size_t> out(scalar_.nodes.size(), 0);
    for (size_t i = 0; i < out.size(); ++i) {
      const Node& node = scalar_.nodes[i];
      for (size_t k = 0; k < node.arity; ++k) out[i] = std::max(out[i], out[node.args[k].index()]);
      if (node.kind != Node::Kind::across || node.of_rows) continue;
      const Gathered* pair = pair_of(NodeId(i));
      out[i] = 1 + (pair != nullptr && pair->second == NodeId(i) ? out[pair->argument.index()] : out[i]);
    }
    return out;
  }

  const Rows& rows_;
  const Scalar& scalar_;
  std::vector<Gathered> pairs_;
};

}  // namespace

std::vector<RowsStage> rows_stages(const Rows& rows, bool online) { return Stages(rows, online).run(); }

bool stored_once(const Rows& rows, const Effect& effect) {
  const View& view = rows.body.views[effect.view];
  return std::ranges::all_of(rows.meet, [&](size_t d) { return rows.domain[d] == 1 || view.stride[d] == 0; });
}

bool stores_elements(const Rows& rows) {
  return !std::ranges::all_of(rows.body.effects,
                              [&rows](const Effect& effect) { return stored_once(rows, effect); });
}

int64_t rows_reads(const Rows& rows, bool online) {
  return static_cast<int64_t>(rows_stages(rows, online).size()) + (stores_elements(rows) ? 1 : 0);
}

bool has_second_phase(const Rows& rows) { return std::ranges::any_of(rows.body.nodes, &Node::of_rows); }

std::vector<bool> needed_by_effects(const Scalar& scalar) {
  std::vector<bool> out(scalar.nodes.size(), false);
  for (const Effect& effect : scalar.effects) out[effect.node.index()] = true;
  for (size_t i = scalar.nodes.size(); i-- > 0;) {
    for (size_t k = 0; out[i] && k < scalar.nodes[i].arity; ++k) out[scalar.nodes[i].args[k].index()] = true;
  }
  return out;
}

std::vector<bool> needed_after(const Scalar& scalar, const std::vector<NodeId>& wanted) {
  std::vector<bool> out(scalar.nodes.size(), false);
  for (const NodeId id : wanted) out[id.index()] = true;
  for (size_t i = scalar.nodes.size(); i-- > 0;) {
    const Node& node = scalar.nodes[i];
    if (node.kind == Node::Kind::across) continue;
    for (size_t k = 0; out[i] && k < node.arity; ++k) out[node.args[k].index()] = true;
  }
  return out;
}

}  // namespace uc
