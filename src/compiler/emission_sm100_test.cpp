#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "compiler/emission.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

std::string program(const std::string& target, const std::string& step) {
  return "target " + target +
         "\nprecision f16\ninput a: f16[512, 256]\ninput b: f16[256, 384] @col\ny = " + step + "\nreturn y\n";
}

EmittedKernel only_kernel(const std::string& source) {
  const Compiled compiled = check_source(catalog(), source);
  EXPECT_TRUE(compiled.ok()) << source;
  if (!compiled.ok()) return {};
  EmittedProgram out = emit_program(catalog(), compiled);
  EXPECT_EQ(out.kernels.size(), 1U);
  return out.kernels[0];
}

TEST(EmissionSm100, PlainProductsUseItsBuilders) {
  const EmittedKernel one =
      only_kernel(program("sm_100a", "gemm(a, b).tile(128x128x64).cluster(1x1) >> to(f32)"));
  EXPECT_EQ(one.arch, "sm_100a");
  EXPECT_NE(one.summary.find("never measured"), std::string::npos);
  for (const char* words :
       {"cutlass::arch::Sm100", "KernelTmaWarpSpecialized1SmSm100", "TmaWarpSpecialized1Sm"})
    EXPECT_NE(one.device_source.find(words), std::string::npos) << words;
  const EmittedKernel two = only_kernel(program("sm_100a", "gemm(a, b).tile(256x128x64).cluster(2x1)"));
  EXPECT_NE(two.device_source.find("KernelTmaWarpSpecialized2SmSm100"), std::string::npos);
  EXPECT_NE(two.host_source.find("{2, 1, 1}"), std::string::npos);
}

TEST(EmissionSm100, WhatItCannotGoesToCutlass2) {
  for (const char* step : {"gemm(a, b) >> relu()", "gemm(a, b).schedule(multistage)", "gemm(a, b).stages(3)"})
    EXPECT_NE(only_kernel(program("sm_100a", step)).device_source.find("cutlass::arch::Sm80"),
              std::string::npos)
        << step;
  const EmittedKernel consumer = only_kernel(program("sm_120a", "gemm(a, b) >> relu()"));
  EXPECT_EQ(consumer.arch, "sm_120a");
  EXPECT_NE(consumer.device_source.find("cutlass::arch::Sm80"), std::string::npos);
}

TEST(EmissionSm100, AskedForItSaysWhatItCannot) {
  const Compiled compiled =
      check_source(catalog(), program("sm_100a", "gemm(a, b).backend(cutlass3) >> relu()"));
  ASSERT_FALSE(compiled.ok());
  EXPECT_NE(compiled.diags.diags()[0].help.find("computes nothing after it"), std::string::npos)
      << compiled.diags.diags()[0].help;
}

}  // namespace
}  // namespace uc
