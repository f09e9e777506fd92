// Bounds against figures worked out by hand, and against PyTorch's measured times: nothing may be faster than
// certified.
#include "sol/sol.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "sol/graph.h"
#include "sol/work.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

Program program_of(const std::string& source) {
  DiagSink diags;
  const ast::File tree = parse(source, diags);
  Program program = resolve(catalog(), tree, diags);
  for (const Diag& diag : diags.diags()) ADD_FAILURE() << diag.id << ": " << diag.message << "\n" << source;
  return program;
}

SolReport sol_of(const std::string& source, const SolOptions& options = {}) {
  return speed_of_light(catalog(), program_of(source), *catalog().device("h200"), options);
}

std::string square(std::string_view precision, std::string_view type = "f32") {
  return fmt::format(
      "target sm_90a\nprecision {}\ninput a: {}[4096, 4096]\ninput b: {}[4096, 4096]\nc = gemm(a, b)\nreturn "
      "c\n",
      precision, type, type);
}

double level(const SolReport& report, std::string_view name) {
  for (const SolLevel& each : report.levels) {
    if (each.name == name) return each.theoretical_us;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(Sol, SquareMatmulByHand) {
  // 2 x 4096^3 = 137.439 GFLOP (not 275: a MAC is two FLOPs once); three matrices of 64 MiB = 201.3 MB in
  // f32.
  const SolReport report = sol_of(square("tf32"));
  EXPECT_DOUBLE_EQ(report.work.dense_flops, 137438953472.0);
  EXPECT_DOUBLE_EQ(report.work.read_bytes, 134217728.0);
  EXPECT_DOUBLE_EQ(report.work.write_bytes, 67108864.0);
  // tf32: 2048 FLOP x 132 SMs x 1.98 GHz = 535.27 TFLOP/s.
  EXPECT_NEAR(report.certified.total_us, 256.77, 0.01);
  EXPECT_EQ(report.certified.by, "tensor");
  // Calibrated: 449.4 TFLOP/s (data/calibration/h200.json).
  EXPECT_NEAR(report.calibrated.total_us, 305.83, 0.01);
  EXPECT_EQ(report.confidence, "high");
  EXPECT_EQ(report.coverage, 1.0);
}

TEST(Sol, PrecisionsOfTheSquareMatmul) {
  EXPECT_NEAR(sol_of(square("f16")).certified.total_us, 128.38, 0.01);  // 1070.5 TFLOP/s
  EXPECT_NEAR(sol_of(square("bf16")).certified.total_us, 128.38, 0.01);
  EXPECT_NEAR(sol_of(square("strict")).certified.total_us, 385.15,
              0.02);  // the fastest faithful way: f16's rate / 3
  const SolReport report = sol_of(square("tf32"));
  const auto what = [&](std::string_view math) -> const SolWhatIf& {
    return *std::ranges::find(report.what_if, math, &SolWhatIf::math);
  };
  EXPECT_NEAR(what("f32").certified.total_us, 2054.2, 0.2);  // 66.9 TFLOP/s
  EXPECT_NEAR(what("tf32x3").certified.total_us, 770.3, 0.1);
  EXPECT_NEAR(what("f16x3").certified.total_us, 385.15, 0.02);
  EXPECT_NEAR(what("f8").certified.total_us, 64.19, 0.01);
  EXPECT_EQ(what("tf32").precision, "tf32");
}

TEST(Sol, DataGivenInHalfIsMultipliedInHalf) {
  const SolReport report = sol_of(square("strict", "f16"));
  EXPECT_NEAR(report.certified.total_us, 128.38, 0.01);
  EXPECT_EQ(report.steps.at(0).math, "f16");
}

// That a program rounds f32 data to f16 is its own choice: the table still says what the others would take.
TEST(Sol, WhatIfLooksBehindConversions) {
  const SolReport report = sol_of(
      "target sm_90a\nprecision f16\ninput a: f32[4096, 4096]\ninput b: f32[4096, 4096]\nx, y = to(a, b, "
      "f16)\nc = gemm(x, y) >> "
      "to(f32)\nreturn c\n");
  EXPECT_NEAR(report.certified.total_us, 128.38, 0.01);
  const auto tf32 = std::ranges::find(report.what_if, "tf32", &SolWhatIf::math);
  EXPECT_NEAR(tf32->certified.total_us, 256.77, 0.01);
}

TEST(Sol, LowerClockScalesTheBound) {
  SolOptions options;
  options.clock_mhz = 990;
  EXPECT_NEAR(sol_of(square("tf32"), options).certified.total_us, 2 * 256.77, 0.02);
}

TEST(Sol, PointwiseIsBoundByMemory) {
  // 65536 x 16384 f32 (L1/5): 4.295 GB read, as much written, less the 62.9 MB that may stay in L2; 4.9167
  // TB/s.
  const SolReport report = sol_of("target sm_90a\ninput x: f32[65536, 16384]\ny = x * 3.14\nreturn y\n");
  EXPECT_EQ(report.certified.by, "memory");
  EXPECT_NEAR(report.certified.total_us, (2 * 4294967296.0 - 62914560.0) / 4.916736e12 * 1e6, 0.1);
  EXPECT_EQ(report.work.dense_flops, 0.0);
}

TEST(Sol, SmallResultsMayStayInL2) {
  const SolReport report = sol_of("target sm_90a\ninput x: f32[1024, 1024]\ny = relu(x)\nreturn y\n");
  EXPECT_NEAR(report.certified.total_us, 4194304.0 / 4.916736e12 * 1e6, 0.001);  // the read alone
}

TEST(Sol, StorageIsCountedOnce) {
  // x read by two operators, and again through a transposed view: 4 KiB once. y returned twice as views:
  // written once.
  const SolReport report = sol_of(
      "target sm_90a\ninput x: f32[32, 32]\ny = x + transpose(x)\nz = y * x\nw = transpose(z)\nreturn z, "
      "w\n");
  EXPECT_DOUBLE_EQ(report.work.read_bytes, 4096.0);
  EXPECT_DOUBLE_EQ(report.work.write_bytes, 4096.0);
}

TEST(Sol, BroadcastOperandsCountTheirDistinctElements) {
  const SolReport report =
      sol_of("target sm_90a\ninput x: f32[64, 1, 32]\ny = expand(x, [64, 128, 32]) * 2.0\nreturn y\n");
  EXPECT_DOUBLE_EQ(report.work.read_bytes, 64 * 32 * 4.0);
  EXPECT_DOUBLE_EQ(report.work.write_bytes, 64 * 128 * 32 * 4.0);
}

TEST(Sol, ReturnedIntermediatesAreWritten) {
  const SolReport report =
      sol_of("target sm_90a\ninput x: f32[64, 64]\ny = relu(x)\nz = y * 2.0\nreturn y, z\n");
  EXPECT_DOUBLE_EQ(report.work.write_bytes, 2 * 64 * 64 * 4.0);
}

TEST(Sol, DeadStepsCostNothing) {
  const SolReport report = sol_of(
      "target sm_90a\nprecision tf32\ninput x: f32[64, 64]\ninput y: f32[64, 64]\nz = relu(x)\nreturn z\n");
  EXPECT_DOUBLE_EQ(report.work.read_bytes, 64 * 64 * 4.0);
  EXPECT_DOUBLE_EQ(report.work.dense_flops, 0.0);
}

// A bound is no higher than what the device's fastest faithful unit takes: a GeForce's FP32 lanes.
TEST(Sol, StrictTakesTheDevicesFastestFaithfulUnit) {
  const Program program = program_of(
      "target sm_90a\nprecision strict\ninput a: f32[4096, 4096]\ninput b: f32[4096, 4096]\ny = gemm(a, "
      "b)\nreturn y\n");
  for (const DeviceSpec* device : catalog().devices()) {
    const double us = 2.0 * 4096 * 4096 * 4096 / device->peak_flops(Math::f32) * 1e6;
    EXPECT_LE(speed_of_light(catalog(), program, *device).certified.tensor_us, us * (1 + 1e-9))
        << device->name;
  }
}

// Weights may be prepared when they are loaded, and stored as narrow as the precision allows: tf32 has 19
// bits.
TEST(Sol, PreparedWeightsCountAsTheyCanBeStored) {
  const auto source = [](std::string_view precision) {
    return fmt::format(
        "target sm_90a\nprecision {}\ninput x: f32[16, 4096]\nparam W: f32[4096, 4096]\ny = linear(x, "
        "W)\nreturn y\n",
        precision);
  };
  EXPECT_DOUBLE_EQ(sol_of(source("tf32")).work.read_bytes, 16 * 4096 * 4.0 + 4096.0 * 4096 * 19 / 8);
  EXPECT_DOUBLE_EQ(sol_of(source("f16")).work.read_bytes, 16 * 4096 * 4.0 + 33554432.0);
  const std::string prepared =
      "target sm_90a\nprecision f16\ninput x: f32[16, 4096]\nparam W: f32[4096, 4096]\nxh = to(x, f16)\n"
      "y = linear(xh, prepack(W, f16)) >> to(f32)\nreturn y\n";
  const SolReport report = sol_of(prepared);
  EXPECT_DOUBLE_EQ(report.work.read_bytes, 16 * 4096 * 4.0 + 33554432.0);
  EXPECT_EQ(report.steps.at(1).names, "(prepared)");
  EXPECT_TRUE(report.steps.at(1).at_load);
  EXPECT_EQ(report.steps.at(1).share, 0.0);
}

TEST(Sol, SpecialFunctionsAreCountedApart) {
  // sigmoid takes an exponential and a reciprocal: two special-function results an element
  // (scalars/transcendental.cpp).
  const SolReport report = sol_of("target sm_90a\ninput x: f32[128, 128]\ny = sigmoid(x)\nreturn y\n");
  EXPECT_DOUBLE_EQ(report.work.special_ops, 2.0 * 128 * 128);
  EXPECT_EQ(report.work.dense_flops, 0.0);
}

TEST(Sol, TriangularOperandsHalveTheWork) {
  // Lower x lower, both 64 x 64: n (n + 1) (n + 2) / 6 MACs (L1/15's bound), and half of the bytes.
  const std::string source =
      "target sm_90a\nprecision tf32\ninput a: f32[64, 64] @lower\ninput b: f32[64, 64] @lower\nc = gemm(a, "
      "b)\nreturn c\n";
  const SolReport report = sol_of(source);
  EXPECT_DOUBLE_EQ(report.work.dense_flops, 2.0 * 64 * 64 * 64);
  EXPECT_NEAR(report.work.minimum_flops, 2.0 * 64 * 65 * 66 / 6, 1e-6);
  EXPECT_NEAR(report.work.read_bytes, 2 * 64 * 65 / 2 * 4.0, 1e-6);
  // One rule for the product, one for each operand's bytes; all hold for whatever data keeps the declaration.
  ASSERT_THAT(report.rules, ::testing::SizeIs(3));
  EXPECT_EQ(report.rules[0].id, "triangular-product");
  EXPECT_EQ(report.rules[0].where, "gemm of `c`");
  EXPECT_EQ(report.rules[1].id, "structured-operand");
  for (const SolRule& rule : report.rules) EXPECT_EQ(rule.holds, Holds::always);
}

TEST(Sol, TriangularWorkMatchesACount) {
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{{"lower", "lower"},
                                                                             {"lower", "upper"},
                                                                             {"upper", "upper"},
                                                                             {"diag", "lower"},
                                                                             {"diag", "diag"},
                                                                             {"", "upper"}}) {
    const int n = 16;
    const auto holds = [](const std::string& kind, int row, int column) {
      return kind.empty() || (kind == "lower" && column <= row) || (kind == "upper" && column >= row) ||
             (kind == "diag" && row == column);
    };
    double macs = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) macs += holds(a, i, k) && holds(b, k, j) ? 1 : 0;
      }
    }
    const auto attribute = [](const std::string& kind) { return kind.empty() ? kind : " @" + kind; };
    const std::string source = "target sm_90a\nprecision tf32\ninput a: f32[16, 16]" + attribute(a) +
                               "\ninput b: f32[16, 16]" + attribute(b) + "\nc = gemm(a, b)\nreturn c\n";
    EXPECT_NEAR(sol_of(source).work.minimum_flops, 2 * macs, 1e-6) << a << " x " << b;
  }
}

