#pragma once
// Why: every table of many problems is judged by the same few numbers, so they are defined once, with what
// sampling over problems makes of them.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace uc::metrics {

/// Of positive numbers; 0 of none.
double geomean(std::span<const double> values);
/// The mean of the middle two of an even count; 0 of none.
double median(std::span<const double> values);
/// Fast-p(r): the share of problems whose speedup is at least `r`; 0 of none.
double fast_p(std::span<const double> speedups, double r);
/// The signed area between the Fast-p curves of `a` and `b` for r from 0 to `most`: above 0 where `a` is the
/// faster. The area under one curve is the mean of min(speedup, most), so this is a difference of means.
double area_between(std::span<const double> a, std::span<const double> b, double most = 10);

/// Attempt-Fast-p(r): entry n is the share of problems that had a speedup of at least `r` after n attempts.
/// `progress` holds, for each problem, the best speedup after each of its attempts (0: none yet); a problem
/// that ended stays where it was.
std::vector<double> attempt_fast_p(std::span<const std::vector<double>> progress, double r);

struct Interval {
  double low = 0, value = 0, high = 0;
};
using Statistic = std::function<double(std::span<const double>)>;

/// The 95 % percentile bootstrap interval of a statistic over problems (Efron 1979): `resamples` draws with
/// replacement. The same for the same seed.
Interval bootstrap(std::span<const double> values, const Statistic& statistic, int resamples = 2000,
                   uint64_t seed = 1);

}  // namespace uc::metrics
