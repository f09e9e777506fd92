#include "check/used_band.h"

#include <algorithm>

#include "catalog/scalar_fn.h"

namespace uc {
namespace {

class Uses {
 public:
  Uses(const Scalar& scalar, int64_t rows, int64_t columns)
      : scalar_(scalar), rows_(rows), columns_(columns) {}

  // Whether all that is stored is the same whatever the sums on the other side of the diagonal.
  bool only(bool upper) const {
    std::vector<bool> free(scalar_.nodes.size());
    for (size_t i = 0; i < free.size(); ++i) {
      const Node& node = scalar_.nodes[i];
      const auto is_free = [&](size_t arg) { return free[node.args[arg].index()]; };
      if (selects(node, upper)) {
        free[i] = is_free(2);
        continue;
      }
      free[i] = node.kind != Node::Kind::running;
      for (size_t arg = 0; arg < node.arity; ++arg) free[i] = free[i] && is_free(arg);
    }
    return std::ranges::all_of(scalar_.effects,
                               [&](const Effect& effect) { return free[effect.node.index()]; });
  }

 private:
  const Node& arg(const Node& node, size_t which) const { return scalar_.nodes[node.args[which].index()]; }
  static bool calls(const Node& node, std::string_view name) {
    return node.kind == Node::Kind::call && node.fn->name == name;
  }
  bool counts(const Node& node, int64_t divisor, int64_t extent) const {
    return node.kind == Node::Kind::coordinate && node.divisor == divisor && node.extent == extent;
  }

  // select(column - row >= 0 or more, ..., ...), or <= 0 or less.
  bool selects(const Node& node, bool upper) const {
    if (!calls(node, "select")) return false;
    const Node& kept = arg(node, 0);
    if (!calls(kept, upper ? "ge" : "le")) return false;
    const Node& above = arg(kept, 0);
    const Node& diagonal = arg(kept, 1);
    if (diagonal.kind != Node::Kind::constant || (upper ? diagonal.constant < 0 : diagonal.constant > 0))
      return false;
    return calls(above, "sub") && counts(arg(above, 0), 1, columns_) &&
           counts(arg(above, 1), columns_, rows_);
  }

  const Scalar& scalar_;
  int64_t rows_, columns_;
};

}  // namespace

Band used_band(const Scalar& epilogue, int64_t rows, int64_t columns) {
  if (epilogue.effects.empty() || rows == 1 || columns == 1) return {};
  const Uses uses(epilogue, rows, columns);
  return {.from_diagonal = uses.only(true), .to_diagonal = uses.only(false)};
}

}  // namespace uc
