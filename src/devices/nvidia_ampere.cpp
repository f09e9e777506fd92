// NVIDIA Ampere (GA100, GA102) as factors: theoretical rates are factors times the highest SM clock.
#include <array>

#include "catalog/catalog.h"
#include "sol/calibration.h"

namespace uc::devices {
namespace {

// Dense FLOP/clock/SM of GA100 (NVIDIA A100 architecture whitepaper v1.0, table 2: 312 TFLOP/s FP16 on 108
// SMs at 1.41 GHz is 2048, 156 TF32 is 1024, 624 INT8 is 4096; 19.5 FP64 by tensor cores is 128, twice the
// FMA units'; 64 FP32 lanes). No FP8. tf32x3 and f16x3 do three products for one.
constexpr std::array<UnitRate, 8> kGa100Rates{{{Math::f32, 128},
                                               {Math::tf32, 1024},
                                               {Math::tf32x3, 1024.0 / 3},
                                               {Math::f16x3, 2048.0 / 3},
                                               {Math::f16, 2048},
                                               {Math::bf16, 2048},
                                               {Math::i8, 4096},
                                               {Math::f64, 128}}};

// GA102 of the RTX A6000 (NVIDIA Ampere GA102 whitepaper v2, appendix on RTX A6000: 154.8 TFLOP/s FP16 with
// FP16 and with FP32 accumulation alike on 84 SMs at 1.8 GHz is 1024, where GeForce halves the second; 77.4
// TF32 is 512, 309.7 INT8 is 2048, 38.7 FP32 is 256). FP64 is two lanes an SM, 4. No FP8.
constexpr std::array<UnitRate, 8> kGa102Rates{{{Math::f32, 256},
                                               {Math::tf32, 512},
                                               {Math::tf32x3, 512.0 / 3},
                                               {Math::f16x3, 1024.0 / 3},
                                               {Math::f16, 1024},
                                               {Math::bf16, 1024},
                                               {Math::i8, 2048},
                                               {Math::f64, 4}}};

constexpr DeviceSpec a100() {
  DeviceSpec spec{};
  spec.name = "a100";
  spec.full_name = "NVIDIA A100-SXM4-80GB";
  spec.arch = "sm_80";
  spec.sms = 108;
  spec.boost_mhz = 1410;
  spec.datasheet_mhz = 1410;
  spec.dram_bits = 5120;
  spec.dram_gbps_per_pin = 3.186;
  spec.l2_bytes = 41943040;
  spec.dram_bytes = 80LL * 1000 * 1000 * 1000;
  spec.smem_per_block = 166912;
  spec.smem_per_sm = 167936;
  spec.registers_per_sm = 65536;
  spec.special_per_clock_per_sm = 16;
  spec.int32_per_clock_per_sm = 64;
  spec.half_fma_per_clock_per_sm = 256;
  spec.rates = kGa100Rates;
  spec.source =
      "A100 SXM 80 GB: A100 architecture whitepaper v1.0 (108 SMs, 1410 MHz, FLOP/clock/SM, 40 MB L2); A100 "
      "80GB "
      "datasheet (2,039 GB/s are HBM2e on 5120 bits at 1593 MHz x 2); CUDA programming guide, compute "
      "capability "
      "8.0 (shared memory, registers, special, integer and half rates)";
  return spec;
}

constexpr DeviceSpec a6000() {
  DeviceSpec spec{};
  spec.name = "a6000";
  spec.full_name = "NVIDIA RTX A6000";
  spec.arch = "sm_86";
  spec.sms = 84;
  spec.boost_mhz = 2100;
  spec.datasheet_mhz = 1800;
  spec.dram_bits = 384;
  spec.dram_gbps_per_pin = 16.002;
  spec.l2_bytes = 6291456;
  spec.dram_bytes = 48LL * 1024 * 1024 * 1024;
  spec.smem_per_block = 101376;
  spec.smem_per_sm = 102400;
  spec.registers_per_sm = 65536;
  spec.special_per_clock_per_sm = 16;
  spec.int32_per_clock_per_sm = 64;
  spec.half_fma_per_clock_per_sm = 256;
  spec.rates = kGa102Rates;
  spec.source =
      "RTX A6000: Ampere GA102 whitepaper v2 (84 SMs, boost 1800 MHz, FLOP/clock/SM, 6 MB L2, 768 GB/s are "
      "GDDR6 "
      "on 384 bits); nvidia-smi of such a card, as published by a user (highest SM clock 2100 MHz, memory "
      "8001 MHz "
      "x 2); CUDA programming guide, compute capability 8.6 (shared memory, special and integer rates; half "
      "256, "
      "where the whitepaper's 38.7 TFLOP/s would be 128)";
  return spec;
}

constexpr std::array<DeviceSpec, 2> kRows{a100(), a6000()};

}  // namespace

std::span<const DeviceSpec> nvidia_ampere_rows();
std::span<const DeviceSpec> nvidia_ampere_rows() {
  static const auto rows = with_shipped_calibrations(kRows);
  return rows;
}

}  // namespace uc::devices
