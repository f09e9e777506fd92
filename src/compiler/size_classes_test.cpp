#include "compiler/size_classes.h"

#include <gtest/gtest.h>
#include <random>

#include "catalog/builtin.h"
#include "compiler/plain_gemm.h"
#include "compiler/sized_glue.h"
#include "emit/program_glue.h"
#include "plan/choose.h"

namespace uc {
namespace {

using Sizes = std::vector<int64_t>;

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

const std::vector<std::string> kPrograms{
    "target sm_90a\nprecision f16\ndim m = 1..8192\ninput x: f16[m, 512]\nparam w: f16[256, 512]\nparam b: "
    "f16[256]\n"
    "y = linear(x, w) >> bias(b) >> gelu() >> to(f16)\nreturn y\n",
    "target sm_90a\nprecision f16\ndim l = 1..64\ndim m = 8..4096 step 8\ninput a: f16[l, m, 128]\n"
    "input b: f16[l, 128, m]\nc = gemm(a, b) >> to(f32)\nreturn c\n",
    "target sm_90a\nprecision bf16\ndim m = 16..2048 step 16\ndim k = 64..8192 step 64\ninput x: bf16[m, k]\n"
    "input w: bf16[k, 320]\ninput r: bf16[m, 320]\nh = gemm(x, w) >> relu() >> to(bf16)\ny = add(h, r)\n"
    "return y\n",
    "target sm_90a\nprecision strict\ndim m = 1..999\ninput x: f32[m, 33]\ny = mul(x, x)\nz = add(y, "
    "1.0)\nreturn z\n"};

struct Set {
  Program program;
  std::vector<WeightedSizes> listed;
};

Set set_of(const std::string& source) {
  Set out;
  out.program = resolve_source(catalog(), source).program;
  Sizes middle;
  for (const Dim& dim : out.program.dims)
    middle.push_back((dim.least() + dim.most()) / 2 / dim.step * dim.step);
  out.listed = {{middle, 1}};
  return out;
}

bool holds(const std::vector<SizeRange>& ranges, const Sizes& sizes) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!ranges[d].holds(sizes[d])) return false;
  }
  return true;
}

Sizes random_sizes(std::mt19937_64& engine, const std::vector<Dim>& dims) {
  Sizes out;
  for (const Dim& dim : dims) {
    const auto count = static_cast<uint64_t>((dim.most() - dim.least()) / dim.step + 1);
    out.push_back(dim.least() + static_cast<int64_t>(engine() % count) * dim.step);
  }
  return out;
}

class SizeClassesOf : public ::testing::TestWithParam<std::string> {};

TEST_P(SizeClassesOf, TablesOfManySizesAreThoseOfEachSize) {
  const Set set = set_of(GetParam());
  const CompileOptions options;
  const Sizes& chosen = set.listed[0].sizes;
  const Compiled compiled = compile_at(catalog(), set.program, chosen, options);
  ASSERT_TRUE(compiled.ok());
  SizeProbe probe(catalog(), set.program, chosen, compiled, options);
  const auto sized = emit_sized(catalog(), probe);
  ASSERT_TRUE(sized);
  std::mt19937_64 engine(7);
  size_t compared = 0;
  for (int i = 0; i < 300; ++i) {
    const Sizes sizes = random_sizes(engine, set.program.dims);
    if (!holds(sized->serves, sizes)) continue;
    const Compiled* at = probe.at(sizes);
    ASSERT_NE(at, nullptr) << sizes[0] << " is said to be served";
    const DeviceSpec& device = *catalog().device_of_target("sm_90a");
    std::vector<EmittedKernel> kernels;
    for (const Launch& launch : at->launches)
      kernels.push_back(backend_for(catalog(), launch, device)->emit(launch, device));
    const auto numbers = glue_numbers({at->program, at->launches, sized->places, kernels, "", ""});
    ASSERT_EQ(numbers.values.size(), sized->formulas.size());
    for (size_t n = 0; n < numbers.values.size(); ++n) {
      if (numbers.values[n].matters) {
        EXPECT_EQ(sized->formulas[n].at(sizes), numbers.values[n].value) << sized->formulas[n].text();
      }
    }
    EXPECT_LE(at->buffers.workspace_bytes, sized->places.workspace_bytes);
    ++compared;
  }
  EXPECT_GE(compared, 20U);
}

TEST_P(SizeClassesOf, EverySizeIsServedByKernelsThatTheRulesAllow) {
  const Set set = set_of(GetParam());
  std::vector<std::pair<Sizes, DiagSink>> diags;
  const auto found = find_size_classes(catalog(), set.program, set.listed, {}, diags);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->unserved.empty());
  std::mt19937_64 engine(11);
  for (int i = 0; i < 100; ++i) {
    const Sizes sizes = random_sizes(engine, set.program.dims);
    size_t serving = 0;
    for (const SizeClass& each : found->classes) {
      if (!holds(each.serves, sizes)) continue;
      ++serving;
      Program knobs = set.program;
      for (size_t s = 0; s < knobs.steps.size(); ++s)
        knobs.steps[s].knobs = each.compiled.resolved.steps[s].knobs;
      EXPECT_TRUE(compile_at(catalog(), knobs, sizes, {}).ok()) << sizes[0];
    }
    EXPECT_GE(serving, 1U) << sizes[0];
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, SizeClassesOf, ::testing::ValuesIn(kPrograms));

TEST(PlainGemm, IsAProductOfTwoTensorsAlone) {
  const auto plain = [](const std::string& operands, const std::string& step) {
    const Program program = resolve_source(catalog(), "target sm_90a\nprecision tf32\ndim m = 1..512\n" +
                                                          operands + step + "\nreturn y\n")
                                .program;
    return plain_gemm(catalog(), program, {{1, 512, 1}}, {512});
  };
  const std::string half = "input x: f16[m, 64]\ninput w: f16[64, 32]\n";
  const auto found = plain(half, "y = gemm(x, w) >> to(f32)");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->type, "f16");
  EXPECT_EQ(found->compute, "kCompute32F");
  EXPECT_EQ(found->sizes[1].text(), "d[0]");
  EXPECT_FALSE(plain(half, "y = gemm(x, w) >> relu()"));
  EXPECT_FALSE(plain(half, "y = gemm(x, w) >> mul(0.5)"));
  EXPECT_FALSE(plain(half, "h = gemm(x, w) >> to(f16)\ny = relu(h)"));
  EXPECT_FALSE(plain(half, "y = gemm(x, w) >> to(bf16)"));
  EXPECT_FALSE(
      plain("input x: f16[m, 80]\ninput w: f16[64, 32]\n", "y = gemm(slice(x, dim=1, start=16), w)"));
  const std::string single = "input x: f32[m, 64]\ninput w: f32[64, 32] @col\n";
  EXPECT_EQ(plain(single, "y = gemm(x, w).math(tf32)")->compute, "kCompute32FFastTf32");
  EXPECT_EQ(plain(single, "y = gemm(x, w).math(f32)")->compute, "kCompute32F");
}

}  // namespace
}  // namespace uc
