#pragma once
// Why: what holds numbers at given sizes (tables, strides of tensors) becomes formulas over a range of sizes
// in one way: fitted beside the chosen sizes, tried at the ends.
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "emit/size_formula.h"

namespace uc {

/// Multiples of `step` from `low` to `high`, both of which are such multiples.
struct SizeRange {
  int64_t low = 1, high = 1, step = 1;
  bool holds(int64_t size) const { return size >= low && size <= high && size % step == 0; }
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

/// Numbers at sizes, as many at all of them; nothing where there are none.
using NumbersAt = std::function<std::optional<std::vector<SizedNumber>>(const std::vector<int64_t>&)>;

/// A formula a number, right at three sizes of each dimension beside `chosen`, and at all combinations of
/// `chosen` and both ends. Nothing when there are none.
std::optional<std::vector<SizeFormula>> fit_formulas(const std::vector<SizeRange>& ranges,
                                                     const std::vector<int64_t>& chosen,
                                                     const NumbersAt& numbers);

}  // namespace uc
