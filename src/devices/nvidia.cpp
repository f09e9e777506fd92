// NVIDIA devices as factors. Theoretical rates are factors times the highest SM clock; calibrated ones were
// measured.
#include <array>

#include "catalog/catalog.h"

namespace uc::devices {
namespace {

// Dense FLOP/clock/SM of GH100 (NVIDIA H100 architecture whitepaper v1.04, table 2: 989.4 TFLOP/s FP16 on 132
// SMs at 1.83 GHz is 4096). A multiply-add counts 2; the whitepaper's "with sparsity" columns are twice this
// and not used. f64 is the tensor core's rate, twice the FMA units'. tf32x3 and f16x3 do three products for
// one.
constexpr double kF16 = 4096, kTf32 = 2048, kF8 = 8192, kF32 = 256, kF64 = 256;

// Calibrated: f16 830 (CUTLASS 128x256x64 cooperative 2x1, 4096^3), f8 1500 (CUTLASS pingpong), tf32x3 71
// (CUTLASS 2), f16x3 250 effective; f32 52.5 and tf32 436 are PyTorch's eager L1/16 and L1/17 of KernelBench
// (137.4 GFLOP in 2.617 and 0.3152 ms); bf16 686 PyTorch 8192^3. i8 and f64 were not measured.
constexpr std::array<UnitRate, 9> kH200Rates{{{Math::f32, kF32, 52.5},
                                              {Math::tf32, kTf32, 436.0},
                                              {Math::tf32x3, kTf32 / 3, 71.0},
                                              {Math::f16x3, kF16 / 3, 250.0},
                                              {Math::f16, kF16, 830.0},
                                              {Math::bf16, kF16, 686.1},
                                              {Math::f8, kF8, 1500.0},
                                              {Math::i8, kF8, 0},
                                              {Math::f64, kF64, 0}}};

constexpr std::array<UnitRate, 9> kHopperRates{{{Math::f32, kF32, 0},
                                                {Math::tf32, kTf32, 0},
                                                {Math::tf32x3, kTf32 / 3, 0},
                                                {Math::f16x3, kF16 / 3, 0},
                                                {Math::f16, kF16, 0},
                                                {Math::bf16, kF16, 0},
                                                {Math::f8, kF8, 0},
                                                {Math::i8, kF8, 0},
                                                {Math::f64, kF64, 0}}};

// What every GH100 has: CUDA programming guide, compute capability 9.0 (shared memory, registers, 16
// special-function results a clock and SM).
constexpr DeviceSpec hopper(std::string_view name, std::string_view full_name, int sms, double boost_mhz) {
  DeviceSpec spec{};
  spec.name = name;
  spec.full_name = full_name;
  spec.arch = "sm_90a";
  spec.sms = sms;
  spec.boost_mhz = boost_mhz;
  spec.smem_per_block = 232448;
  spec.smem_per_sm = 233472;
  spec.registers_per_sm = 65536;
  spec.special_per_clock_per_sm = 16;
  spec.launch_us = 2.0;
  spec.rates = kHopperRates;
  return spec;
}

constexpr DeviceSpec h200() {
  DeviceSpec spec = hopper("h200", "NVIDIA H200", 132, 1980);
  spec.dram_bits = 6144;
  spec.dram_gbps_per_pin = 6.402;
  spec.calibrated_dram_tbps = 4.332;
  spec.l2_bytes = 62914560;
  spec.dram_bytes = 141LL * 1000 * 1000 * 1000;
  spec.rates = kH200Rates;
  spec.source =
      "H100 architecture whitepaper (FLOP/clock/SM, 132 SMs); read off one H200 (driver 580.159): highest SM "
      "clock 1980 MHz (the datasheet's 989 FP16 TFLOP/s mean 1830), highest memory clock 3201 MHz, L2 60 "
      "MiB; "
      "bus width not read: six HBM3e stacks of 1024 bits, 3201 MHz x 2 on them = 4.92 TB/s (datasheet 4.8); "
      "measured on one H200: reading 4.33 TB/s, f16 830, tf32 436, f32 52.5 TFLOP/s. Launch gap assumed, not "
      "measured.";
  return spec;
}

constexpr DeviceSpec h100() {
  DeviceSpec spec = hopper("h100", "NVIDIA H100 80GB HBM3", 132, 1980);
  spec.dram_bits = 5120;
  spec.dram_gbps_per_pin = 5.238;
  spec.l2_bytes = 52428800;
  spec.dram_bytes = 80LL * 1000 * 1000 * 1000;
  spec.source =
      "H100 SXM5: architecture whitepaper v1.04 (132 SMs, 4096 FP16 FLOP/clock/SM, 50 MB L2, HBM3 on 5120 "
      "bits at "
      "2619 MHz x 2 = 3.35 TB/s); highest SM clock 1980 MHz. Not calibrated.";
  return spec;
}

constexpr DeviceSpec h100_pcie() {
  DeviceSpec spec = hopper("h100_pcie", "NVIDIA H100 PCIe", 114, 1755);
  spec.dram_bits = 5120;
  spec.dram_gbps_per_pin = 3.186;
  spec.l2_bytes = 52428800;
  spec.dram_bytes = 80LL * 1000 * 1000 * 1000;
  spec.source =
      "H100 PCIe: architecture whitepaper v1.04 (114 SMs, 50 MB L2, HBM2e on 5120 bits at 1593 MHz x 2 = "
      "2.04 TB/s); "
      "highest SM clock 1755 MHz. Not calibrated.";
  return spec;
}

constexpr std::array<DeviceSpec, 3> kRows{h200(), h100(), h100_pcie()};

}  // namespace

std::span<const DeviceSpec> nvidia_rows();
std::span<const DeviceSpec> nvidia_rows() { return kRows; }

}  // namespace uc::devices
