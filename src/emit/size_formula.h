#pragma once
// Why: a library that serves many sizes needs its numbers (extents, strides, counts) as formulas of the named
// dimensions. Tensors are resolved at numbers; what a number is made of is found from its values.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace uc {

/// A number of something at given sizes.
struct SizedNumber {
  SizedNumber(int64_t number, bool counts = true) : value(number), matters(counts) {}
  int64_t value;
  bool matters;  ///< false: any other would do at these sizes, as a stride does where the extent is 1
};
/// The number `stride` of a dimension of `extent` elements.
inline SizedNumber sized_stride(int64_t extent, int64_t stride) { return {stride, extent != 1}; }

/// A grid of sizes: all combinations of `nodes`, those of the last dimension changing fastest. One to three
/// nodes a dimension: as many as the highest power of it, plus one.
struct SizeGrid {
  std::vector<std::vector<int64_t>> nodes;
  std::vector<std::vector<int64_t>> points() const;
};

/// A polynomial with integer coefficients, divided by an integer where that leaves nothing over.
class SizeFormula {
 public:
  /// The one that has `values` at the points of the grid; nothing when there is none with a small divisor.
  static std::optional<SizeFormula> through(const SizeGrid& grid, const std::vector<int64_t>& values);

  /// Nothing on overflow, or where the division leaves something over.
  std::optional<int64_t> at(const std::vector<int64_t>& sizes) const;

  /// C++ over `d[0]`, `d[1]`, ...: `64 * d[0] * d[1] + 128`.
  std::string text() const;

 private:
  struct Term {
    int64_t scale = 0;
    std::vector<int> powers;  // a dimension
  };
  std::vector<Term> terms_;  // ascending powers
  int64_t divisor_ = 1;
};

}  // namespace uc
