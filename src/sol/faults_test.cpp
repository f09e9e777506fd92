// Faults that were seen in another analyser of the same problems, and figures that were worked out by hand:
// each a bound that must not come back.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "sol/sol.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

Program program_of(const std::string& body) {
  DiagSink diags;
  const std::string source = "target sm_90a\nprecision tf32\n" + body;
  Program program = resolve(catalog(), parse(source, diags), diags);
  for (const Diag& diag : diags.diags()) ADD_FAILURE() << diag.id << ": " << diag.message << "\n" << source;
  return program;
}

SolReport sol_of(const Program& program) {
  return speed_of_light(catalog(), program, *catalog().device("h200"));
}
SolReport sol_of(const std::string& body) { return sol_of(program_of(body)); }

ValueId named(const Program& program, std::string_view name) {
  for (size_t i = 0; i < program.values.size(); ++i) {
    if (program.values[i].name == name) return ValueId(i);
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(SolFaults, LayersOfLstmsCount) {
  // 512 steps of a batch of 10, 128 features, 256 units, 6 layers: a layer has 4 gates of 256 units over its
  // inputs and 256 states. 2 x 5120 x 1024 x (128 + 256 + 5 x (256 + 256)).
  std::string body = "input x: f32[512, 10, 128]\ninput h0: f32[6, 10, 256]\ninput c0: f32[6, 10, 256]\n";
  std::string weights;
  for (int layer = 0; layer < 6; ++layer) {
    body += fmt::format("param w{0}: f32[1024, {1}]\nparam u{0}: f32[1024, 256]\n", layer,
                        layer == 0 ? 128 : 256);
    weights += fmt::format(", w{0}, u{0}", layer);
  }
  const SolReport report =
      sol_of(body + "y, h, c = lstm(x" + weights + ", h0=h0, c0=c0, layers=6)\nreturn y\n");
  EXPECT_EQ(report.work.dense_flops, 2.0 * 5120 * 1024 * (128 + 256 + 5 * 512));
  EXPECT_EQ(report.coverage, 1.0);
}

TEST(SolFaults, MatricesTimesVectorsCount) {
  // One row: 2 x 64 x 32.
  EXPECT_EQ(sol_of("input a: f32[64, 32]\ninput v: f32[32, 1]\ny = gemm(a, v)\nreturn y\n").work.dense_flops,
            4096);
}

TEST(SolFaults, GroupedConvolutionsCountOneGroup) {
  // 4 groups of 8 channels, 2 x 3 x 3 results of 16 channels a group, 8 x 27 taps each: 2 x 64 x 18 x 216.
  EXPECT_EQ(sol_of("input x: f32[1, 32, 4, 5, 5]\nparam W: f32[64, 8, 3, 3, 3]\n"
                   "y = conv3d(x, W, groups=4)\nreturn y\n")
                .work.dense_flops,
            2.0 * 64 * 18 * 216);
}

TEST(SolFaults, DepthwiseConvolutionsCountOneChannel) {
  // 64 x 510 x 510 results, 9 taps of one channel.
  EXPECT_EQ(sol_of("input x: f32[1, 64, 512, 512]\nparam W: f32[64, 1, 3, 3]\n"
                   "y = conv2d(x, W, groups=64)\nreturn y\n")
                .work.dense_flops,
            2.0 * 64 * 510 * 510 * 9);
}

TEST(SolFaults, ReturnedIntermediatesAreWritten) {
  const SolReport report = sol_of("input x: f32[256, 64]\ny = relu(x)\nz = sum(y, dim=1)\nreturn y, z\n");
  EXPECT_EQ(report.work.write_bytes, 256 * 64 * 4.0 + 256 * 4.0);
}

TEST(SolFaults, WeightsThatAreUsedTwiceAreReadOnce) {
  const SolReport report = sol_of(
      "input x: f32[16, 64]\nparam W: f32[64, 64]\ny = linear(x, W) >> relu()\nz = linear(y, W)\nreturn z\n");
  EXPECT_EQ(report.work.read_bytes, 16 * 64 * 4.0 + 64 * 64 * 19 / 8.0);
  EXPECT_EQ(report.work.dense_flops, 2 * 2.0 * 16 * 64 * 64);
}

TEST(SolFaults, SlicesCountWhatTheyName) {
  // Columns 0-9 and 5-14 of 64: fifteen.
  const SolReport report =
      sol_of("input x: f32[128, 64]\np = slice(x, 1, 0, 10)\nq = slice(x, 1, 5, 15)\ny = p + q\nreturn y\n");
  EXPECT_EQ(report.work.read_bytes, 128 * 15 * 4.0);
}

TEST(SolFaults, SoftmaxHasComputeTerms) {
  const SolReport report = sol_of("input x: f32[4096, 393216]\ny = softmax(x)\nreturn y\n");
  const double elements = 4096.0 * 393216;
  EXPECT_EQ(report.work.special_ops, elements);
  EXPECT_EQ(report.work.fma_ops, 4 * elements);
  // Read once, written once: 12.9 GB.
  EXPECT_EQ(report.work.read_bytes + report.work.write_bytes, 2 * elements * 4);
  EXPECT_EQ(report.certified.by, "memory");
}

// In captures there are operators whose results nobody uses.
TEST(SolFaults, DeadInputsAreNotRead) {
  Program program = program_of(
      "input x: f32[64, 64]\ninput dead: f32[512, 512]\nunused = relu(dead)\ny = relu(x)\nreturn y, "
      "unused\n");
  program.results.pop_back();
  EXPECT_EQ(sol_of(program).work.read_bytes, 64 * 64 * 4.0);
}

TEST(SolFigures, CausalAttentionHalvesTheProducts) {
  // 1024 queries see 1 to 1024 keys: 1025 / 2048 of the pairs.
  const SolReport report =
      sol_of("input q: f16[1, 16, 1024, 64]\ny = attention(q, q, q, causal=true)\nreturn y\n");
  EXPECT_EQ(report.work.dense_flops, 4.0 * 16 * 1024 * 1024 * 64);
  EXPECT_NEAR(report.minimum.minimum_flops, report.work.dense_flops * 1025 / 2048, 1);
  EXPECT_EQ(report.rules.at(0).id, "causal-scores");
}

TEST(SolFigures, LongMatrixTimesVectorIsBoundByMemory) {
  // 2048 x 1048576 f32: 8.59 GB at 4.917 TB/s, 4.3 GFLOP.
  const SolReport report =
      sol_of("input a: f32[2048, 1048576]\ninput v: f32[1048576, 1]\ny = gemm(a, v)\nreturn y\n");
  EXPECT_EQ(report.certified.by, "memory");
  EXPECT_NEAR(report.certified.total_us, (2048.0 * 1048576 * 4 + 1048576 * 4) / 4.916736e12 * 1e6, 0.1);
}

// Upper times upper, where that lies in the data alone: a sixth of the products, and the word for it.
TEST(SolFigures, ObservedTrianglesLeaveASixthAndSaySo) {
  Program program =
      program_of("input a: f32[4096, 4096]\ninput b: f32[4096, 4096]\nc = gemm(a, b)\nreturn c\n");
  for (const char* name : {"a", "b"})
    program[named(program, name)].observed = Observed{{"upper"}, {}, {}, {}};
  const SolReport report = sol_of(program);
  EXPECT_EQ(report.work.dense_flops, 2.0 * 4096 * 4096 * 4096);
  EXPECT_NEAR(report.minimum.minimum_flops, 2.0 * 4096 * 4097 * 4098 / 6, 1);
  EXPECT_NEAR(report.promised.total_us, 256.77, 0.01);  // for any inputs: dense
  EXPECT_NEAR(report.certified.total_us, 256.77 / 6, 0.1);
  EXPECT_NEAR(report.calibrated.total_us, 305.83, 0.01);
  for (const SolRule& rule : report.rules) EXPECT_EQ(rule.holds, Holds::observed) << rule.id;
  EXPECT_EQ(report.confidence, "reduced");
}

// A result that never varied needs no work on such inputs, but is written.
TEST(SolFigures, ObservedConstantsNeedNoProducts) {
  Program program =
      program_of("input a: f32[4096, 4096]\ninput b: f32[4096, 4096]\nc = gemm(a, b)\nreturn c\n");
  program[named(program, "c")].observed = Observed{{}, 0.0, {}, {}};
  const SolReport report = sol_of(program);
  EXPECT_EQ(report.minimum.minimum_flops, 0);
  EXPECT_EQ(report.minimum.read_bytes, 0);
  EXPECT_EQ(report.minimum.write_bytes, 67108864);
  EXPECT_NEAR(report.promised.total_us, 256.77, 0.01);
  ASSERT_FALSE(report.rules.empty());
  EXPECT_THAT(report.rules[0].id, "observed-constant");
  EXPECT_EQ(report.rules[0].holds, Holds::observed);
}

// Matrices far larger than what a chip holds have to be read again: with S = (L2 + shared memory + registers)
// / 4 elements at least 2 n^3 / sqrt(S) - 2 S of them move, where 3 n^2 would do with endless caches.
TEST(SolFigures, CachedLevelReadsAgainWhatDoesNotFit) {
  const double n = 65536;
  const SolReport report =
      sol_of("input a: f32[65536, 65536]\ninput b: f32[65536, 65536]\nc = gemm(a, b)\nreturn c\n");
  const DeviceSpec& h200 = *catalog().device("h200");
  const double held =
      (static_cast<double>(h200.l2_bytes) + h200.sms * (static_cast<double>(h200.smem_per_sm) +
                                                        4.0 * static_cast<double>(h200.registers_per_sm))) /
      4;
  const double moved = 2 * n * n * n / std::sqrt(held) - 2 * held;
  ASSERT_GT(moved, 3 * n * n);
  const double tensor = 2 * n * n * n / (2048.0 * 132 * 1.98e9) * 1e6;
  const auto cached = std::ranges::find(report.levels, "cached", &SolLevel::name);
  ASSERT_NE(cached, report.levels.end());
  EXPECT_NEAR(cached->theoretical_us, std::max(tensor, moved * 4 / 4.916736e12 * 1e6), 1);
}

}  // namespace
}  // namespace uc
