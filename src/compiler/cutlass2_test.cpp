// What CUTLASS 2 kernels are made of: alignments, layouts, instruction and epilogue of chosen programs,
// worked out by hand from sizes and strides.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "base/text.h"
#include "catalog/builtin.h"
#include "compiler/emission.h"
#include "diag/render.h"
#include "plan/gemm2_choices.h"

namespace uc {
namespace {

using ::testing::HasSubstr;

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

Compiled compiled(const std::string& source) {
  Compiled out = check_source(catalog(), source);
  EXPECT_TRUE(out.ok()) << render_text(out.diags.sorted(), source, "");
  return out;
}

// The only kernel of `target sm_90a` and these lines.
EmittedKernel kernel(const std::string& lines, std::string_view target = "sm_90a") {
  const EmittedProgram program =
      emit_program(catalog(), compiled(fmt::format("target {}\n{}return c\n", target, lines)));
  EXPECT_EQ(program.kernels.size(), 1U);
  return program.kernels.empty() ? EmittedKernel{} : program.kernels.front();
}

// Without line breaks and the blanks after them, so that types are searched as they are written.
std::string flat(const std::string& text) {
  std::string out;
  for (const std::string_view part : split(text, '\n')) {
    const size_t first = part.find_first_not_of(' ');
    if (first != std::string_view::npos)
      out += std::string(part.substr(first)) + (part.ends_with(',') ? " " : "");
  }
  return out;
}

std::string base_of(const EmittedKernel& kernel) {
  const std::string text = flat(kernel.device_source);
  const size_t begin = text.find("DefaultGemm<");
  return begin == std::string::npos ? "" : text.substr(begin, text.find("GemmKernel", begin) - begin);
}

// A is [72, 40]: K, its contiguous extent, is 5 * 8. B is [40, 88]: N is 11 * 8. 16 bytes are 8 elements of
// f16; so are those of rows of D.
TEST(Cutlass2, AlignedHalvesMoveSixteenBytes) {
  const std::string base =
      base_of(kernel("precision f16\ninput a: f16[72, 40]\ninput b: f16[40, 88]\n"
                     "c = gemm(a, b).backend(cutlass2).tile(64x64x32) >> to(f16)\n"));
  EXPECT_THAT(base, HasSubstr("cutlass::half_t, cutlass::layout::RowMajor, 8, cutlass::half_t, "
                              "cutlass::layout::RowMajor, 8, "));
  EXPECT_THAT(base, HasSubstr("LinearCombination<cutlass::half_t, 8, float, float>"));
  EXPECT_THAT(base, HasSubstr("GemmShape<16, 8, 16>"));
  EXPECT_THAT(base, HasSubstr("GemmShape<64, 64, 32>, cutlass::gemm::GemmShape<32, 32, 32>"));
}

// K = 101 and N = 91 are odd: nothing but single elements, which cp.async does not move, so two stages.
TEST(Cutlass2, OddHalvesGoThroughRegisters) {
  const EmittedKernel odd = kernel(
      "precision f16\ninput a: f16[77, 101]\ninput b: f16[101, 91]\ninput r: f16[77, 91]\n"
      "c = gemm(a, b).backend(cutlass2) >> residual(r) >> to(f16)\n");
  EXPECT_THAT(base_of(odd), HasSubstr("cutlass::layout::RowMajor, 1, cutlass::half_t, "
                                      "cutlass::layout::RowMajor, 1, "));
  EXPECT_THAT(base_of(odd), HasSubstr(", 2, false, cutlass::arch::OpMultiplyAdd>"));
  EXPECT_THAT(flat(odd.device_source), HasSubstr("uc2::Load<0, __half, uc2::Along::both, 1>"));
  EXPECT_THAT(flat(odd.device_source), HasSubstr("uc2::Store<1, __half, 1>"));
}

// Column-major A: M = 66 is contiguous, so 2 elements, 4 bytes. B column-major: K = 130 is, 2 too. f32 rows
// of D: N = 20 is 4 * 5, 16 bytes.
TEST(Cutlass2, LayoutsAndAlignmentFollowTheContiguousExtent) {
  const std::string base =
      base_of(kernel("input a: f16[66, 130] @col\ninput b: f16[130, 20] @col\n"
                     "c = gemm(a, b).backend(cutlass2) >> to(f32)\n"));
  EXPECT_THAT(base, HasSubstr("cutlass::half_t, cutlass::layout::ColumnMajor, 2, cutlass::half_t, "
                              "cutlass::layout::ColumnMajor, 2, float, cutlass::layout::RowMajor, float, "));
  EXPECT_THAT(base, HasSubstr("LinearCombination<float, 4, float, float>"));
}

// A view that begins at element 4 of f16 rows of 256: 8 bytes.
TEST(Cutlass2, OffsetsCount) {
  const std::string base =
      base_of(kernel("input x: f16[64, 256]\ninput b: f16[64, 64]\n"
                     "c = gemm(slice(x, dim=1, start=4, end=68), b).backend(cutlass2) >> to(f32)\n"));
  EXPECT_THAT(base, HasSubstr("cutlass::half_t, cutlass::layout::RowMajor, 4, cutlass::half_t, "
                              "cutlass::layout::RowMajor, 8, "));
}

struct Way {
  const char* lines;
  const char* target;
  const char* instruction;
  const char* operation;
  const char* unit;
};

TEST(Cutlass2, EveryWayToMultiplyHasItsInstruction) {
  const std::string f32 = "input a: f32[64, 64]\ninput b: f32[64, 64]\n";
  const std::string f64 = "input a: f64[64, 64]\ninput b: f64[64, 64]\n";
  const std::vector<std::pair<std::string, Way>> ways{
      {"precision tf32\n" + f32,
       {"c = linear(a, b).backend(cutlass2)\n", "sm_90a", "GemmShape<16, 8, 8>", "OpMultiplyAdd>",
        "OpClassTensorOp, cutlass::arch::Sm80"}},
      {f32,
       {"c = linear(a, b).math(tf32x3)\n", "sm_90a", "GemmShape<16, 8, 8>", "OpMultiplyAddFastF32>",
        "OpClassTensorOp, cutlass::arch::Sm80"}},
      {f32,
       {"c = linear(a, b).math(f32)\n", "sm_90a", "GemmShape<1, 1, 1>", "OpMultiplyAdd>",
        "OpClassSimt, cutlass::arch::Sm80"}},
      {f64,
       {"c = linear(a, b)\n", "sm_90a", "GemmShape<16, 8, 4>", "OpMultiplyAdd>",
        "OpClassTensorOp, cutlass::arch::Sm90"}},
      {f64,
       {"c = linear(a, b)\n", "sm_80", "GemmShape<8, 8, 4>", "OpMultiplyAdd>",
        "OpClassTensorOp, cutlass::arch::Sm80"}},
      {f64,
       {"c = linear(a, b)\n", "sm_86", "GemmShape<1, 1, 1>", "OpMultiplyAdd>",
        "OpClassSimt, cutlass::arch::Sm80"}},
      {"input a: i8[64, 64]\ninput b: i8[64, 64]\n",
       {"c = linear(a, b).backend(cutlass2) >> to(i32)\n", "sm_90a", "GemmShape<16, 8, 32>",
        "OpMultiplyAddSaturate>", "OpClassTensorOp, cutlass::arch::Sm80"}},
      {"input a: f8e4m3[64, 64]\ninput b: f8e4m3[64, 64]\n",
       {"c = linear(a, b) >> to(f16)\n", "sm_89", "GemmShape<16, 8, 32>", "OpMultiplyAdd>",
        "OpClassTensorOp, cutlass::arch::Sm89"}},
      {"input a: f8e5m2[64, 64]\ninput b: f8e5m2[64, 64]\n",
       {"c = linear(a, b).backend(cutlass2) >> to(f32)\n", "sm_90a", "GemmShape<16, 8, 32>", "OpMultiplyAdd>",
        "OpClassTensorOp, cutlass::arch::Sm89"}},
  };
  for (const auto& [inputs, way] : ways) {
    const EmittedKernel made = kernel(inputs + way.lines, way.target);
    const std::string base = base_of(made);
    EXPECT_THAT(base, HasSubstr(way.instruction)) << way.lines << way.target;
    EXPECT_THAT(base, HasSubstr(way.operation)) << way.lines << way.target;
    EXPECT_THAT(base, HasSubstr(way.unit)) << way.lines << way.target;
    EXPECT_EQ(made.arch, way.target);
    EXPECT_EQ(made.parts, 1);
  }
}

// SM80 has no f8; SM89's instruction reads K contiguously; blocks along K take a main loop of CUTLASS 3.
TEST(Cutlass2, F8IsMultipliedWhereTheInstructionIs) {
  const auto refuses = [](std::string_view target, const std::string& lines) {
    const Compiled made = check_source(catalog(), fmt::format("target {}\n{}return c\n", target, lines));
    return !made.ok();
  };
  const std::string rows =
      "input a: f8e4m3[64, 256]\ninput b: f8e4m3[64, 256]\nc = linear(a, b) >> to(f16)\n";
  EXPECT_FALSE(refuses("sm_89", rows));
  EXPECT_TRUE(refuses("sm_80", rows));
  EXPECT_TRUE(refuses("sm_86", rows));
  EXPECT_TRUE(
      refuses("sm_89", "input a: f8e4m3[64, 256]\ninput b: f8e4m3[256, 64]\nc = gemm(a, b) >> to(f16)\n"));
  const auto scaled = [](std::string_view shape) {
    return fmt::format(
        "input a: f16[64, 256]\ninput b: f16[64, 256]\ninput s: f32[{0}]\ninput t: f32[{0}]\n"
        "p = to(a, f8e4m3, scale=s)\nq = to(b, f8e4m3, scale=t)\nc = linear(p, q) >> to(f16)\n",
        shape);
  };
  EXPECT_FALSE(refuses("sm_89", scaled("64, 1")));
  EXPECT_TRUE(refuses("sm_89", scaled("64, 2")));
}

// D's M is contiguous: the kernel computes B^T times A^T, whose rows are D's columns; tiles speak of the
// kernel, as in CUTLASS 3. The bias runs along N of the program, M of the kernel.
TEST(Cutlass2, AColumnMajorResultIsComputedAsItsTranspose) {
  const EmittedKernel turned = kernel(
      "precision f16\ninput a: f16[136, 64]\ninput b: f16[64, 72] @col\ninput v: f32[72]\n"
      "c = gemm(a, b).backend(cutlass2).tile(64x128x32) >> bias(v) >> to(f16, col)\n");
  const std::string base = base_of(turned);
  EXPECT_THAT(base, HasSubstr("GemmShape<64, 128, 32>"));
  EXPECT_THAT(base, HasSubstr("cutlass::half_t, cutlass::layout::RowMajor, 8, cutlass::half_t, "
                              "cutlass::layout::ColumnMajor, 8, "));
  EXPECT_THAT(flat(turned.device_source), HasSubstr("uc2::Load<0, float, uc2::Along::m, 1>"));
  EXPECT_THAT(turned.host_source, HasSubstr("prepare_gemm<Kernel, false, false>"));
}

// The product writes plain sums, four f32 at once where N = 72 allows; the sum of the parts has the epilogue.
TEST(Cutlass2, PartsOfKAreSummedBeforeTheEpilogue) {
  const EmittedKernel parts = kernel(
      "precision f16\ninput a: f16[64, 1024]\ninput b: f16[1024, 72]\ninput v: f32[72]\n"
      "c = gemm(a, b).backend(cutlass2).split(4) >> bias(v) >> relu() >> to(f16)\n");
  const std::string text = flat(parts.device_source);
  EXPECT_EQ(parts.parts, 2);
  EXPECT_THAT(text, HasSubstr("uc2::Sum<float>, 1, uc2::List<>, uc2::List<uc2::Store<0, float, 4>>>"));
  EXPECT_THAT(text, HasSubstr("uc2::Reduction<float, Expression, 2, Loads, Stores>"));
  EXPECT_THAT(parts.host_source, HasSubstr("return uc2::scratch_bytes<float>(x)"));
  EXPECT_THAT(parts.host_source, HasSubstr("prepare_gemm<Kernel, false, true>"));
}

// Sizes are arguments: problems that differ by multiples of the alignment share a kernel, others do not.
TEST(Cutlass2, KernelsAreSharedBySizesOfOneAlignment) {
  const auto hash = [](int m, int k) {
    return kernel(fmt::format("input a: f16[{0}, {1}]\ninput b: f16[{1}, 64]\n"
                              "c = gemm(a, b).backend(cutlass2).tile(64x64x32).stages(3) >> to(f32)\n",
                              m, k))
        .hash;
  };
  EXPECT_EQ(hash(64, 64), hash(63, 200));
  EXPECT_NE(hash(64, 64), hash(64, 68));
}

// Programs of targets before SM90: conversions and products alike are compiled for the target.
TEST(Cutlass2, OlderTargetsEmitEveryLaunch) {
  size_t seen = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(UC_SOURCE_DIR) + "/tests/emit/targets")) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    const Compiled program = compiled(text.str());
    const EmittedProgram made = emit_program(catalog(), program);
    EXPECT_EQ(made.kernels.size(), 3U) << "x to f16, w to f16 once, the product";
    for (const EmittedKernel& each : made.kernels) EXPECT_EQ(each.arch, program.program.target);
    EXPECT_THAT(made.kernels.back().device_source, HasSubstr("cutlass::arch::Sm80"));
    EXPECT_THAT(made.manifest, HasSubstr(fmt::format("\"target\": \"{}\"", program.program.target)));
    ++seen;
  }
  EXPECT_EQ(seen, 3U);
}

