#include "ir/shape.h"

#include <algorithm>
#include <fmt/format.h>

namespace uc {

int64_t numel(const Shape& shape) {
  constexpr int64_t kMost = int64_t{1} << 62;
  int64_t count = 1;
  for (const int64_t extent : shape) {
    if (extent == 0) return 0;
    count = count > kMost / extent ? kMost : count * extent;
  }
  return count;
}

Strides row_major(const Shape& shape) {
  Strides strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  return strides;
}

Strides col_major(const Shape& shape) {
  const size_t rank = shape.size();
  if (rank < 2) return row_major(shape);
  Shape swapped = shape;
  std::swap(swapped[rank - 1], swapped[rank - 2]);
  Strides strides = row_major(swapped);
  std::swap(strides[rank - 1], strides[rank - 2]);
  return strides;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1) return std::nullopt;
    out[out.size() - 1 - i] = left == 1 ? right : left;
  }
  return out;
}

Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& to) {
  Strides out(to.size(), 0);
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t at = to.size() - shape.size() + i;
    out[at] = shape[i] == 1 && to[at] != 1 ? 0 : strides[i];
  }
  return out;
}

std::optional<Strides> reshape_strides(const Shape& shape, const Strides& strides, const Shape& to) {
  if (numel(shape) != numel(to)) return std::nullopt;
  if (numel(shape) == 0) return row_major(to);
  // Merge the source into runs that are contiguous within themselves, then cut each run by the target's
  // extents.
  struct Run {
    int64_t extent;
    int64_t stride;
  };
  std::vector<Run> runs;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (!runs.empty() && runs.back().stride == strides[i] * shape[i]) {
      runs.back() = {runs.back().extent * shape[i], strides[i]};
    } else {
      runs.push_back({shape[i], strides[i]});
    }
  }
  Strides out(to.size(), 1);
  size_t run = runs.size();
  int64_t left = 1;    // what remains of the current run
  int64_t stride = 1;  // stride of the next dimension cut from it
  for (size_t i = to.size(); i-- > 0;) {
    if (to[i] == 1) {
      out[i] = stride;
      continue;
    }
    if (left == 1) {
      if (run == 0) return std::nullopt;
      --run;
      left = runs[run].extent;
      stride = runs[run].stride;
    }
    if (left % to[i] != 0) return std::nullopt;
    out[i] = stride;
    stride *= to[i];
    left /= to[i];
  }
  return left == 1 ? std::optional(out) : std::nullopt;
}

std::string to_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace uc
