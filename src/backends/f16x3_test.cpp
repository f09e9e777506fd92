// What f16x3 loses, emulated on the CPU and compared with sums in f64: halves as uc_split_scale.cuh scales
// them, products that are exact, and the tensor core's additions at their worst: addends of one instruction
// are cut at 2^-25 of the largest one's power of two, its sum is truncated to f32. No threshold is taken from
// a result: they are the stated bounds, and sums of which the loss is worked out by hand.
#include "check/f16x3.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "emit/templates/uc_split_scale.cuh"
#include "ir/dtype.h"

namespace uc {
namespace {

float f16(float x) { return static_cast<float>(round_to(DType::f16, x)); }

// One line of an operand: halves, and what undoes their scale.
struct Halves {
  std::vector<float> high, low;
  float unscale = 0;
};

Halves split(const std::vector<float>& line) {
  uint32_t largest = 0;
  for (const float x : line) largest = std::max(largest, uc_magnitude(x));
  const float factor = uc_split_factor(largest);
  Halves out;
  out.unscale = uc_split_unscale(largest);
  for (const float x : line) {
    const float scaled = x * factor * factor;
    out.high.push_back(f16(scaled));
    out.low.push_back(f16(scaled - out.high.back()));
  }
  return out;
}

// Towards zero at multiples of `unit`.
double cut(double x, double unit) { return std::trunc(x / unit) * unit; }
double unit_of(double x, int bits) { return x == 0 ? 1 : std::ldexp(1, std::ilogb(x) - bits); }

// One instruction: 16 products and the sum so far.
double instruction(double sum, const double (&products)[16]) {
  double largest = std::abs(sum);
  for (const double product : products) largest = std::max(largest, std::abs(product));
  const double unit = unit_of(largest, 25);
  double exact = cut(sum, unit);
  for (const double product : products) exact += cut(product, unit);
  return cut(exact, unit_of(exact, 23));
}

// The three products in the order of uc_split_mainloop.cuh. `promoted`: instructions between promotions, 0:
// never.
float multiply(const Halves& a, const Halves& b, int64_t promoted) {
  const std::vector<float>* const order[3][2] = {{&a.low, &b.high}, {&a.high, &b.low}, {&a.high, &b.high}};
  const size_t k = (a.high.size() + 63) / 64 * 64;
  float total = 0;
  double sum = 0;
  int64_t count = 0;
  for (const auto& product : order) {
    for (size_t at = 0; at < k; at += 16) {
      double products[16] = {};
      for (size_t i = 0; i < 16 && at + i < a.high.size(); ++i)
        products[i] = static_cast<double>((*product[0])[at + i]) * static_cast<double>((*product[1])[at + i]);
      sum = instruction(sum, products);
      if (++count != promoted) continue;
      total += static_cast<float>(sum);
      sum = 0;
      count = 0;
    }
  }
  total += static_cast<float>(sum);
  const float unscale = a.unscale * b.unscale;
  return total * unscale * unscale;
}

struct Exact {
  double sum = 0;
  double magnitude = 0;  // sum |a||b|
  double floor = 0;      // what elements far below the largest of their line may add
};

Exact exact(const std::vector<float>& a, const std::vector<float>& b) {
  Exact out;
  double a_max = 0;
  double b_max = 0;
  double a_sum = 0;
  double b_sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]);
    const auto y = static_cast<double>(b[i]);
    out.sum += x * y;
    out.magnitude += std::abs(x * y);
    a_max = std::max(a_max, std::abs(x));
    b_max = std::max(b_max, std::abs(y));
    a_sum += std::abs(x);
    b_sum += std::abs(y);
  }
  out.floor = std::ldexp(a_max * b_sum + b_max * a_sum, -38);
  return out;
}

using Draw = std::function<float(std::mt19937&)>;
struct Data {
  const char* name;
  Draw draw;
};

std::vector<Data> kinds() {
  const auto real = [](float low, float high) {
    return [low, high](std::mt19937& random) {
      return std::uniform_real_distribution<float>(low, high)(random);
    };
  };
  return {{"uniform", real(0, 1)},
          {"normal", [](std::mt19937& random) { return std::normal_distribution<float>()(random); }},
          {"linear", real(-1.0f / 64, 1.0f / 64)},
          {"spread",
           [](std::mt19937& random) {
             const int exponent = std::uniform_int_distribution<int>(-20, 20)(random);
             return std::ldexp(std::normal_distribution<float>()(random), exponent);
           }},
          {"denormal",
           [](std::mt19937& random) { return std::ldexp(std::normal_distribution<float>()(random), -130); }}};
}

