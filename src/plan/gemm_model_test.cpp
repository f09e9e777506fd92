// The model against times measured on one H200 (the rule book's table: 4096^3, random data, NDEBUG). The
// clusters of rows that the table does not give are assumed: 2x1, and 1x1 for the 64x128 tile.
#include "plan/gemm_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "check/rule_engine.h"
#include "plan/choose.h"
#include "plan/map_model.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}
const DeviceSpec& h200() { return *catalog().device("h200"); }

struct Built {
  Program program;
  std::vector<Launch> launches;
};

Built build(const std::string& source) {
  Built out;
  DiagSink diags;
  out.program = resolve(catalog(), parse(source, diags), diags);
  out.launches = lower(catalog(), out.program, diags);
  for (const Diag& diag : diags.diags()) ADD_FAILURE() << diag.id << ": " << diag.message << "\n" << source;
  return out;
}

constexpr const char* kHalf = "target sm_90a\ninput a: f16[4096, 4096]\ninput b: f16[4096, 4096]\n";

struct Measured {
  const char* what;
  std::string source;
  const char* knobs;
  double tflops;
  double tolerance;  // relative
};

const std::string kChain = " >> bias(v) >> gelu() >> mul(0.5) >> residual(r)\nreturn c\n";
const std::string kChainInputs = "input v: f16[4096]\ninput r: f16[4096, 4096]\n";

const Measured kMeasured[] = {
    {"f16 128x256x64 cooperative", std::string(kHalf) + "c = gemm(a, b){}\nreturn c\n",
     ".tile(128x256x64).cluster(2x1).schedule(cooperative)", 828, 0.06},
    {"f16 128x128x64 pingpong", std::string(kHalf) + "c = gemm(a, b){}\nreturn c\n",
     ".tile(128x128x64).cluster(2x1).schedule(pingpong)", 786, 0.06},
    {"f16 64x128x64 pingpong", std::string(kHalf) + "c = gemm(a, b){}\nreturn c\n",
     ".tile(64x128x64).cluster(1x1).schedule(pingpong)", 420, 0.10},
    {"f16 with bias, gelu, scale, residual", std::string(kHalf) + kChainInputs + "c = gemm(a, b){}" + kChain,
     ".tile(128x256x64).cluster(2x1).schedule(cooperative)", 686, 0.06},
    {"tf32 128x128x32",
     "target sm_90a\nprecision tf32\ninput a: f32[4096, 4096]\ninput b: f32[4096, 4096] @col\nc = gemm(a, "
     "b){}\nreturn c\n",
     ".tile(128x128x32).cluster(2x1).schedule(pingpong)", 376, 0.10},
};

TEST(GemmModel, FollowsTheMeasurements) {
  for (const Measured& row : kMeasured) {
    std::string source = row.source;
    source.replace(source.find("{}"), 2, row.knobs);
    const Built built = build(source);
    const Launch& launch = built.launches.back();
    const GemmTime time =
        gemm_time(std::get<Contraction>(launch.kernel), std::get<ContractionConfig>(launch.config), h200());
    const double modelled = 2.0 * 4096 * 4096 * 4096 / time.total_us / 1e6;
    const double error = modelled / row.tflops - 1;
    RecordProperty(row.what, fmt::format("{:+.1f} %", error * 100));
    std::printf(
        "  %-40s measured %4.0f  modelled %4.0f TFLOP/s  %+5.1f %%  (step %.0f ns: tensor %.0f, smem %.0f, "
        "L2 %.0f; epilogue %.2f us)\n",
        row.what, row.tflops, modelled, error * 100, time.step_us * 1e3, time.tensor_us * 1e3,
        time.smem_us * 1e3, time.l2_us * 1e3, time.epilogue_us);
    EXPECT_LE(std::abs(error), row.tolerance) << row.what;
  }
}

