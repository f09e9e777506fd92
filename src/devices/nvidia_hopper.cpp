// NVIDIA Hopper (GH100) as factors: theoretical rates are factors times the highest SM clock.
#include <array>

#include "catalog/catalog.h"
#include "sol/calibration.h"

namespace uc::devices {
namespace {

// Dense FLOP/clock/SM of GH100 (NVIDIA H100 architecture whitepaper v1.04, table 2: 989.4 TFLOP/s FP16 on 132
// SMs at 1.83 GHz is 4096). A multiply-add counts 2; the whitepaper's "with sparsity" columns are twice this
// and not used. f64 is the tensor core's rate, twice the FMA units'. tf32x3 and f16x3 do three products for
// one.
constexpr double kF16 = 4096, kTf32 = 2048, kF8 = 8192, kF32 = 256, kF64 = 256;

constexpr std::array<UnitRate, 9> kHopperRates{{{Math::f32, kF32},
                                                {Math::tf32, kTf32},
                                                {Math::tf32x3, kTf32 / 3},
                                                {Math::f16x3, kF16 / 3},
                                                {Math::f16, kF16},
                                                {Math::bf16, kF16},
                                                {Math::f8, kF8},
                                                {Math::i8, kF8},
                                                {Math::f64, kF64}}};

// What every GH100 has: CUDA programming guide, compute capability 9.0 (shared memory, registers, and in a
// clock and SM 16 special-function results, 64 integer additions, 256 half multiply-adds).
constexpr DeviceSpec hopper(std::string_view name, std::string_view full_name, int sms, double boost_mhz) {
  DeviceSpec spec{};
  spec.name = name;
  spec.full_name = full_name;
  spec.arch = "sm_90a";
  spec.sms = sms;
  spec.boost_mhz = boost_mhz;
  spec.datasheet_mhz = 1830;
  spec.smem_per_block = 232448;
  spec.smem_per_sm = 233472;
  spec.registers_per_sm = 65536;
  spec.special_per_clock_per_sm = 16;
  spec.int32_per_clock_per_sm = 64;
  spec.half_fma_per_clock_per_sm = 256;
  spec.rates = kHopperRates;
  return spec;
}

constexpr DeviceSpec h200() {
  DeviceSpec spec = hopper("h200", "NVIDIA H200", 132, 1980);
  spec.dram_bits = 6144;
  spec.dram_gbps_per_pin = 6.402;
  spec.l2_bytes = 62914560;
  spec.dram_bytes = 141LL * 1000 * 1000 * 1000;
  spec.source =
      "H100 architecture whitepaper v1.04 (FLOP/clock/SM, 132 SMs); read off one H200 (driver 580.159): "
      "highest SM clock 1980 MHz (the datasheet's 989 FP16 TFLOP/s mean 1830), highest memory clock 3201 "
      "MHz, "
      "L2 60 MiB; bus width not read: six HBM3e stacks of 1024 bits, 3201 MHz x 2 on them = 4.92 TB/s "
      "(H200 datasheet 4.8)";
  return spec;
}

constexpr DeviceSpec h100() {
  DeviceSpec spec = hopper("h100", "NVIDIA H100 80GB HBM3", 132, 1980);
  spec.dram_bits = 5120;
  spec.dram_gbps_per_pin = 5.238;
  spec.l2_bytes = 52428800;
  spec.dram_bytes = 80LL * 1000 * 1000 * 1000;
  spec.source =
      "H100 SXM5: H100 architecture whitepaper v1.04 (132 SMs, FLOP/clock/SM, 50 MB L2); H100 datasheet "
      "(989 FP16 TFLOP/s are 1830 MHz, 67 FP32 TFLOP/s are 1980 MHz, the highest SM clock; 3.35 TB/s are "
      "HBM3 "
      "on 5120 bits at 2619 MHz x 2)";
  return spec;
}

constexpr DeviceSpec h100_pcie() {
  DeviceSpec spec = hopper("h100_pcie", "NVIDIA H100 PCIe", 114, 1755);
  spec.datasheet_mhz = 1620;
  spec.dram_bits = 5120;
  spec.dram_gbps_per_pin = 3.186;
  spec.l2_bytes = 52428800;
  spec.dram_bytes = 80LL * 1000 * 1000 * 1000;
  spec.source =
      "H100 PCIe: H100 architecture whitepaper v1.04 (114 SMs, FLOP/clock/SM, 50 MB L2); H100 datasheet (756 "
      "FP16 TFLOP/s are 1620 MHz, 51.2 FP32 TFLOP/s are 1755 MHz, the highest SM clock; 2.0 TB/s are HBM2e "
      "on "
      "5120 bits at 1593 MHz x 2 = 2.04)";
  return spec;
}

constexpr std::array<DeviceSpec, 3> kRows{h200(), h100(), h100_pcie()};

}  // namespace

std::span<const DeviceSpec> nvidia_hopper_rows();
std::span<const DeviceSpec> nvidia_hopper_rows() {
  static const auto rows = with_shipped_calibrations(kRows);
  return rows;
}

}  // namespace uc::devices