// Every listed tile: warps divide it, and what it needs is within what it was listed for.
TEST(Cutlass2, ListedTilesAreWhole) {
  const std::map<std::string, std::vector<const char*>> ways{
      {"f16", {"cutlass2"}}, {"f32", {"simt"}}, {"f64", {"cutlass2", "simt"}}, {"i8", {"cutlass2"}}};
  size_t tiles = 0;
  for (const auto& [type, backends] : ways) {
    for (const char* backend : backends) {
      const Compiled program = compiled(fmt::format(
          "target sm_90a\ninput a: {0}[64, 64]\ninput b: {0}[64, 64]\nc = linear(a, b).backend({1}){2} >> "
          "to({3})\nreturn c\n",
          type, backend, type == "f32" ? ".math(f32)" : "", type == "f64" ? "f64" : "f32"));
      const auto& contraction = std::get<Contraction>(program.launches[0].kernel);
      const auto family = gemm2_family(contraction, backend, "sm_90a");
      ASSERT_TRUE(family) << type << backend;
      for (const Gemm2Tile& tile : family->tiles) {
        ++tiles;
        EXPECT_EQ(tile.m % tile.warp_m, 0);
        EXPECT_EQ(tile.n % tile.warp_n, 0);
        EXPECT_LE(tile.threads(), 256);
        EXPECT_LE(tile.m * tile.n / tile.threads() * size_bytes(contraction.accumulate) / 4, 128)
            << "accumulators a thread";
        EXPECT_LE(gemm2_shared_bytes(contraction, tile, 3), 232448);
      }
    }
  }
  EXPECT_GE(tiles, 35U);
}

}  // namespace
}  // namespace uc
