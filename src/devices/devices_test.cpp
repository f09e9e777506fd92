// The factors of each device give its datasheet's figures (dense) within 1 %.
#include <gtest/gtest.h>
#include <set>

#include "catalog/builtin.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog all = builtin_catalog();
  return all;
}

const DeviceSpec& device(std::string_view name) {
  const DeviceSpec* row = catalog().device(name);
  EXPECT_NE(row, nullptr) << name;
  return *row;
}

// A datasheet's TFLOP/s hold at the clock that it means, not at the highest one; boards mean one clock for
// tensor cores and another for the FMA units.
double tflops_at(const DeviceSpec& spec, Math math, double mhz) {
  return spec.peak_flops(math) * mhz / spec.boost_mhz / 1e12;
}

struct Figure {
  std::string_view device;
  Math math;
  double mhz;  // 0: DeviceSpec::datasheet_mhz
  double tflops;
};

constexpr Figure kFigures[] = {
    // A100 80GB datasheet.
    {"a100", Math::f32, 0, 19.5},
    {"a100", Math::f64, 0, 19.5},  // tensor core
    {"a100", Math::tf32, 0, 156},
    {"a100", Math::f16, 0, 312},
    {"a100", Math::bf16, 0, 312},
    {"a100", Math::i8, 0, 624},
    // Ampere GA102 whitepaper, RTX A6000; FP16 is given for FP16 and for FP32 accumulation alike.
    {"a6000", Math::f32, 0, 38.7},
    {"a6000", Math::tf32, 0, 77.4},
    {"a6000", Math::f16, 0, 154.8},
    {"a6000", Math::bf16, 0, 154.8},
    {"a6000", Math::i8, 0, 309.7},
    // L40S datasheet, sparse figures halved.
    {"l40s", Math::f32, 0, 91.6},
    {"l40s", Math::tf32, 0, 366.0 / 2},
    {"l40s", Math::f16, 0, 733.0 / 2},
    {"l40s", Math::bf16, 0, 733.0 / 2},
    {"l40s", Math::f8, 0, 1466.0 / 2},
    {"l40s", Math::i8, 0, 1466.0 / 2},
    // Ada whitepaper, appendix A, FP32 accumulation.
    {"rtx_4090", Math::f32, 0, 82.6},
    {"rtx_4090", Math::tf32, 0, 82.6},
    {"rtx_4090", Math::f16, 0, 165.2},
    {"rtx_4090", Math::bf16, 0, 165.2},
    {"rtx_4090", Math::f8, 0, 330.3},
    {"rtx_4090", Math::i8, 0, 660.6},
    {"rtx_4090", Math::f64, 0, 1.29},
    // RTX Blackwell whitepaper, appendix A, FP32 accumulation.
    {"rtx_5090", Math::f32, 0, 104.8},
    {"rtx_5090", Math::tf32, 0, 104.8},
    {"rtx_5090", Math::f16, 0, 209.5},
    {"rtx_5090", Math::bf16, 0, 209.5},
    {"rtx_5090", Math::f8, 0, 419},
    {"rtx_5090", Math::i8, 0, 838},
    // H100 datasheet, sparse figures halved.
    {"h100_pcie", Math::f16, 0, 756},
    {"h100_pcie", Math::f32, 1755, 51.2},
    {"h100_pcie", Math::f8, 0, 1513},
    {"h100", Math::f16, 0, 1979.0 / 2},
    {"h100", Math::bf16, 0, 1979.0 / 2},
    {"h100", Math::tf32, 0, 989.0 / 2},
    {"h100", Math::f8, 0, 3958.0 / 2},
    {"h100", Math::i8, 0, 3958.0 / 2},
    {"h100", Math::f32, 1980, 67},
    {"h100", Math::f64, 1980, 67},  // tensor core
    // H200 datasheet: the same chip.
    {"h200", Math::f16, 0, 1979.0 / 2},
    {"h200", Math::bf16, 0, 1979.0 / 2},
    {"h200", Math::tf32, 0, 989.0 / 2},
    {"h200", Math::f8, 0, 3958.0 / 2},
    {"h200", Math::i8, 0, 3958.0 / 2},
    {"h200", Math::f32, 1980, 67},
    {"h200", Math::f64, 1980, 67},
    // HGX B200 datasheet, a GPU: sparse figures of eight (FP16 36 PFLOP/s, FP8 72) over sixteen; FP32 600 and
    // FP64 296 TFLOP/s over eight.
    {"b200", Math::f16, 0, 2250},
    {"b200", Math::bf16, 0, 2250},
    {"b200", Math::tf32, 0, 1125},
    {"b200", Math::f8, 0, 4500},
    {"b200", Math::i8, 0, 4500},
    {"b200", Math::f32, 1965, 75},
    {"b200", Math::f64, 1965, 37},
    // HGX B300 datasheet, the same way. FP64 (1.2 TFLOP/s) has two digits: no figure here.
    {"b300", Math::f16, 0, 2250},
    {"b300", Math::tf32, 0, 1125},
    {"b300", Math::f8, 0, 4500},
    {"b300", Math::i8, 2032, 153.5},
};

