#pragma once
// Why: times and rates span decades; axes show them as powers of ten and what lies between in steps of 1, 2
// and 5.
#include <vector>

namespace uc {

struct Tick {
  double value = 0;
  bool major = false;  ///< has a label; the others are marks only
};

/// Values above 0 to positions: `from` at `low`, `to` at `high`, equal ratios equally far.
class LogScale {
 public:
  /// Requires 0 < low < high.
  LogScale(double low, double high, double from, double to);

  /// Positions of values outside of the range lie outside of [from, to].
  double operator()(double value) const;
  /// The value at a position.
  double at(double position) const;
  bool holds(double value) const { return value >= low_ && value <= high_; }
  double low() const { return low_; }
  double high() const { return high_; }
  double from() const { return from_; }
  double to() const { return to_; }

  /// Labels at powers of ten, at 1, 2 and 5 when fewer than three powers lie within; marks at 1 to 9.
  std::vector<Tick> ticks() const;

 private:
  double low_, high_, from_, to_;
};

/// The least and the largest of values above 0, moved outward to 1, 2 or 5 times a power of ten, with at
/// least `ratio` between them.
struct Range {
  double low = 0;
  double high = 0;
};
Range nice_range(const std::vector<double>& values, double ratio = 10);

}  // namespace uc
