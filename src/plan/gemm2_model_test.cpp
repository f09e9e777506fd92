// The model of CUTLASS 2 kernels against what was measured on an H200, and the choices that follow from it.
#include "plan/gemm2_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/choose.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

struct Best {
  ContractionConfig config;
  double us = 0;
};

// Of linear(a, b) with operands of that type.
Best best(std::string_view target, std::string_view type, int64_t m, int64_t n, int64_t k,
          std::string_view knobs) {
  const std::string source = fmt::format(
      "target {}\nprecision tf32\ninput a: {}[{}, {}]\ninput b: {}[{}, {}]\nc = linear(a, b){} >> "
      "to(f32)\nreturn c\n",
      target, type, m, k, type, n, k, knobs);
  DiagSink diags;
  const Program program = resolve(catalog(), parse(source, diags), diags);
  const auto launches = lower(catalog(), program, diags);
  EXPECT_FALSE(diags.has_errors()) << source;
  const auto ranked =
      rank_configs(catalog(), program, launches.at(0), *catalog().device_of_target(target), 1);
  EXPECT_FALSE(ranked.empty()) << source;
  if (ranked.empty()) return {};
  return {std::get<ContractionConfig>(ranked[0].config), ranked[0].estimate.total_us};
}

// TFLOP/s at 4096^3, measured on an H200 with CUTLASS 2 kernels. They fitted the shares of
// plan/gemm2_choices.cpp, so this holds the model to them, no more.
TEST(Gemm2Model, IsNearWhatWasMeasured) {
  struct Measured {
    const char* type;
    const char* knobs;
    double tflops;
  };
  for (const auto& [type, knobs, tflops] :
       {Measured{"f16", ".backend(cutlass2)", 479}, Measured{"f32", ".backend(cutlass2).math(tf32)", 218},
        Measured{"f32", ".math(tf32x3)", 71}, Measured{"f32", ".math(f32)", 51}}) {
    const double us = best("sm_90a", type, 4096, 4096, 4096, knobs).us;
    EXPECT_NEAR(2.0 * 4096 * 4096 * 4096 / us / 1e6 / tflops, 1, 0.15) << type << knobs;
  }
}

TEST(Gemm2Model, NoKernelBeatsTheUnitsThatItUses) {
  for (const char* target : {"sm_80", "sm_86", "sm_89", "sm_90a"}) {
    for (const char* type : {"f16", "f32", "f64"}) {
      const double us = best(target, type, 4096, 4096, 4096, ".schedule(multistage)").us;
      const Math math = std::string_view(type) == "f16"   ? Math::f16
                        : std::string_view(type) == "f32" ? Math::tf32
                                                          : Math::f64;
      EXPECT_LT(2.0 * 4096 * 4096 * 4096 / us * 1e6, catalog().device_of_target(target)->peak_flops(math))
          << target << type;
    }
  }
}

// One tile of 64 x 64 leaves 107 SMs of an A100 idle; 4096^2 results occupy all of them.
TEST(Gemm2Model, SplitsKWhereTilesAreFew) {
  EXPECT_GT(best("sm_80", "f16", 64, 64, 65536, "").config.split, 4);
  EXPECT_EQ(best("sm_80", "f16", 4096, 4096, 4096, "").config.split, 0);
  EXPECT_GE(best("sm_80", "f16", 4096, 4096, 4096, ".scheduler(split_k)").config.split, 2);
  EXPECT_EQ(best("sm_80", "f16", 64, 64, 65536, ".split(3)").config.split, 3);
}

TEST(Gemm2Model, LargeProblemsTakeLargeTiles) {
  const ContractionConfig large = best("sm_80", "f16", 8192, 8192, 8192, "").config;
  const ContractionConfig small = best("sm_80", "f16", 192, 192, 512, "").config;
  EXPECT_GE(large.tile_m * large.tile_n, 128 * 128);
  EXPECT_EQ(small.tile_m * small.tile_n, 64 * 64);
}

// Single halves wait in registers beside the accumulators: 128x256x64 would need 128 and 48 of them a thread.
TEST(Gemm2Model, OddHalvesTakeTilesThatDoNotSpill) {
  const ContractionConfig odd = best("sm_90a", "f16", 8191, 8191, 8191, "").config;
  EXPECT_EQ(odd.stages, 2);
  EXPECT_LE(odd.tile_m * odd.tile_n / 256 + (odd.tile_m + odd.tile_n) * odd.tile_k / 512, 152);
  EXPECT_EQ(best("sm_90a", "f16", 8191, 8191, 8191, ".tile(128x256x64)").config.tile_k, 64);
}

// A block of SM86 has 99 KiB: 128x128x32 of f16 in 3 stages are 48, 256x128x64 would be 144.
TEST(Gemm2Model, StagesFitTheTarget) {
  for (const char* target : {"sm_80", "sm_86", "sm_89", "sm_90a"}) {
    const ContractionConfig config = best(target, "f16", 8192, 8192, 8192, ".schedule(multistage)").config;
    EXPECT_LE((config.tile_m + config.tile_n) * config.tile_k * 2 * config.stages,
              catalog().device_of_target(target)->smem_per_block)
        << target;
    EXPECT_GE(config.stages, 3) << target;
  }
}

}  // namespace
}  // namespace uc
