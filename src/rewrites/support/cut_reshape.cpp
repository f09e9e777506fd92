// Which part of a tensor is what is cut out of a reshape of it.
#include <algorithm>

#include "rewrites/support/cut.h"

namespace uc::rewrites {
namespace {

int64_t product(const Shape& of, size_t begin, size_t end) {
  int64_t out = 1;
  for (size_t k = begin; k < end; ++k) out *= of[k];
  return out;
}

/// Dimensions from..from_end of one shape hold the same elements as to..to_end of the other.
struct Group {
  size_t from, from_end, to, to_end;
};

// Products of extents from the front: where they are equal in both shapes the dimensions in between belong
// together. The group that has dimension `dim` of `to`.
std::optional<Group> group_of(const Shape& from, const Shape& to, size_t dim) {
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    const size_t first_i = i, first_j = j;
    int64_t a = from[i++], b = to[j++];
    while (a != b) {
      if (a < b && i < from.size()) {
        a *= from[i++];
      } else if (b < a && j < to.size()) {
        b *= to[j++];
      } else {
        return std::nullopt;
      }
    }
    if (dim < j) return Group{first_i, i, first_j, j};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Cut> cut_before_reshape(const Shape& from, const Shape& to, const Cut& at) {
  const auto group = group_of(from, to, at.dim);
  if (!group) return std::nullopt;
  const int64_t outer = product(to, group->to, at.dim);
  const int64_t inner = product(to, at.dim + 1, group->to_end);
  const bool one = group->from_end - group->from == 1;
  if (outer != 1) {  // the innermost of what was one dimension
    const bool strided = one && inner == 1 && at.count == 1;
    return strided ? std::optional(Cut{group->from, at.start, outer, to[at.dim]}) : std::nullopt;
  }
  // Elements that follow one another: whole entries of the outermost dimension before.
  if (one && inner == 1) return Cut{group->from, at.start, at.count, at.step};
  const int64_t entry = product(from, group->from + 1, group->from_end);
  const int64_t first = at.start * inner;
  const int64_t count = at.count * inner;
  // One index of the inner of two dimensions that became one.
  if (group->from_end - group->from == 2 && inner == 1 && at.step == entry && at.start < entry &&
      at.count == from[group->from])
    return Cut{group->from + 1, at.start, 1, 1};
  if (at.step != 1 || first % entry != 0 || count % entry != 0) return std::nullopt;
  return Cut{group->from, first / entry, count / entry, 1};
}

}  // namespace uc::rewrites