TEST(Sol, LevelsAreOrdered) {
  const SolReport report = sol_of(
      "target sm_90a\nprecision f16\ninput x: f32[1024, 2048]\nparam W: f32[4096, 2048]\nparam b: "
      "f32[4096]\nxh = to(x, f16)\n"
      "y = linear(xh, prepack(W, f16)) >> bias(b) >> to(f16)\nz = gelu(y)\nw = z * 2.0\nreturn w\n");
  EXPECT_LE(level(report, "fused"), level(report, "grouped"));
  EXPECT_LE(level(report, "grouped"), level(report, "written"));
  EXPECT_LE(level(report, "written"), level(report, "unfused"));
  const auto kernels = [&](std::string_view name) {
    return std::ranges::find(report.levels, name, &SolLevel::name)->kernels;
  };
  EXPECT_EQ(kernels("fused"), 1U);
  EXPECT_EQ(kernels("grouped"), 2U);  // to; linear with everything after it
  EXPECT_EQ(kernels("written"), 4U);
  EXPECT_EQ(kernels("unfused"), 6U);  // to, linear, bias, to, gelu, mul
}

TEST(Sol, ChainsOfProductsAreMultipliedInTheirCheapestOrder) {
  // (a b) c takes 2 x 64 x 64 x 64 + 2 x 64 x 64 = 532480 FLOPs, a (b c) 2 x (64 x 64 + 64 x 64) = 16384.
  const SolReport report = sol_of(
      "target sm_90a\nprecision tf32\ninput a: f32[64, 64]\ninput b: f32[64, 64]\ninput c: f32[64, 1]\nt = "
      "gemm(a, b)\ny = gemm(t, c)\nreturn y\n");
  EXPECT_EQ(report.work.dense_flops, 532480);
  EXPECT_NEAR(report.minimum.minimum_flops, 16384, 1e-6);
  ASSERT_FALSE(report.rules.empty());
  EXPECT_THAT(report.rules.front().id, "product-order");
  EXPECT_EQ(report.rules.front().holds, Holds::always);
}

