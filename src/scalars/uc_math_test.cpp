// The device functions, compiled for the host with the hardware's approximations at their worst, against
// double over a dense grid. The bounds are those that the comments in uc_math.cuh state.
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <vector>

#include "catalog/builtin.h"

namespace {
float host_error = 0.0F;
}
#define UC_HOST_ERROR host_error
#include "emit/templates/uc_math.cuh"

namespace {

struct Case {
  const char* name;
  float (*fast)(float);
  double (*exact)(double);
  float low, high;
  double bound;  ///< largest relative error
};

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

const Case kCases[] = {
    {"exp", uc_exp, std::exp, -87.0F, 88.0F, 4.1e-6},
    {"exp near 0", uc_exp, std::exp, -8.0F, 8.0F, 7.6e-7},
    {"expm1", uc_expm1, std::expm1, -87.0F, 88.0F, 4.1e-6},
    {"expm1 near 0", uc_expm1, std::expm1, -8.0F, 8.0F, 1.5e-6},
    {"log", uc_log, std::log, 1e-30F, 1e30F, 2e-7},
    {"log1p", uc_log1p, std::log1p, -0.99F, 1e30F, 2e-7},
    {"log1p_exp", uc_log1p_exp, softplus, -86.0F, 88.0F, 3.9e-6},
    {"log1p_exp near 0", uc_log1p_exp, softplus, -8.0F, 8.0F, 7.7e-7},
    {"sigmoid", uc_sigmoid, sigmoid, -86.0F, 88.0F, 3.9e-6},
    {"sigmoid near 0", uc_sigmoid, sigmoid, -8.0F, 8.0F, 5.6e-7},
    {"tanh", uc_tanh, std::tanh, -50.0F, 50.0F, 7.2e-7},
    {"erf", uc_erf, std::erf, -20.0F, 20.0F, 8.4e-7},
    {"sqrt", uc_sqrt, std::sqrt, 1e-30F, 1e30F, 3.4e-7},
    {"rsqrt", uc_rsqrt, [](double x) { return 1.0 / std::sqrt(x); }, 1e-30F, 1e30F, 3.8e-7},
    {"rcp", uc_rcp, [](double x) { return 1.0 / x; }, 1e-30F, 1e30F, 4e-7},
    {"sin", uc_sin, std::sin, -10.0F, 10.0F, 2e-7},
    {"cos", uc_cos, std::cos, -10.0F, 10.0F, 2e-7},
};

/// Evenly spaced points, and as many at every scale down to 1e-30 on both sides of 0 where the range has
/// them.
std::vector<float> grid(float low, float high) {
  constexpr int kPoints = 200000;
  std::vector<float> points;
  const double step = (static_cast<double>(high) - static_cast<double>(low)) / kPoints;
  for (int i = 0; i <= kPoints; ++i)
    points.push_back(static_cast<float>(static_cast<double>(low) + step * i));
  for (int i = 0; i <= kPoints; ++i) {
    const auto small = static_cast<float>(std::pow(10.0, -30.0 + 60.0 * i / kPoints));
    for (const float x : {small, -small}) {
      if (x >= low && x <= high) points.push_back(x);
    }
  }
  return points;
}

class FastMath : public testing::TestWithParam<Case> {};

TEST_P(FastMath, StaysWithinItsStatedError) {
  const Case& row = GetParam();
  double worst = 0;
  float at = 0;
  for (const float error : {0.0F, 0x1p-22F, -0x1p-22F}) {
    host_error = error;
    for (const float x : grid(row.low, row.high)) {
      const double want = row.exact(x);
      if (std::abs(want) < 1e-37) continue;
      const double seen = std::abs(row.fast(x) / want - 1.0);
      if (!(seen <= worst)) worst = seen, at = x;
    }
  }
  host_error = 0;
  EXPECT_LE(worst, row.bound) << row.name << " at " << at;
  EXPECT_LE(row.bound, 1e-5);
  RecordProperty("largest_relative_error", fmt::format("{:.2e}", worst));
  RecordProperty("at", fmt::format("{}", at));
}

INSTANTIATE_TEST_SUITE_P(UcMath, FastMath, testing::ValuesIn(kCases));

TEST(UcMath, LimitsAndNaN) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(uc_exp(-inf), 0.0F);
  EXPECT_EQ(uc_exp(inf), inf);
  EXPECT_EQ(uc_sigmoid(-inf), 0.0F);
  EXPECT_EQ(uc_sigmoid(inf), 1.0F);
  EXPECT_EQ(uc_log1p_exp(-inf), 0.0F);
  EXPECT_EQ(uc_log1p_exp(inf), inf);
  EXPECT_EQ(uc_expm1(-inf), -1.0F);
  EXPECT_NEAR(uc_tanh(inf), 1.0F, 1e-6F);
  EXPECT_NEAR(uc_erf(-inf), -1.0F, 1e-6F);
  EXPECT_EQ(uc_tanh(0.0F), 0.0F);
  using Fn = float (*)(float);
  for (const Fn fn : std::initializer_list<Fn>{uc_exp, uc_expm1, uc_log, uc_log1p, uc_log1p_exp, uc_sigmoid,
                                               uc_tanh, uc_erf, uc_sqrt, uc_rsqrt, uc_rcp}) {
    EXPECT_TRUE(std::isnan(fn(nan)));
  }
  EXPECT_TRUE(std::isnan(uc_minimum(nan, 1.0F)));
  EXPECT_TRUE(std::isnan(uc_maximum(1.0F, nan)));
}

TEST(UcMath, IntegerPowersWrapAndInvert) {
  EXPECT_EQ(uc_pow(int64_t{3}, int64_t{4}), 81);
  EXPECT_EQ(uc_pow(int64_t{2}, int64_t{64}), 0);
  EXPECT_EQ(uc_pow(int64_t{2}, int64_t{-1}), 0);
  EXPECT_EQ(uc_pow(int64_t{-1}, int64_t{-3}), -1);
}

TEST(ScalarRows, AreWhole) {
  const uc::Catalog catalog = uc::builtin_catalog();
  ASSERT_FALSE(catalog.scalars().empty());
  std::ifstream in(UC_SOURCE_DIR "/src/emit/templates/uc_math.cuh");
  const std::string header{std::istreambuf_iterator<char>(in), {}};
  for (const uc::ScalarFn* row : catalog.scalars()) {
    EXPECT_GE(row->arity, 1) << row->name;
    EXPECT_LE(row->arity, 3) << row->name;
    EXPECT_NE(row->f32, nullptr) << row->name;
    EXPECT_NE(row->f64, nullptr) << row->name;
    const size_t at = row->cuda.find("uc_");
    if (at != std::string_view::npos) {
      const std::string called = " " + std::string(row->cuda.substr(at, row->cuda.find('(') - at)) + "(";
      EXPECT_NE(header.find(called), std::string::npos) << row->name << ": the header has no" << called;
    }
    for (int i = 0; i < row->arity; ++i) {
      EXPECT_NE(row->cuda.find("{" + std::to_string(i) + "}"), std::string_view::npos) << row->name;
    }
  }
}

}  // namespace
