#pragma once
// Why: a named dimension is a size that a launch chooses. A program is resolved at one choice; what was
// written with a name keeps the name beside the number, so that other choices and the text follow from it.
#include <cstdint>
#include <string>
#include <vector>

#include "diag/diag.h"

namespace uc {

/// `dim m = 1..8192 step 8`: the multiples of `step` in the range, both ends included.
struct Dim {
  std::string name;
  int64_t low = 1;
  int64_t high = 1;
  int64_t step = 1;
  Span span = {};

  int64_t least() const { return (low + step - 1) / step * step; }
  int64_t most() const { return high / step * step; }
  bool holds(int64_t value) const { return value >= low && value <= high && value % step == 0; }
};

/// `scale * dim`, as written in a size or in an integer argument; a plain number has no dim.
struct SizeTerm {
  int64_t scale = 1;
  int32_t dim = -1;  ///< index into Program::dims
  bool named() const { return dim >= 0; }
  int64_t at(const std::vector<int64_t>& values) const {
    if (!named()) return scale;
    int64_t out = 0;
    return __builtin_mul_overflow(scale, values[static_cast<size_t>(dim)], &out) ? INT64_MAX : out;
  }
  friend bool operator==(const SizeTerm&, const SizeTerm&) = default;
};

}  // namespace uc
