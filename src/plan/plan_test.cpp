// Buffers, written knobs and pointwise candidates.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/buffers.h"
#include "plan/choose.h"
#include "plan/map_model.h"
#include "syntax/parser.h"
#include "syntax/print.h"

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
  for (const Diag& diag : diags.diags()) {
    if (diag.severity == Severity::error) ADD_FAILURE() << diag.id << ": " << diag.message << "\n" << source;
  }
  return out;
}

// ---- buffers

std::set<ValueId> reads_and_writes(const Launch& launch) {
  std::set<ValueId> out;
  if (const auto* gemm = std::get_if<Contraction>(&launch.kernel)) {
    out = {gemm->a.value, gemm->b.value};
    for (const View& view : gemm->epilogue.views) out.insert(view.value);
  } else {
    for (const Map::Body& body : std::get<Map>(launch.kernel).bodies) {
      for (const View& view : body.scalar.views) out.insert(view.value);
    }
  }
  return out;
}

int64_t memory_bytes(const Value& value) {
  int64_t last = 1;
  for (size_t d = 0; d < value.shape.size(); ++d) last += (value.shape[d] - 1) * value.stride[d];
  return last * size_bytes(value.dtype);
}

// Every two workspace tensors that live at the same time lie apart, and every tensor lies within the
// workspace.
void expect_sound(const Built& built, const std::string& source) {
  const BufferPlan plan = plan_buffers(built.program, built.launches);
  std::map<ValueId, std::pair<size_t, size_t>> life;  // first and last launch
  for (size_t i = 0; i < built.launches.size(); ++i) {
    for (const ValueId value : reads_and_writes(built.launches[i])) {
      const auto [entry, fresh] = life.try_emplace(value, i, i);
      entry->second.second = i;
    }
  }
  for (const auto& [a, span] : life) {
    const Location& where = plan.location[a.index()];
    ASSERT_NE(where.kind, Location::Kind::none) << source;
    if (where.kind != Location::Kind::workspace && where.kind != Location::Kind::packed) continue;
    const size_t total = where.kind == Location::Kind::workspace ? plan.workspace_bytes : plan.packed_bytes;
    const auto size = static_cast<size_t>(memory_bytes(built.program[a]));
    EXPECT_EQ(where.offset % 256, 0U);
    EXPECT_LE(where.offset + size, total) << source;
    for (const auto& [b, other] : life) {
      const Location& there = plan.location[b.index()];
      const bool together =
          where.kind == Location::Kind::packed || (span.first <= other.second && other.first <= span.second);
      if (a == b || there.kind != where.kind || !together) continue;
      const auto other_size = static_cast<size_t>(memory_bytes(built.program[b]));
      EXPECT_TRUE(where.offset + size <= there.offset || there.offset + other_size <= where.offset)
          << built.program[a].name << " and " << built.program[b].name << " overlap in\n"
          << source;
    }
  }
}

// A random straight line of pointwise steps and gemms over a few shapes; every value has the shape [64, 64].
std::string random_program(std::mt19937& random) {
  const auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  std::string source = "target sm_90a\nprecision tf32\ninput x0: f32[64, 64]\nparam w: f32[64, 64]\n";
  std::vector<std::string> names{"x0"};
  const size_t steps = 3 + pick(12);
  for (size_t i = 1; i <= steps; ++i) {
    const std::string a = names[pick(names.size())];
    const std::string b = names[pick(names.size())];
    switch (pick(4)) {
      case 0: source += fmt::format("x{} = {} + {}\n", i, a, b); break;
      case 1: source += fmt::format("x{} = linear({}, prepack(w * {}.0)) >> relu()\n", i, a, i + 1); break;
      case 2: source += fmt::format("x{} = relu({}) * transpose({})\n", i, a, b); break;
      default: source += fmt::format("x{} = {} * 2.0 >> add({})\n", i, a, b); break;
    }
    names.push_back(fmt::format("x{}", i));
  }
  return source + fmt::format("return x{}\n", steps);
}

TEST(Buffers, RandomProgramsNeverOverlap) {
  std::mt19937 random(20260711);
  for (int i = 0; i < 300; ++i) {
    const std::string source = random_program(random);
    expect_sound(build(source), source);
    if (HasFailure()) return;
  }
}

TEST(Buffers, MemoryIsReusedAfterTheLastReader) {
  // Four values in a row: while one is written its predecessor is read, so two stretches are enough.
  const Built built = build(
      "target sm_90a\ninput x: f32[256, 256]\na = relu(x)\nb = relu(a)\nc = relu(b)\nd = relu(c)\ne = "
      "relu(d)\nreturn e\n");
  EXPECT_EQ(plan_buffers(built.program, built.launches).workspace_bytes, 2U * 256 * 256 * 4);
}

