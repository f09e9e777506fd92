// The factors of each device give its datasheet's figures (NVIDIA H100 and H200 datasheets, dense).
#include <gtest/gtest.h>

#include "catalog/builtin.h"

namespace uc {
namespace {

const DeviceSpec& device(const Catalog& catalog, std::string_view name) {
  const DeviceSpec* row = catalog.device(name);
  EXPECT_NE(row, nullptr) << name;
  return *row;
}

// Datasheet TFLOP/s hold at the datasheet's clock, not at the highest one.
double tflops_at(const DeviceSpec& spec, Math math, double mhz) {
  return spec.peak_flops(math) * mhz / spec.boost_mhz / 1e12;
}

TEST(Devices, H200TensorRatesAreTheDatasheets) {
  const Catalog catalog = builtin_catalog();
  const DeviceSpec& h200 = device(catalog, "h200");
  EXPECT_NEAR(tflops_at(h200, Math::f16, 1830), 989.4, 1.0);
  EXPECT_NEAR(tflops_at(h200, Math::bf16, 1830), 989.4, 1.0);
  EXPECT_NEAR(tflops_at(h200, Math::tf32, 1830), 494.7, 0.5);
  EXPECT_NEAR(tflops_at(h200, Math::f8, 1830), 1978.9, 2.0);
  EXPECT_NEAR(tflops_at(h200, Math::i8, 1830), 1978.9, 2.0);
  EXPECT_NEAR(tflops_at(h200, Math::f32, 1980), 66.9, 0.1);  // "67 TFLOPS"
  EXPECT_NEAR(tflops_at(h200, Math::f64, 1980), 66.9, 0.1);  // "67 TFLOPS", tensor core
}

TEST(Devices, H100RatesAreTheDatasheets) {
  const Catalog catalog = builtin_catalog();
  EXPECT_NEAR(tflops_at(device(catalog, "h100"), Math::f16, 1830), 989.4, 1.0);
  EXPECT_NEAR(tflops_at(device(catalog, "h100_pcie"), Math::f16, 1620), 756.4, 1.0);
  EXPECT_NEAR(tflops_at(device(catalog, "h100_pcie"), Math::f32, 1755), 51.2, 0.1);
}

TEST(Devices, MemoryRatesAreTheDatasheetsOrAbove) {
  const Catalog catalog = builtin_catalog();
  const auto check = [&](std::string_view name, double tbps) {
    const double rate = device(catalog, name).dram_bytes_per_second() / 1e12;
    EXPECT_GE(rate, tbps) << name;  // a certified bound must not be above what the memory can do
    EXPECT_LE(rate, tbps * 1.03) << name;
  };
  check("h200", 4.8);
  check("h100", 3.35);
  check("h100_pcie", 2.0);
}

TEST(Devices, CalibratedNeverExceedsTheoretical) {
  const Catalog catalog = builtin_catalog();
  for (const DeviceSpec* row : catalog.devices()) {
    for (const UnitRate& rate : row->rates) {
      EXPECT_LE(row->calibrated_flops(rate.math), row->peak_flops(rate.math))
          << row->name << ' ' << name(rate.math);
    }
    EXPECT_LE(row->calibrated_dram_tbps * 1e12, row->dram_bytes_per_second()) << row->name;
    EXPECT_FALSE(row->source.empty()) << row->name;
  }
}

TEST(Devices, OneMultiplyAddIsTwoFlops) {
  // The H200's FP16 peak at 1.98 GHz. The published mistake counts MACs and FLOPs at once: 2141.
  const Catalog catalog = builtin_catalog();
  EXPECT_NEAR(device(catalog, "h200").peak_flops(Math::f16) / 1e12, 1070.5, 0.1);
}

TEST(Devices, UnknownUnitHasNoRate) {
  const Catalog catalog = builtin_catalog();
  EXPECT_EQ(device(catalog, "h200").peak_flops(Math::automatic), 0.0);
}

TEST(Devices, TargetStandsForItsFirstDevice) {
  const Catalog catalog = builtin_catalog();
  ASSERT_NE(catalog.device_of_target("sm_90a"), nullptr);
  EXPECT_EQ(catalog.device_of_target("sm_90a")->name, "h200");
}

}  // namespace
}  // namespace uc
