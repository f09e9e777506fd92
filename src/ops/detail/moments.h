#pragma once
// Why: means, variances and norms of a slice, for reductions and for normalisations alike.
#include <cmath>

#include "ops/detail/slices.h"

namespace uc::ops {

struct Moments {
  double mean = 0;
  double variance = 0;
};

/// Both rounded to the compute type. Two passes: no cancellation. `unbiased` divides by the count less one
/// (NaN for one element, as PyTorch).
inline Moments moments(Floats row, Compute compute, bool unbiased = false) {
  const auto count = static_cast<double>(row.size());
  const double mean = sum(row) / count;
  std::vector<double> squares(row.begin(), row.end());
  for (double& value : squares) value = (value - mean) * (value - mean);
  return {compute(mean), compute(sum(squares) / (unbiased ? count - 1.0 : count))};
}

/// Mean of squares, rounded to the compute type.
inline double mean_square(Floats row, Compute compute) {
  std::vector<double> squares(row.begin(), row.end());
  for (double& value : squares) value = compute(value * value);
  return compute(sum(squares) / static_cast<double>(row.size()));
}

/// Sum of absolute values, or the root of the sum of squares; squares beyond the compute type are infinite.
template <bool Squared>
double norm(Floats row, Compute compute) {
  std::vector<double> terms(row.begin(), row.end());
  for (double& value : terms) value = Squared ? compute(value * value) : std::abs(value);
  const double total = compute(sum(terms));
  return Squared ? compute(std::sqrt(total)) : total;
}

}  // namespace uc::ops