std::vector<float> line(const Data& data, size_t k, std::mt19937& random) {
  std::vector<float> out(k);
  for (float& x : out) x = data.draw(random);
  return out;
}

TEST(F16x3, StaysWithinItsBoundForFiveKindsOfData) {
  for (const Data& data : kinds()) {
    std::mt19937 random(5);
    for (const size_t k : {1, 63, 64, 1000, 4096, 65536}) {
      for (int trial = 0; trial < (k > 10000 ? 2 : 20); ++trial) {
        const auto a = line(data, k, random);
        // Denormal numbers times numbers of the middle, so that results can be told apart.
        const auto b = line(std::string_view(data.name) == "denormal" ? kinds()[1] : data, k, random);
        const Exact want = exact(a, b);
        const double got = static_cast<double>(multiply(split(a), split(b), kPromotedInstructions));
        const double smallest = std::numeric_limits<float>::denorm_min();
        EXPECT_LE(std::abs(got - want.sum),
                  f16x3_error_bound(static_cast<int64_t>(k)) * want.magnitude + want.floor + smallest)
            << data.name << " K " << k;
      }
    }
  }
}

// All products are positive, so after i of n instructions the sum is i/n of the whole, and each truncation to
// f32 loses half a unit on average: a unit is at least 2^-24 of the sum so far, so n instructions lose n/2 *
// 2^-25 and more. Promoted after 16, a stretch loses at most 17 cut addends (2^-25 each) and one truncation
// (2^-23) for each instruction, of sums that are half of the stretch on average; and 3072 promotions round by
// at most 2^-24 of the whole, independently.
TEST(F16x3, PromotionStopsTheGrowthWithK) {
  std::mt19937 random(7);
  const Data data = kinds()[0];
  const size_t k = 262144;
  const auto a = line(data, k, random);
  const auto b = line(data, k, random);
  const Exact want = exact(a, b);
  const auto off = [&](int64_t promoted) {
    return std::abs(static_cast<double>(multiply(split(a), split(b), promoted)) - want.sum) / want.magnitude;
  };
  const double instructions = static_cast<double>(k) / 16;
  EXPECT_GT(off(0), instructions / 2 * std::ldexp(1, -25));  // 2.4e-4
  const double stretch = 16 * (17.0 / 32) * (17 * std::ldexp(1, -25) + std::ldexp(1, -23));
  EXPECT_LT(off(kPromotedInstructions), stretch + std::sqrt(3072) * std::ldexp(1, -24));  // 8.6e-6
}

TEST(F16x3, HalvesKeepTwentyThreeBits) {
  std::mt19937 random(11);
  for (const Data& data : kinds()) {
    const auto values = line(data, 4096, random);
    const Halves halves = split(values);
    double largest = 0;
    for (const float x : values) largest = std::max(largest, std::abs(static_cast<double>(x)));
    for (size_t i = 0; i < values.size(); ++i) {
      const double back = (static_cast<double>(halves.high[i]) + static_cast<double>(halves.low[i])) *
                          static_cast<double>(halves.unscale) * static_cast<double>(halves.unscale);
      const auto x = static_cast<double>(values[i]);
      EXPECT_LE(std::abs(back - x), std::max(std::ldexp(std::abs(x), -23), std::ldexp(largest, -38)))
          << data.name << " " << x;
    }
  }
}

TEST(F16x3, ScalesTheLargestIntoTheTopOfF16) {
  for (int exponent = -149; exponent <= 127; ++exponent) {
    for (const float significand : {1.0f, 1.25f, 1.9999999f}) {
      const float x = std::ldexp(significand, exponent);
      if (!std::isfinite(x)) continue;
      const float factor = uc_split_factor(uc_magnitude(-x));
      const float scaled = x * factor * factor;
      EXPECT_GE(scaled, 8192.0f) << exponent;
      EXPECT_LE(scaled, 32768.0f) << exponent;
      EXPECT_EQ(factor * uc_split_unscale(uc_magnitude(x)), 1.0f) << exponent;
    }
  }
}

