#pragma once
// Why: pools read a range of each spatial dimension; whether the range is a window or an adaptive part, what
// they do with it is the same.
#include <array>
#include <functional>
#include <vector>

#include "ir/host_tensor.h"

namespace uc::ops {

/// The inputs of one element along one dimension: first, first + step, ... below `end`, all inside.
struct PoolRange {
  int64_t first = 0, end = 0, step = 1;
  int64_t padded = 0;  ///< elements with the padding that counts
};

/// One range an element of the result, for each of three dimensions, the missing ones in front.
using PoolRanges = std::array<std::vector<PoolRange>, 3>;

/// The greatest of each range, NaN where one is among it.
void pool_max(const HostTensor& x, const std::array<int64_t, 3>& inside, const PoolRanges& ranges,
              HostTensor& out);

/// The sum of each range over `divisor`, or without one over its elements: with the padding when `padded`.
/// Sums in double.
void pool_mean(const HostTensor& x, const std::array<int64_t, 3>& inside, const PoolRanges& ranges,
               bool padded, int64_t divisor, HostTensor& out);

}  // namespace uc::ops