// The L2/12 shape: conversion of x, prepared weights, one GEMM.
double whole_program_us(const std::string& chain, const std::string& knobs) {
  const Built built = build(
      "target sm_90a\nprecision f16\ninput x: f32[1024, 8192]\nparam W: f32[8192, 8192]\nparam b: f32[8192]\n"
      "xh = to(x, f16).vector(8).threads(256)\ny = linear(xh, prepack(W, f16))" +
      knobs + chain + " >> to(f32)\nreturn y\n");
  double modelled = 0;
  for (const Launch& launch : built.launches) {
    if (launch.phase == Phase::load) continue;
    modelled +=
        launch.kernel.index() == 0 ? gemm_model(launch, h200()).total_us : map_model(launch, h200()).total_us;
  }
  return modelled;
}

// Whole programs as the judge timed them (bench/results): normal data, L2 cold, clocks at the power limit.
// They take 1.15 times the modelled time, at the median; what counts for ranking is that this factor is the
// same for all of them.
TEST(GemmModel, FollowsJudgedProgramsUpToOneFactor) {
  struct Judged {
    const char* chain;
    const char* knobs;
    double us;
  };
  constexpr const char* kWide = ".tile(128x256x64).cluster(2x1).schedule(cooperative)";
  const Judged judged[] = {
      {" >> bias(b) >> mul(2.0) >> leaky_relu(0.1)", kWide, 207.8},  // h200_optimize/L2_12.txt
      {" >> bias(b) >> mish() >> mish()", kWide, 214.2},             // L2_29
      {" >> bias(b) >> relu() >> div(2.0)", kWide, 207.4},           // L2_63
      {" >> bias(b) >> map(sigmoid(it) * 2.0 + it)", kWide, 210.0},  // L2_70
      {" >> add(b) >> relu()", kWide, 207.2},                        // L2_76
      {" >> bias(b) >> div(10.0) >> gelu()", kWide, 210.7},          // L2_86
      {" >> bias(b) >> silu() >> div(2.0) >> clamp(min=-1.0, max=1.0) >> tanh()", kWide, 212.7},  // L2_81
  };
  std::vector<double> factors;
  for (const Judged& row : judged) {
    const double modelled = whole_program_us(row.chain, row.knobs);
    std::printf("  %-70s judged %5.1f  modelled %5.1f us  x%.3f\n", row.chain, row.us, modelled,
                row.us / modelled);
    factors.push_back(row.us / modelled);
  }
  std::vector<double> sorted = factors;
  std::ranges::sort(sorted);
  const double middle = sorted[sorted.size() / 2];
  EXPECT_NEAR(middle, 1.12, 0.05);
  for (size_t i = 0; i < factors.size(); ++i) EXPECT_NEAR(factors[i] / middle, 1, 0.04) << judged[i].chain;
}

// bench/results/h200_gemm_sweep.json: one epilogue, 18 configurations, judged in one session. What a search
// that trusts the model loses by it: the measured time of the model's first choice over the best measured
// one.
TEST(GemmModel, ChoosesWellAmongMeasuredConfigurations) {
  struct Judged {
    const char* knobs;
    double us;
  };
  const Judged judged[] = {
      {".tile(128x128x64).cluster(2x1).schedule(cooperative).raster(along_m).swizzle(1)", 238.1},
      {".tile(128x192x64).cluster(2x1).schedule(cooperative).raster(along_m).swizzle(1)", 247.7},
      {".tile(128x256x64).cluster(1x1).schedule(cooperative).raster(along_m).swizzle(1)", 221.5},
      {".tile(128x256x64).cluster(1x2).schedule(cooperative).raster(along_m).swizzle(1)", 229.4},
      {".tile(128x256x64).cluster(2x1).schedule(cooperative).raster(along_m).swizzle(1)", 225.2},
      {".tile(128x256x64).cluster(2x1).schedule(cooperative).raster(along_n).swizzle(8)", 398.1},
      {".tile(256x128x64).cluster(1x2).schedule(cooperative).raster(along_m).swizzle(1)", 225.8},
      {".tile(256x128x64).cluster(2x1).schedule(cooperative).raster(along_m).swizzle(1)", 226.8},
      {".tile(256x192x64).cluster(2x1).schedule(cooperative).raster(along_m).swizzle(1)", 330.0},
      {".tile(128x128x64).cluster(1x1).schedule(pingpong).raster(along_m).swizzle(1)", 235.4},
      {".tile(128x128x64).cluster(1x2).schedule(pingpong).raster(along_m).swizzle(1)", 239.6},
      {".tile(128x128x64).cluster(2x1).schedule(pingpong).raster(along_m).swizzle(1)", 237.0},
      {".tile(128x128x64).cluster(2x1).schedule(pingpong).raster(along_n).swizzle(1)", 261.1},
      {".tile(128x128x64).cluster(2x2).schedule(pingpong).raster(along_m).swizzle(1)", 261.9},
      {".tile(128x192x64).cluster(2x1).schedule(pingpong).raster(along_m).swizzle(1)", 249.6},
      {".tile(192x128x64).cluster(1x2).schedule(pingpong).raster(along_m).swizzle(1)", 255.5},
      {".tile(64x256x64).cluster(1x1).schedule(pingpong).raster(along_m).swizzle(1)", 237.5},
      {".tile(64x256x64).cluster(1x2).schedule(pingpong).raster(along_m).swizzle(1)", 271.7},
  };
  double best = 1e9;
  double chosen = 0;
  double least = 1e9;
  for (const Judged& row : judged) {
    const double modelled = whole_program_us(
        std::string(" >> bias(b) >> add(b) >> silu() >> tanh() >> gelu() >> hardtanh()"), row.knobs);
    std::printf("  %-85s judged %5.1f  modelled %5.1f us  x%.3f\n", row.knobs, row.us, modelled,
                row.us / modelled);
    best = std::min(best, row.us);
    if (modelled < least) {
      least = modelled;
      chosen = row.us;
    }
  }
  EXPECT_LE(chosen, 1.03 * best);
}