TEST(Buffers, ResultsAndWeightsHaveTheirOwnPlaces) {
  const Built built = build(
      "target sm_90a\nprecision f16\ninput x: f32[64, 128]\nparam W: f32[256, 128]\nxh = to(x, f16)\ny = "
      "linear(xh, prepack(W, f16)) >> to(f32)\nreturn y\n");
  const BufferPlan plan = plan_buffers(built.program, built.launches);
  EXPECT_EQ(plan.packed_bytes, 256U * 128 * 2);
  EXPECT_EQ(plan.workspace_bytes, 64U * 128 * 2);
  EXPECT_EQ(plan.location[built.program.results[0].index()].kind, Location::Kind::output);
  EXPECT_EQ(plan.location[built.program.inputs[0].index()].kind, Location::Kind::input);
  EXPECT_EQ(plan.location[built.program.params[0].index()].kind, Location::Kind::param);
}

// ---- knobs

TEST(Choose, WritesEveryKnobAndReadsItBack) {
  Built built = build(
      "target sm_90a\ninput a: f16[1024, 1024]\ninput b: f16[1024, 1024]\nx = relu(a)\nc = gemm(x, "
      "b)\nreturn c\n");
  DiagSink diags;
  choose_automatic(catalog(), built.program, built.launches, h200(), diags);
  ASSERT_FALSE(diags.has_errors());
  const std::string text = print(catalog(), write_knobs(catalog(), built.program, built.launches));
  for (const char* knob :
       {".tile(", ".cluster(", ".stages(", ".schedule(", ".raster(", ".swizzle(", ".vector(", ".threads("}) {
    EXPECT_NE(text.find(knob), std::string::npos) << knob << " in\n" << text;
  }
  EXPECT_EQ(text.find(".math("), std::string::npos) << "f16 data is multiplied in one form only\n" << text;
  Built again = build(text);
  ASSERT_EQ(again.launches.size(), built.launches.size());
  for (size_t i = 0; i < built.launches.size(); ++i)
    EXPECT_EQ(again.launches[i].config, built.launches[i].config);
  // What is written stays as it is.
  choose_automatic(catalog(), again.program, again.launches, h200(), diags);
  EXPECT_EQ(print(catalog(), write_knobs(catalog(), again.program, again.launches)), text);
}

TEST(Choose, SaysWhyNoBackEndTakesAStep) {
  Built built = build(
      "target sm_90a\ninput a: f32[64, 64]\ninput b: f32[64, 64]\nc = gemm(a, b).backend(cutlass3)\nreturn "
      "c\n");
  DiagSink diags;
  choose_automatic(catalog(), built.program, built.launches, h200(), diags);
  ASSERT_EQ(diags.diags().size(), 1U);
  EXPECT_EQ(diags.diags()[0].id, "UC1905");
  EXPECT_NE(diags.diags()[0].help.find("f32 operands as f32"), std::string::npos);
}

Math chosen_math(const std::string& text) {
  Built built = build(text);
  choose_math(catalog(), built.program, built.launches, *catalog().device_of_target(built.program.target));
  return std::get<Contraction>(built.launches.at(0).kernel).math;
}

TEST(Choose, MultipliesF32DataAsExactlyAsF32) {
  const std::string large = "input a: f32[2048, 2048]\ninput b: f32[2048, 2048]\nc = gemm(a, b)";
  EXPECT_EQ(chosen_math("target sm_90a\n" + large + "\nreturn c\n"), Math::f16x3);
  EXPECT_EQ(chosen_math("target sm_90a\nprecision tf32\n" + large + "\nreturn c\n"), Math::tf32);
}

// Tensor cores split f32 where they are much faster than FMA units.
TEST(Choose, FormsThatAreExactDependOnTheDevice) {
  const std::string large = "input a: f32[4096, 4096]\ninput b: f32[4096, 4096]\nc = gemm(a, b)\nreturn c\n";
  EXPECT_EQ(chosen_math("target sm_80\n" + large), Math::tf32x3);
  EXPECT_EQ(chosen_math("target sm_86\n" + large), Math::f32);
  EXPECT_EQ(chosen_math("target sm_89\n" + large), Math::f32);
}

std::pair<std::string, std::string> backend_chosen(std::string_view knobs, std::string_view target,
                                                   std::string_view type, int64_t k) {
  const Built built =
      build(fmt::format("target {}\nprecision tf32\ninput a: {}[512, {}]\ninput b: {}[512, {}]\n"
                        "c = linear(a, b){} >> to(f32)\nreturn c\n",
                        target, type, k, type, k, knobs));
  const auto ranked =
      rank_configs(catalog(), built.program, built.launches.at(0), *catalog().device_of_target(target), 1);
  if (ranked.empty()) return {};
  return {std::string(ranked[0].backend->id), std::get<ContractionConfig>(ranked[0].config).backend};
}

