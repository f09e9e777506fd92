#include "ops/detail/attention_parts.h"

#include <algorithm>
#include <numeric>

#include "ops/detail/attention_shape.h"
#include "ops/detail/parts.h"

namespace uc::ops {
namespace {

// Where the dimensions of an operand or result are: batch, heads, positions, features.
struct Places {
  std::optional<size_t> heads;
  size_t positions = 1, features = 2;
};

Places places_of(const AttentionShape& shape) {
  if (!shape.has_heads) return {};
  return shape.bshd ? Places{2, 1, 3} : Places{1, 2, 3};
}

}  // namespace

Part attention_needs(const Program& program, const Op& op, size_t i, size_t result, const Part& part) {
  const auto v = operand(op, "v");
  const Shape& shape = program[op.in[i]].shape;
  if (i > 1 && i != v) return needs_all_or_none(program, op, i, result, part);
  const AttentionShape sizes = attention_shape(program, op);
  const Places at = places_of(sizes);
  std::vector<int> along(shape.size());
  std::iota(along.begin(), along.end(), 0);
  if (i != v) along[at.features] = kAll;
  if (i != 0) along[at.positions] = kAll;
  Part out = projected(part, shape, along);
  if (i == 0) return out;
  if (op.attrs.get_bool("causal", false)) {
    if (part.inside < 1) return Part::none(shape);
    const Part queries = projected(part, {sizes.queries}, {static_cast<int>(at.positions)});
    out.box[at.positions].count = std::min(sizes.keys, queries.box[0].end());
  }
  const int64_t shared = sizes.heads / std::max<int64_t>(1, sizes.kv_heads);
  if (at.heads && shared > 1) {
    Part::Range& heads = out.box[*at.heads];
    heads = {heads.first / shared,
             heads.count == 0 ? 0 : (heads.end() - 1) / shared - heads.first / shared + 1};
  }
  return out;
}

double attention_part_flops(const Program& program, const Op& op, double all, const Part& part) {
  const AttentionShape shape = attention_shape(program, op);
  const double share = part.elements() / std::max(1.0, static_cast<double>(numel(program[op.out[0]].shape)));
  if (!op.attrs.get_bool("causal", false)) return all * share;
  if (part.inside < 1 || part.triangle) return 0;
  const Part::Range queries = part.box[places_of(shape).positions];
  const Part::Range keys{0, shape.keys};
  const double seen = pairs_in_triangle(queries, keys, 0, false);
  const double of_all = pairs_in_triangle({0, shape.queries}, keys, 0, false);
  const double rows = static_cast<double>(queries.count) / static_cast<double>(shape.queries);
  return rows > 0 && of_all > 0 ? all * share / rows * (seen / of_all) : 0;
}

}  // namespace uc::ops