TEST(Devices, RatesAreTheDatasheets) {
  for (const Figure& each : kFigures) {
    const DeviceSpec& row = device(each.device);
    const double rate = tflops_at(row, each.math, each.mhz > 0 ? each.mhz : row.datasheet_mhz);
    EXPECT_NEAR(rate / each.tflops, 1.0, 0.01) << each.device << ' ' << name(each.math);
  }
}

TEST(Devices, EveryRowIsCheckedAgainstADatasheet) {
  std::set<std::string_view> checked;
  for (const Figure& each : kFigures) checked.insert(each.device);
  std::set<std::string_view> rows;
  for (const DeviceSpec* row : catalog().devices()) rows.insert(row->name);
  EXPECT_EQ(rows, checked);
}

TEST(Devices, MemoryRatesAreTheDatasheets) {
  const auto tbps = [](std::string_view name) { return device(name).dram_bytes_per_second() / 1e12; };
  EXPECT_NEAR(tbps("a100") / 2.039, 1.0, 0.01);
  EXPECT_NEAR(tbps("a6000") / 0.768, 1.0, 0.01);
  EXPECT_NEAR(tbps("l40s") / 0.864, 1.0, 0.01);
  EXPECT_NEAR(tbps("rtx_4090") / 1.008, 1.0, 0.01);
  EXPECT_NEAR(tbps("h100") / 3.35, 1.0, 0.01);
  EXPECT_NEAR(tbps("h100_pcie") / 2.039, 1.0, 0.01);
  EXPECT_NEAR(tbps("b200") / 7.7, 1.0, 0.01);
  // The H200's clock read off a device gives more than the datasheet's 4.8; the higher one is the bound.
  EXPECT_NEAR(tbps("h200"), 6144.0 / 8 * 3201e6 * 2 / 1e12, 0.001);
  EXPECT_GT(tbps("h200"), 4.8);
  EXPECT_NEAR(tbps("b300") / 7.7, 1.0, 0.01);
}

TEST(Devices, HighestClockIsNotBelowTheDatasheets) {
  for (const DeviceSpec* row : catalog().devices()) {
    EXPECT_GE(row->boost_mhz, row->datasheet_mhz) << row->name;
    EXPECT_FALSE(row->source.empty()) << row->name;
    EXPECT_GT(row->special_per_clock_per_sm, 0) << row->name;
    EXPECT_GT(row->int32_per_clock_per_sm, 0) << row->name;
    EXPECT_GE(row->half_fma_per_clock_per_sm, row->peak_flops(Math::f32) / (2e6 * row->sms * row->boost_mhz))
        << row->name;
    EXPECT_GT(row->smem_per_sm, row->smem_per_block) << row->name;
  }
}

TEST(Devices, CalibratedNeverExceedsTheoretical) {
  for (const DeviceSpec* row : catalog().devices()) {
    for (const UnitRate& rate : row->rates) {
      EXPECT_LE(row->calibrated_flops(rate.math), row->peak_flops(rate.math))
          << row->name << ' ' << name(rate.math);
    }
    EXPECT_LE(row->calibrated_dram_tbps * 1e12, row->dram_bytes_per_second()) << row->name;
  }
}

TEST(Devices, OneMultiplyAddIsTwoFlops) {
  // The H200's FP16 peak at 1.98 GHz. The published mistake counts MACs and FLOPs at once: 2141.
  EXPECT_NEAR(device("h200").peak_flops(Math::f16) / 1e12, 1070.5, 0.1);
}

TEST(Devices, AUnitThatADeviceLacksIsAbsent) {
  EXPECT_FALSE(device("a100").multiplies(Math::f8));
  EXPECT_FALSE(device("a6000").multiplies(Math::f8));
  EXPECT_TRUE(device("l40s").multiplies(Math::f8));
  EXPECT_EQ(device("h200").peak_flops(Math::automatic), 0.0);
}

TEST(Devices, GeForceHalvesAccumulationInF32) {
  // 512 against the L40S's 1024 a clock and SM, so that three FP16 products for one are slower than FP32.
  EXPECT_NEAR(device("rtx_4090").peak_flops(Math::f16x3) / device("rtx_4090").peak_flops(Math::f32), 2.0 / 3,
              1e-9);
  EXPECT_GT(device("l40s").peak_flops(Math::f16x3), device("l40s").peak_flops(Math::f32));
}

TEST(Devices, TargetStandsForItsFirstDevice) {
  ASSERT_NE(catalog().device_of_target("sm_90a"), nullptr);
  EXPECT_EQ(catalog().device_of_target("sm_90a")->name, "h200");
}

TEST(Devices, KernelsAreMadeForAllButBlackwellUltra) {
  for (const DeviceSpec* row : catalog().devices())
    EXPECT_EQ(catalog().emits_for(*row), row->arch != "sm_103a") << row->name;
}

}  // namespace
}  // namespace uc
