#include "metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace uc::metrics {
namespace {

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mean_up_to(std::span<const double> values, double most) {
  std::vector<double> cut(values.begin(), values.end());
  for (double& each : cut) each = std::clamp(each, 0.0, most);
  return mean(cut);
}

}  // namespace

double geomean(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> logs(values.size());
  std::ranges::transform(values, logs.begin(), [](double each) { return std::log(each); });
  return std::exp(mean(logs));
}

double median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double fast_p(std::span<const double> speedups, double r) {
  if (speedups.empty()) return 0;
  const auto fast = std::ranges::count_if(speedups, [r](double each) { return each >= r; });
  return static_cast<double>(fast) / static_cast<double>(speedups.size());
}

double area_between(std::span<const double> a, std::span<const double> b, double most) {
  return mean_up_to(a, most) - mean_up_to(b, most);
}

std::vector<double> attempt_fast_p(std::span<const std::vector<double>> progress, double r) {
  size_t longest = 0;
  for (const auto& each : progress) longest = std::max(longest, each.size());
  std::vector<double> out(longest + 1, 0.0);
  for (const auto& each : progress) {
    const auto reached = std::ranges::find_if(each, [r](double speedup) { return speedup >= r; });
    if (reached == each.end()) continue;
    for (size_t n = static_cast<size_t>(reached - each.begin()) + 1; n <= longest; ++n) out[n] += 1;
  }
  for (double& share : out) share /= static_cast<double>(std::max<size_t>(progress.size(), 1));
  return out;
}

Interval bootstrap(std::span<const double> values, const Statistic& statistic, int resamples, uint64_t seed) {
  Interval out;
  out.low = out.value = out.high = statistic(values);
  if (values.size() < 2 || resamples < 1) return out;
  std::mt19937_64 random(seed);
  std::vector<double> found(static_cast<size_t>(resamples));
  std::vector<double> drawn(values.size());
  for (double& each : found) {
    for (double& value : drawn) value = values[random() % values.size()];
    each = statistic(drawn);
  }
  std::ranges::sort(found);
  const auto at = [&](double share) {
    return found[static_cast<size_t>(share * static_cast<double>(found.size() - 1))];
  };
  out.low = at(0.025);
  out.high = at(0.975);
  return out;
}

}  // namespace uc::metrics
