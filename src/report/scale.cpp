#include "report/scale.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace uc {
namespace {

constexpr std::array<int, 3> kSteps{1, 2, 5};
// Rounding of logarithms must not lose a tick at an end.
constexpr double kSlack = 1e-9;

int power_below(double value) { return static_cast<int>(std::floor(std::log10(value) + kSlack)); }

double nice_below(double value) {
  const double unit = std::pow(10.0, power_below(value));
  double out = unit;
  for (const int step : kSteps) {
    if (step * unit <= value * (1 + kSlack)) out = step * unit;
  }
  return out;
}

double nice_above(double value) {
  const double unit = std::pow(10.0, power_below(value));
  for (const int step : kSteps) {
    if (step * unit >= value * (1 - kSlack)) return step * unit;
  }
  return 10 * unit;
}

}  // namespace

LogScale::LogScale(double low, double high, double from, double to)
    : low_(low), high_(high), from_(from), to_(to) {}

double LogScale::operator()(double value) const {
  return from_ + (to_ - from_) * std::log(value / low_) / std::log(high_ / low_);
}

double LogScale::at(double position) const {
  return low_ * std::pow(high_ / low_, (position - from_) / (to_ - from_));
}

std::vector<Tick> LogScale::ticks() const {
  const double low = low_ * (1 - kSlack), high = high_ * (1 + kSlack);
  std::vector<Tick> out;
  int powers = 0;
  for (int power = power_below(low_); power <= power_below(high_); ++power) {
    for (int step = 1; step <= 9; ++step) {
      const double value = step * std::pow(10.0, power);
      if (value < low || value > high) continue;
      out.push_back({value, step == 1});
      powers += step == 1 ? 1 : 0;
    }
  }
  if (powers >= 3) return out;
  for (Tick& each : out) {
    const double digit = std::round(each.value / std::pow(10.0, power_below(each.value)));
    each.major = std::ranges::any_of(kSteps, [&](int step) { return digit == step; });
  }
  return out;
}

Range nice_range(const std::vector<double>& values, double ratio) {
  double low = 0, high = 0;
  for (const double value : values) {
    if (!(value > 0) || std::isinf(value)) continue;
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
  if (low == 0) return {1, std::max(ratio, 10.0)};
  Range out{nice_below(low), nice_above(high)};
  while (out.high < out.low * ratio * (1 - kSlack)) {
    out.high = nice_above(out.high * 1.5);
    if (out.high < out.low * ratio * (1 - kSlack)) out.low = nice_below(out.low / 1.5);
  }
  return out;
}

}  // namespace uc
