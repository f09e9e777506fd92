#include "plan/rows_phases.h"

#include <algorithm>

#include "plan/rows_stages.h"

namespace uc {
namespace {

constexpr int64_t kSecondThreads = 512;  // one block sums up what is left of all rows

constexpr int64_t kKept = 16;  // bytes of scratch for what is kept of a row, whatever its type

// Elements one a row, in the order of rows.
Strides one_a_row(const Rows& rows) {
  Strides out(rows.domain.size(), 0);
  int64_t next = 1;
  for (size_t d = rows.domain.size(); d-- > 0;) {
    if (std::ranges::find(rows.meet, d) != rows.meet.end()) continue;
    out[d] = next;
    next *= rows.domain[d];
  }
  return out;
}

bool of_all_rows(const Scalar& scalar, NodeId id) {
  const std::vector<bool> needed = needed_after(scalar, {id});
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i] && scalar.nodes[i].of_rows) return true;
  }
  return false;
}

class Phases {
 public:
  Phases(const Rows& rows, const RowsConfig& config) : rows_(rows), config_(config) {}

  std::vector<RowsPhase> run() {
    if (!has_second_phase(rows_)) return {laid_out(rows_, config_)};
    RowsPhase first = laid_out(first_rows(0), config_);
    const int64_t begin = rows_scratch(first.rows, first.shape, first.layout);
    first.rows = first_rows(begin);
    RowsConfig second;
    second.threads = kSecondThreads;
    return {std::move(first), laid_out(second_rows(begin), second)};
  }

 private:
  static RowsPhase laid_out(Rows rows, const RowsConfig& config) {
    RowsPhase out{std::move(rows), {}, {}};
    out.shape = rows_shape(out.rows);
    out.layout = rows_layout(out.rows, out.shape, config);
    return out;
  }

  // The memory of what is left of each row: one array a node of all rows.
  View kept(size_t which, int64_t begin) const {
    View view;
    for (size_t i = 0, at = 0; i < rows_.body.nodes.size(); ++i) {
      const Node& node = rows_.body.nodes[i];
      if (!node.of_rows) continue;
      view.dtype = compute_type(rows_.body.nodes[node.args[0].index()].type);
      view.offset = begin / size_bytes(view.dtype);
      if (at++ == which) break;
      begin += rows_.count() * kKept;
    }
    return view;
  }

  Rows first_rows(int64_t begin) const {
    Rows out = rows_;
    std::erase_if(out.body.effects,
                  [this](const Effect& effect) { return of_all_rows(rows_.body, effect.node); });
    size_t which = 0;
    for (const Node& node : rows_.body.nodes) {
      if (!node.of_rows) continue;
      View view = kept(which++, begin);
      view.shape = rows_.domain;
      view.stride = one_a_row(rows_);
      out.body.effects.push_back({node.args[0], static_cast<uint32_t>(out.body.views.size())});
      out.body.views.push_back(std::move(view));
    }
    return out;
  }

  Rows second_rows(int64_t begin) const {
    Rows out;
    out.domain = {rows_.count()};
    out.meet = {0};
    out.body = rows_.body;
    for (View& view : out.body.views) {
      view.shape = out.domain;
      view.stride = {0};
    }
    std::erase_if(out.body.effects,
                  [this](const Effect& effect) { return !of_all_rows(rows_.body, effect.node); });
    size_t which = 0;
    for (size_t i = 0; i < rows_.body.nodes.size(); ++i) {
      if (!rows_.body.nodes[i].of_rows) continue;
      View view = kept(which++, begin);
      view.shape = out.domain;
      view.stride = {1};
      Node& argument = out.body.nodes[out.body.nodes[i].args[0].index()];
      argument = Node{};
      argument.kind = Node::Kind::tensor;
      argument.type = view.dtype;
      argument.view = static_cast<uint32_t>(out.body.views.size());
      out.body.views.push_back(std::move(view));
      out.body.nodes[i].of_rows = false;
    }
    return out;
  }

  const Rows& rows_;
  const RowsConfig& config_;
};

}  // namespace

int64_t RowsPhase::functions() const {
  return layout.split == 1 ? 1 : 1 + static_cast<int64_t>(rows_stages(rows, layout.online).size());
}

std::vector<RowsPhase> rows_phases(const Rows& rows, const RowsConfig& config) {
  return Phases(rows, config).run();
}

int64_t rows_scratch(const std::vector<RowsPhase>& phases) {
  const RowsPhase& first = phases.front();
  int64_t out = rows_scratch(first.rows, first.shape, first.layout);
  for (const View& view : first.rows.body.views) out += view.value ? 0 : first.shape.count() * kKept;
  return out;
}

// What follows a node of all rows may read what is the same everywhere, and nothing of single rows. A node
// that the first phase keeps is replaced in the second, so it may not be used there otherwise.
bool rows_phases_suffice(const Rows& rows) {
  const Scalar& scalar = rows.body;
  for (const Effect& effect : scalar.effects) {
    if (!of_all_rows(scalar, effect.node)) continue;
    const std::vector<bool> needed = needed_after(scalar, {effect.node});
    for (size_t i = 0; i < needed.size(); ++i) {
      const Node& node = scalar.nodes[i];
      if (!needed[i]) continue;
      const bool everywhere =
          node.kind != Node::Kind::tensor ||
          std::ranges::all_of(scalar.views[node.view].stride, [](int64_t s) { return s == 0; });
      const bool known = node.kind != Node::Kind::across || node.of_rows;
      if (!everywhere || !known || node.kind == Node::Kind::coordinate) return false;
      const bool kept = std::ranges::any_of(
          scalar.nodes, [i](const Node& each) { return each.of_rows && each.args[0] == NodeId(i); });
      if (kept) return false;
    }
  }
  return true;
}

}  // namespace uc