// The first that does not refuse stays unwritten, so that programs keep their names.
ContractionConfig chosen(const std::string& shape_and_knobs) {
  Built built = build("target sm_90a\n" + shape_and_knobs + "\nreturn c\n");
  DiagSink diags;
  choose_automatic(catalog(), built.program, built.launches, h200(), diags);
  return std::get<ContractionConfig>(built.launches.at(0).config);
}

// Four tiles of 128 x 128 for 132 SMs, each of 2048 steps; and 512 tiles, where slices would only add
// traffic.
TEST(Choose, CutsALongKWhereTilesAreFew) {
  const std::string deep = "input a: f16[256, 131072]\ninput w: f16[256, 131072]\nc = linear(a, w)";
  const ContractionConfig few = chosen(deep);
  EXPECT_EQ(few.scheduler, ContractionConfig::Scheduler::split_k);
  EXPECT_GE(few.split * (256 / few.tile_m) * (256 / few.tile_n), 120);
  EXPECT_EQ(chosen(deep + ".scheduler(persistent)").split, 0);
  EXPECT_EQ(chosen(deep + ".split(1)").split, 1);
  EXPECT_EQ(chosen(deep + ".split(7)").split, 7);
  EXPECT_EQ(chosen("input a: f16[4096, 4096]\ninput w: f16[4096, 4096]\nc = linear(a, w)").split, 0);
}

TEST(Choose, TakesTheNextBackEndWhereTheFirstCannot) {
  using Chosen = std::pair<std::string, std::string>;
  const Chosen usual{"cutlass3.contraction", "auto"};
  const Chosen misaligned{"cutlass2.contraction", "cutlass2"};
  const Chosen only_tensor{"cutlass2.contraction", "auto"};
  const Chosen only_simt{"simt.contraction", "auto"};
  EXPECT_EQ(backend_chosen("", "sm_90a", "f16", 64), usual);
  EXPECT_EQ(backend_chosen("", "sm_90a", "f16", 65), misaligned);
  EXPECT_EQ(backend_chosen("", "sm_90a", "f32", 66), misaligned);
  EXPECT_EQ(backend_chosen(".math(f32)", "sm_90a", "f32", 64), only_simt);
  EXPECT_EQ(backend_chosen(".math(tf32x3)", "sm_90a", "f32", 64), only_tensor);
  EXPECT_EQ(backend_chosen(".schedule(multistage)", "sm_90a", "f16", 1024), only_tensor);
  EXPECT_EQ(backend_chosen("", "sm_80", "f16", 64), only_tensor);
  EXPECT_EQ(backend_chosen(".math(f32)", "sm_86", "f32", 64), only_simt);
}

TEST(Choose, SaysWhenNothingLegalIsLeft) {
  // 128x256 with 4 stages of f32 results fits; with tile K 128 and five stages nothing does, whatever the
  // schedule.
  Built built = build(
      "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\nc = gemm(a, "
      "b).tile(64x256x128).stages(5)\nreturn c\n");
  DiagSink diags;
  choose_automatic(catalog(), built.program, built.launches, h200(), diags);
  ASSERT_EQ(diags.diags().size(), 1U);
  EXPECT_EQ(diags.diags()[0].id, "UC1906");
}

// ---- pointwise

TEST(MapModel, WideVectorsWin) {
  const Built built = build("target sm_90a\ninput x: f32[4096, 4096]\ny = relu(x)\nreturn y\n");
  Launch launch = built.launches[0];
  const auto time = [&](int64_t vector) {
    launch.config = MapConfig{vector, 256};
    return map_model(launch, h200()).total_us;
  };
  EXPECT_LT(time(4), time(2));
  EXPECT_LT(time(2), time(1));
  // 134 MB at 4.33 TB/s take 31 us, and a launch some more.
  EXPECT_NEAR(map_model(launch, h200()).memory_us,
              2.0 * 4096 * 4096 * 4 / (h200().calibrated_dram_tbps * 1e12) * 1e6, 0.01);
}

TEST(MapModel, CandidatesAreResolvedAndKeepWhatIsSet) {
  const Built built = build("target sm_90a\ninput x: f32[4096, 4096]\ny = relu(x).threads(64)\nreturn y\n");
  for (const Config& each : map_configs(built.launches[0], 4)) {
    EXPECT_EQ(std::get<MapConfig>(each).threads, 64);
    EXPECT_GE(std::get<MapConfig>(each).vector, 1);
  }
  const auto ranked = rank_configs(catalog(), built.program, built.launches[0], h200(), 4);
  ASSERT_FALSE(ranked.empty());
  EXPECT_GE(std::get<MapConfig>(ranked[0].config).vector, 4);
}

}  // namespace
}  // namespace uc