TEST(GemmModel, OrdersTheMeasuredTiles) {
  const auto time_of = [](const char* knobs) {
    const Built built = build(std::string(kHalf) + "c = gemm(a, b)" + knobs + "\nreturn c\n");
    return gemm_model(built.launches[0], h200()).total_us;
  };
  const double best = time_of(".tile(128x256x64).cluster(2x1).schedule(cooperative)");
  const double next = time_of(".tile(128x128x64).cluster(2x1).schedule(pingpong)");
  const double last = time_of(".tile(64x128x64).cluster(1x1).schedule(pingpong)");
  EXPECT_LT(best, next);
  EXPECT_LT(next, last);
}

TEST(GemmModel, NeverBeatsTheCeilings) {
  for (const int m : {64, 256, 1000, 4096, 8192}) {
    const Built built = build(fmt::format(
        "target sm_90a\ninput a: f16[{0}, 4096]\ninput b: f16[4096, 4096]\nc = gemm(a, b)\nreturn c\n", m));
    for (const Config& config : gemm_configs(built.launches[0], h200())) {
      const auto& kernel = std::get<Contraction>(built.launches[0].kernel);
      const double time = gemm_time(kernel, std::get<ContractionConfig>(config), h200()).total_us * 1e-6;
      EXPECT_LE(2.0 * m * 4096 * 4096 / time, h200().peak_flops(Math::f16));
      EXPECT_GE(time, (m * 4096 * 2 + 4096 * 4096 * 2) / h200().dram_bytes_per_second() * 0.99);
    }
  }
}

TEST(GemmModel, WavesAndPaddingCount) {
  // 33 tile rows of 128: a cluster of 2 pads to 34; 34 x 16 tiles on 132 SMs are 5 rounds.
  const Built built = build(
      "target sm_90a\ninput a: f16[4224, 512]\ninput b: f16[512, 4096]\nc = gemm(a, "
      "b).tile(128x256x64).cluster(2x1)"
      ".schedule(cooperative)\nreturn c\n");
  const Launch& launch = built.launches[0];
  EXPECT_EQ(
      gemm_time(std::get<Contraction>(launch.kernel), std::get<ContractionConfig>(launch.config), h200())
          .rounds,
      5);
  EXPECT_DOUBLE_EQ(gemm_model(launch, h200()).waves, 34.0 * 16 / 132);
}