TEST(F16x3, ZeroStaysZeroAndWhatIsNotFiniteShows) {
  const std::vector<float> zero(64, 0.0f);
  const std::vector<float> huge(64, std::numeric_limits<float>::max());
  const std::vector<float> ones(64, 1.0f);
  const auto product = [](const std::vector<float>& a, const std::vector<float>& b) {
    return multiply(split(a), split(b), kPromotedInstructions);
  };
  EXPECT_EQ(product(zero, ones), 0.0f);
  EXPECT_EQ(product(zero, huge), 0.0f);
  EXPECT_EQ(product(ones, ones), 64.0f);
  EXPECT_EQ(product(huge, huge), std::numeric_limits<float>::infinity());  // as f32 gives it
  // 64 * 2^127 * 2^-140 = 2^-7, though neither scale can be undone alone.
  const std::vector<float> tiny(64, std::ldexp(1.0f, -140));
  EXPECT_EQ(product(std::vector<float>(64, std::ldexp(1.0f, 127)), tiny), std::ldexp(1.0f, -7));
  EXPECT_EQ(product(tiny, tiny), 0.0f);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> with = ones;
    with[3] = bad;
    EXPECT_TRUE(std::isnan(product(with, ones)));
    EXPECT_TRUE(std::isnan(product(ones, with)));
  }
}

TEST(F16x3, ItsBoundIsBelowThatOfF32FromK256On) {
  EXPECT_LT(f16x3_error_bound(256), f32_error_bound(256));
  EXPECT_LT(f16x3_error_bound(262144), 0.03 * f32_error_bound(262144));  // 3 K / 256 additions in place of K
}

Contraction product(Shape a, Strides a_stride, Shape b, Strides b_stride) {
  Contraction kernel;
  kernel.math = Math::f16x3;
  kernel.a = {ValueId(0), DType::f32, std::move(a), std::move(a_stride), 0};
  kernel.b = {ValueId(1), DType::f32, std::move(b), std::move(b_stride), 0};
  kernel.epilogue.nodes.resize(1);
  kernel.epilogue.nodes[0].kind = Node::Kind::running;
  const Shape domain{kernel.batch(), kernel.m(), kernel.n()};
  kernel.epilogue.views = {{ValueId(2), DType::f32, domain, {domain[1] * domain[2], domain[2], 1}, 0}};
  kernel.epilogue.effects = {{NodeId(0), 0}};
  return kernel;
}

TEST(F16x3, BecomesAnF16ProductOfWholeTiles) {
  // A is 2 x 100 x 70, K contiguous; B is one 70 x 30 for both, N contiguous.
  const Contraction given = product({2, 100, 70}, {7000, 70, 1}, {2, 30, 70}, {0, 1, 30});
  ASSERT_TRUE(splits(given));
  const Contraction made = split_product(given, 64);
  EXPECT_EQ(made.a.dtype, DType::f16);
  EXPECT_EQ(made.a.shape, (Shape{2, 100, 384}));  // 70 is 128 in whole tiles, three times
  EXPECT_EQ(made.a.stride, (Strides{25600, 256, 1}));
  EXPECT_EQ(made.b.shape, (Shape{2, 30, 384}));
  EXPECT_EQ(made.b.stride, (Strides{0, 1, 32}));  // one for all, pitch 32: TMA wants 16 bytes
  ASSERT_EQ(made.epilogue.views.size(), 3u);
  EXPECT_EQ(made.epilogue.views[1].stride, (Strides{100, 1, 0}));
  EXPECT_EQ(made.epilogue.views[2].stride, (Strides{0, 0, 1}));
  const Node& seen = made.epilogue.nodes[made.epilogue.effects[0].node.index()];
  EXPECT_EQ(seen.kind, Node::Kind::call);
  EXPECT_EQ(seen.arity, 3);
}

TEST(F16x3, OnlyF32OperandsAreSplit) {
  Contraction given = product({1, 8, 8}, {64, 8, 1}, {1, 8, 8}, {64, 8, 1});
  given.a.dtype = given.b.dtype = DType::f16;
  EXPECT_FALSE(splits(given));
  given = product({1, 8, 8}, {64, 8, 1}, {1, 8, 8}, {64, 8, 1});
  given.math = Math::tf32;
  EXPECT_FALSE(splits(given));
}

}  // namespace
}  // namespace uc
