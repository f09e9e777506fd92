#include "agent/roi.h"

#include <algorithm>
#include <cmath>

namespace uc {

double roi(double speedup, double gap, double implementation_risk, double performance_risk) {
  const double exponent = 1.0 + std::max(0.0, std::log10(std::max(gap, 1e-9) / 5.0));
  const double risks = std::clamp(implementation_risk, 1.0, 5.0) * std::clamp(performance_risk, 1.0, 5.0);
  return std::pow(std::max(speedup, 0.0), exponent) / risks;
}

double expected_sweep_gain(int count, double sigma) {
  return count < 2 ? 1.0 : std::exp(sigma * std::sqrt(2.0 * std::log(static_cast<double>(count))));
}

}  // namespace uc