TEST(Sol, ChainsLookThroughTransposesAndPreparedFactors) {
  // t = a b is 8 x 4, c t' is 2 x 8 as written: 2 x 8 x 16 x 4 + 2 x 2 x 4 x 8 = 1152. (c b') a' needs the
  // same first product of 2 x 4 x 16 and 2 x 16 x 8: 2 x 128 + 2 x 256 = 768.
  EXPECT_NEAR(sol_of("target sm_90a\nprecision tf32\ninput a: f32[8, 16]\ninput b: f32[16, 4]\n"
                     "input c: f32[2, 4]\nt = gemm(a, b)\ny = gemm(c, transpose(t))\nreturn y\n")
                  .minimum.minimum_flops,
              768, 1e-6);
  // Two weights without anything between: their product is one weight of 8 x 32, made at load.
  EXPECT_NEAR(sol_of("target sm_90a\nprecision tf32\ninput x: f32[4, 32]\nparam V: f32[64, 32]\n"
                     "param W: f32[8, 64]\nt = linear(x, V)\ny = linear(t, W)\nreturn y\n")
                  .minimum.minimum_flops,
              2.0 * 4 * 32 * 8, 1e-6);
  // A product that is returned has to be made.
  const SolReport kept = sol_of(
      "target sm_90a\nprecision tf32\ninput a: f32[64, 64]\ninput b: f32[64, 64]\ninput c: f32[64, 1]\nt = "
      "gemm(a, b)\ny = gemm(t, c)\nreturn t, y\n");
  EXPECT_EQ(kept.minimum.minimum_flops, kept.work.dense_flops);
}

