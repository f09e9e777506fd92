#include "metrics/metrics.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace uc::metrics {
namespace {

TEST(Metrics, MeansAreThoseOfTheTextbook) {
  EXPECT_NEAR(geomean(std::array{2.0, 8.0}), 4, 1e-12);
  EXPECT_NEAR(geomean(std::array{0.5, 2.0, 1.0}), 1, 1e-12);
  EXPECT_EQ(geomean({}), 0);
  EXPECT_EQ(median(std::array{5.0, 1.0, 3.0}), 3);
  EXPECT_EQ(median(std::array{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(Metrics, FastPCountsProblemsThatReachTheSpeedup) {
  const std::array speedups{0.5, 1.0, 2.0, 4.0};
  EXPECT_EQ(fast_p(speedups, 0), 1);
  EXPECT_EQ(fast_p(speedups, 1), 0.75);  // reaching it counts
  EXPECT_EQ(fast_p(speedups, 4.1), 0);
  EXPECT_EQ(fast_p({}, 1), 0);
}

// By hand: between r = 1 and 3 all of `a` and none of `b` are that fast; below 1 both are.
TEST(Metrics, AreaBetweenCurvesIsSigned) {
  EXPECT_NEAR(area_between(std::array{3.0, 3.0}, std::array{1.0, 1.0}), 2, 1e-12);
  EXPECT_NEAR(area_between(std::array{1.0, 1.0}, std::array{3.0, 3.0}), -2, 1e-12);
  EXPECT_NEAR(area_between(std::array{100.0}, std::array{1.0}, 10), 9, 1e-12);
  // Numerically, as the integral of Fast-p(r).
  const std::array a{0.7, 2.5, 6.0};
  const std::array b{1.2, 1.9, 12.0};
  double area = 0;
  for (double r = 0.0005; r < 10; r += 0.001) area += 0.001 * (fast_p(a, r) - fast_p(b, r));
  EXPECT_NEAR(area_between(a, b, 10), area, 2e-3);
}

TEST(Metrics, AttemptFastPNeverFallsAndProblemsThatEndedStay) {
  const std::vector<std::vector<double>> progress{{0, 1.2, 1.2, 2.5}, {1.5}, {0, 0}};
  const std::vector<double> one = attempt_fast_p(progress, 1);
  EXPECT_EQ(one, (std::vector<double>{0, 1.0 / 3, 2.0 / 3, 2.0 / 3, 2.0 / 3}));
  EXPECT_EQ(attempt_fast_p(progress, 2).back(), 1.0 / 3);
  EXPECT_EQ(attempt_fast_p({}, 1), std::vector<double>{0});
}

TEST(Metrics, BootstrapCoversTheMeanOfNormalSamples) {
  // Of 200 samples of 40 standard normals, the interval of the mean covers 0 in about 95 %.
  int covers = 0;
  for (unsigned sample = 0; sample < 200; ++sample) {
    std::vector<double> values;
    for (unsigned i = 0; i < 40; ++i) {  // Box and Muller, of a low-discrepancy pair
      const double u = std::fmod(0.5 + 0.7548776662466927 * (i + 40.0 * sample + 1), 1.0);
      const double v = std::fmod(0.5 + 0.5698402909980532 * (i * i + 40.0 * sample + 1), 1.0);
      values.push_back(std::sqrt(-2 * std::log(u + 1e-12)) * std::cos(2 * 3.141592653589793 * v));
    }
    const Interval found = bootstrap(
        values,
        [](std::span<const double> all) {
          double sum = 0;
          for (const double each : all) sum += each;
          return sum / static_cast<double>(all.size());
        },
        400, sample);
    EXPECT_LE(found.low, found.value);
    EXPECT_GE(found.high, found.value);
    if (found.low <= 0 && found.high >= 0) ++covers;
  }
  EXPECT_GE(covers, 180);
  EXPECT_LE(covers, 200);
}

TEST(Metrics, BootstrapIsTheSameForTheSameSeed) {
  const std::array values{1.0, 2.0, 3.0, 9.0};
  EXPECT_EQ(bootstrap(values, geomean).low, bootstrap(values, geomean).low);
  EXPECT_NE(bootstrap(values, geomean, 50, 1).low, 0);
  const Interval one = bootstrap(std::array{3.0}, geomean);
  EXPECT_EQ(one.low, one.high);
}

}  // namespace
}  // namespace uc::metrics
