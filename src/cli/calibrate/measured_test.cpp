// Lines of the measuring programs become a calibration; what cannot be true does not.
#include "cli/calibrate/measured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"

namespace uc::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const DeviceSpec& h200() {
  static const Catalog catalog = builtin_catalog();
  return *catalog.device("h200");
}

constexpr std::string_view kLines =
    R"({"record":"device","name":"NVIDIA H200","major":9,"minor":0,"sms":132,"l2_bytes":62914560,"max_sm_mhz":1980}
{"record":"memory","what":"copy","best":4.28,"median":4.2,"shape":"2147483648 B x 2","data":"","by":"8 blocks","sm_mhz":1980,"dram_mhz":3201}
{"record":"memory","what":"read","best":4.33,"median":4.3,"shape":"","data":"","by":"","sm_mhz":1950,"dram_mhz":3201}

{"record":"pipe","what":"fma","best":33.1,"median":33.0,"shape":"","data":"","by":"fma.rn.f32","sm_mhz":1965,"dram_mhz":3201}
{"record":"pipe","what":"f64","best":16.5,"median":16.4,"shape":"","data":"","by":"fma.rn.f64","sm_mhz":0,"dram_mhz":3201}
{"record":"launch","what":"stream","us":2.1}
{"record":"launch","what":"graph","us":1.3}
{"record":"product","what":"f16","best":720.5,"median":700.1,"shape":"8192x8192x8192","data":"normal","by":"torch 2.11 matmul","sm_mhz":1500}
)";

TEST(Measured, LinesBecomeRates) {
  Measured measured;
  add_lines(kLines, measured);
  finish(h200(), measured);
  EXPECT_THAT(measured.warnings, IsEmpty());
  EXPECT_EQ(measured.gpu.name, "NVIDIA H200");
  EXPECT_THAT(differences(measured.gpu, h200()), IsEmpty());
  const Calibration& seen = measured.seen;
  EXPECT_EQ(seen.device, "h200");
  EXPECT_EQ(best_of(seen.memory)->best, 4.33);
  EXPECT_EQ(best_of(seen.pipes, "fma")->best, 33.1);
  EXPECT_EQ(best_of(seen.products, "f64")->best, 33);  // a multiply-add is two FLOP
  EXPECT_EQ(best_of(seen.products, "f16")->data, "normal");
  EXPECT_EQ(seen.launch_us, 1.3);  // the least
  EXPECT_EQ(seen.sm_mhz, 1965);    // of 1500, 1950, 1965, 1980; what was not sampled does not count
  EXPECT_EQ(seen.dram_mhz, 3201);
  EXPECT_TRUE(fits(seen, h200()));
}

TEST(Measured, WhatCannotBeReadOrCannotBeTrueIsLeftOutWithAWord) {
  Measured measured;
  add_lines("CUDA error: out of memory\n", measured);
  add_lines(R"({"record":"memory","what":"copy"})", measured);
  add_lines(R"({"record":"memory","what":"copy","best":"4"})", measured);
  add_lines(R"({"record":"product","what":"f17","best":4})", measured);
  add_lines(R"({"record":"launch","us":-1})", measured);
  EXPECT_EQ(measured.warnings.size(), 5u);
  add_lines(R"({"record":"memory","what":"read","best":9.9,"by":"L2"})", measured);
  add_lines(R"({"record":"product","what":"f16","best":1200,"by":"a broken clock"})", measured);
  EXPECT_EQ(measured.warnings.size(), 5u);
  finish(h200(), measured);
  ASSERT_EQ(measured.warnings.size(), 7u);
  EXPECT_THAT(measured.warnings[5], HasSubstr("L2"));
  EXPECT_THAT(measured.warnings[6], HasSubstr("a broken clock"));
  EXPECT_THAT(measured.seen.memory, IsEmpty());
  EXPECT_THAT(measured.seen.products, IsEmpty());
}

TEST(Measured, ABenchmarkGivesItsRateAndTheVendors) {
  Measured measured;
  add_benchmark(
      "y: right, worst element at 0.1 of the tolerance 1e-2\n"
      "program 1a2b3c: 0.1656 ms, 829.9 TFLOP/s; cuBLAS, the largest multiplication alone: 0.1900 ms, "
      "723.4 TFLOP/s\n(median of 5 blocks)\n",
      "", "f16", "4096x4096x4096", measured);
  ASSERT_EQ(measured.seen.products.size(), 2u);
  EXPECT_EQ(measured.seen.products[0].best, 829.9);
  EXPECT_EQ(measured.seen.products[1].best, 723.4);
  EXPECT_THAT(measured.seen.products[1].by, HasSubstr("cuBLAS"));
  EXPECT_THAT(measured.warnings, IsEmpty());
}

TEST(Measured, ABenchmarkThatIsWrongGivesNoRate) {
  Measured measured;
  add_benchmark("program 1a: 0.1 ms, 900.0 TFLOP/s\n", "exited with code 1", "f16", "1x1x1", measured);
  add_benchmark("program 1a: 0.1 ms\n", "", "f16", "1x1x1", measured);
  add_benchmark("program 1a: 0.1 ms, fast TFLOP/s\n", "", "f16", "1x1x1", measured);
  add_benchmark("", "", "f16", "1x1x1", measured);
  EXPECT_THAT(measured.seen.products, IsEmpty());
  EXPECT_EQ(measured.warnings.size(), 4u);
}

TEST(Measured, AGpuThatIsNotAsItsRowSaysIsToldSo) {
  EXPECT_THAT(differences({"NVIDIA H200", 114, 62914560, 1755}, h200()),
              ElementsAre(HasSubstr("114 SMs"), HasSubstr("1755 MHz")));
  EXPECT_THAT(differences({"NVIDIA H200", 132, 0, 0}, h200()), IsEmpty());
}

}  // namespace
}  // namespace uc::cli