TEST(GemmModel, PingpongHidesTheEpilogue) {
  const auto growth = [](const char* knobs) {
    const auto total = [&](const std::string& chain) {
      const Built built =
          build("target sm_90a\ninput a: f16[4096, 4096]\ninput b: f16[4096, 4096]\nc = gemm(a, b)" +
                std::string(knobs) + chain + "\nreturn c\n");
      return gemm_model(built.launches[0], h200()).total_us;
    };
    return total(" >> mish() >> gelu()") - total("");
  };
  EXPECT_LT(growth(".tile(128x128x64).cluster(2x1).schedule(pingpong)"),
            0.5 * growth(".tile(128x128x64).cluster(2x1).schedule(cooperative)"));
}

TEST(GemmConfigs, KeepWhatIsSetAndFitWhatIsNot) {
  const Built built = build(
      "target sm_90a\ninput a: f16[4096, 4096]\ninput b: f16[4096, 4096]\nc = gemm(a, "
      "b).tile(128x192x64).swizzle(4)\nreturn c\n");
  const auto configs = gemm_configs(built.launches[0], h200());
  ASSERT_FALSE(configs.empty());
  for (const Config& each : configs) {
    const auto& config = std::get<ContractionConfig>(each);
    EXPECT_EQ(config.tile_m, 128);
    EXPECT_EQ(config.tile_n, 192);
    EXPECT_EQ(config.swizzle, 4);
    EXPECT_GE(config.stages, 2);
    EXPECT_NE(config.raster, ContractionConfig::Raster::automatic);
  }
}

TEST(GemmConfigs, MostAreLegalAndNoneRepeats) {
  const Built built =
      build("target sm_90a\ninput a: f16[4096, 4096]\ninput b: f16[4096, 4096]\nc = gemm(a, b)\nreturn c\n");
  const auto configs = gemm_configs(built.launches[0], h200());
  size_t good = 0;
  for (size_t i = 0; i < configs.size(); ++i) {
    Launch launch = built.launches[0];
    launch.config = configs[i];
    good += legal(catalog(), built.program, launch, h200()) ? 1 : 0;
    for (size_t k = i + 1; k < configs.size(); ++k) EXPECT_FALSE(configs[i] == configs[k]);
  }
  EXPECT_EQ(good, configs.size());
}

TEST(Choose, IsDeterministicAndRankedByTime) {
  const Built built =
      build("target sm_90a\ninput a: f16[1024, 8192]\ninput b: f16[8192, 8192]\nc = gemm(a, b)\nreturn c\n");
  const auto once = rank_configs(catalog(), built.program, built.launches[0], h200(), 16);
  const auto twice = rank_configs(catalog(), built.program, built.launches[0], h200(), 16);
  ASSERT_EQ(once.size(), 16U);
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].config, twice[i].config);
    if (i == 0) continue;
    EXPECT_LE(once[i - 1].estimate.total_us, once[i].estimate.total_us);
  }
}

// Of two triangles a sixth of the products is left, of one a half; tiles are coarse, and blocks end unevenly.
TEST(GemmModel, LeavesOutTilesOfZeros) {
  const auto total = [](const std::string& a, const std::string& b, const std::string& skip,
                        const std::string& chain) {
    const Built built = build("target sm_90a\ninput a: f16[4096, 4096]" + a + "\ninput b: f16[4096, 4096]" +
                              b + "\nc = gemm(a, b).tile(128x256x64).cluster(2x1).schedule(cooperative)" +
                              skip + chain + "\nreturn c\n");
    const Launch& launch = built.launches.back();
    return gemm_time(std::get<Contraction>(launch.kernel), std::get<ContractionConfig>(launch.config), h200())
        .total_us;
  };
  const double dense = total("", "", "", "");
  const double one = total(" @lower", "", ".skip(zeros)", "") / dense;
  const double two = total(" @lower", " @lower", ".skip(zeros)", "") / dense;
  const double kept = total("", "", ".skip(zeros)", " >> triu()") / dense;
  EXPECT_GT(one, 0.45);
  EXPECT_LT(one, 0.70);
  EXPECT_GT(kept, 0.45);
  EXPECT_LT(kept, 0.70);
  EXPECT_GT(two, 1.0 / 6);
  EXPECT_LT(two, 0.45);
  EXPECT_EQ(total(" @lower", "", "", ""), dense);
}

}  // namespace
}  // namespace uc