TEST(Sol, VerdictsAndScore) {
  const SolReport report = sol_of(square("tf32"));  // certified 256.77, calibrated 305.83
  EXPECT_EQ(sol_verdict(report, 0.89 * 256.77).word, "impossible");
  EXPECT_EQ(sol_verdict(report, 0.91 * 256.77).word, "review");
  EXPECT_EQ(sol_verdict(report, 300.0).word, "review");
  EXPECT_EQ(sol_verdict(report, 316.0).word, "plausible");
  EXPECT_NEAR(*sol_verdict(report, 500, 500).score, 0.5, 1e-12);
  EXPECT_EQ(sol_score(100, 100, 300), 1.0);
  EXPECT_EQ(sol_score(50, 100, 300), 1.0);
  EXPECT_NEAR(sol_score(200, 100, 300), 1 / 1.5, 1e-12);
  EXPECT_NEAR(sol_score(400, 100, 50), 0.25,
              1e-12);  // a baseline below the bound is no reason to divide by zero
  EXPECT_EQ(sol_score(400, 100, 100), 0.25);
}

TEST(Sol, JsonHasTheSchemaAndTheNumbers) {
  SolOptions options;
  options.time_us = 400;
  options.base_us = 500;
  const SolReport report = sol_of(square("tf32"), options);
  const auto json = nlohmann::json::parse(sol_json(report));
  EXPECT_EQ(json["schema"], "ucutlass.sol/1");
  EXPECT_EQ(json["device"]["name"], "h200");
  EXPECT_EQ(json["work"]["dense_flops"], 137438953472.0);
  EXPECT_EQ(json["certified"]["us"], report.certified.total_us);
  EXPECT_EQ(json["levels"].size(), 5U);
  EXPECT_EQ(json["minimum"]["minimum_flops"], 137438953472.0);
  EXPECT_EQ(json["promised"]["us"], report.certified.total_us);
  EXPECT_TRUE(json["rules"].empty());
  EXPECT_TRUE(json["uncovered"].empty());
  EXPECT_EQ(json["what_if"].size(), 7U);
  EXPECT_EQ(json["verdict"]["word"], "plausible");
}

TEST(Sol, TextNamesBothCeilings) {
  const std::string text = sol_text(sol_of(square("tf32")));
  for (const char* part : {"certified", "256.8 us", "calibrated", "305.8 us", "137 GFLOP", "134 MB read",
                           "67.1 MB written", "by tensor"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(part));
  }
}

}  // namespace
}  // namespace uc
