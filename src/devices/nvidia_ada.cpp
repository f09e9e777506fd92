// NVIDIA Ada Lovelace (AD102) as factors: theoretical rates are factors times the highest SM clock.
#include <array>

#include "catalog/catalog.h"
#include "sol/calibration.h"

namespace uc::devices {
namespace {

// L40S (NVIDIA L40S datasheet, sparse figures halved: FP8 1466 and INT8 1466 are 733 dense on 142 SMs at 2.52
// GHz, 2048 FLOP/clock/SM; FP16 733 is 366, 1024; TF32 366 is 183, 512; accumulating in FP32 at the full
// rate, where GeForce halves it). The datasheet's dense FP16 figure, 362.05, is that of the L40's clock.
// FP64 is two lanes an SM. tf32x3 and f16x3 do three products for one.
constexpr std::array<UnitRate, 9> kL40sRates{{{Math::f32, 256},
                                              {Math::tf32, 512},
                                              {Math::tf32x3, 512.0 / 3},
                                              {Math::f16x3, 1024.0 / 3},
                                              {Math::f16, 1024},
                                              {Math::bf16, 1024},
                                              {Math::f8, 2048},
                                              {Math::i8, 2048},
                                              {Math::f64, 4}}};

// GeForce RTX 4090 (NVIDIA Ada GPU architecture whitepaper v2, appendix A: FP16 with FP32 accumulation 165.2
// TFLOP/s on 128 SMs at 2.52 GHz is 512, half of the 330.3 with FP16 accumulation; BF16 165.2; TF32 82.6 is
// 256; FP8 with FP32 accumulation 330.3 is 1024; INT8 660.6 is 2048). So three FP16 products for one take
// longer than FP32's FMA units.
constexpr std::array<UnitRate, 9> kRtx4090Rates{{{Math::f32, 256},
                                                 {Math::tf32, 256},
                                                 {Math::tf32x3, 256.0 / 3},
                                                 {Math::f16x3, 512.0 / 3},
                                                 {Math::f16, 512},
                                                 {Math::bf16, 512},
                                                 {Math::f8, 1024},
                                                 {Math::i8, 2048},
                                                 {Math::f64, 4}}};

// What every AD102 has: CUDA programming guide, compute capability 8.9.
constexpr DeviceSpec ada() {
  DeviceSpec spec{};
  spec.arch = "sm_89";
  spec.datasheet_mhz = 2520;
  spec.dram_bits = 384;
  spec.smem_per_block = 101376;
  spec.smem_per_sm = 102400;
  spec.registers_per_sm = 65536;
  spec.special_per_clock_per_sm = 16;
  spec.int32_per_clock_per_sm = 64;
  spec.half_fma_per_clock_per_sm = 128;
  return spec;
}

constexpr DeviceSpec l40s() {
  DeviceSpec spec = ada();
  spec.name = "l40s";
  spec.full_name = "NVIDIA L40S";
  spec.sms = 142;
  spec.boost_mhz = 2520;
  spec.dram_gbps_per_pin = 18.002;
  spec.l2_bytes = 100663296;
  spec.dram_bytes = 48LL * 1024 * 1024 * 1024;
  spec.rates = kL40sRates;
  spec.source =
      "L40S datasheet (18176 CUDA cores are 142 SMs, 91.6 FP32 TFLOP/s are 2520 MHz, 864 GB/s are GDDR6 on "
      "384 bits at 9001 MHz x 2); Ada architecture whitepaper v2 (FLOP/clock/SM, 96 MB L2 of AD102); "
      "nvidia-smi of such cards, as published by a user (highest SM clock 2520 MHz); CUDA programming guide, "
      "compute capability 8.9. Not verified: L2, which some cards report as 48 MB; the larger one is the "
      "safe one";
  return spec;
}

constexpr DeviceSpec rtx_4090() {
  DeviceSpec spec = ada();
  spec.name = "rtx_4090";
  spec.full_name = "NVIDIA GeForce RTX 4090";
  spec.sms = 128;
  spec.boost_mhz = 3105;
  spec.dram_gbps_per_pin = 21.002;
  spec.l2_bytes = 75497472;
  spec.dram_bytes = 24LL * 1024 * 1024 * 1024;
  spec.rates = kRtx4090Rates;
  spec.source =
      "Ada architecture whitepaper v2, appendix A (128 SMs, boost 2520 MHz, FLOP/clock/SM with FP32 "
      "accumulation, "
      "72 MB L2, 1008 GB/s are GDDR6X on 384 bits); nvidia-smi of such cards, as published by users (highest "
      "SM "
      "clock 3105 MHz, memory 10501 MHz x 2); CUDA programming guide, compute capability 8.9";
  return spec;
}

constexpr std::array<DeviceSpec, 2> kRows{l40s(), rtx_4090()};

}  // namespace

std::span<const DeviceSpec> nvidia_ada_rows();
std::span<const DeviceSpec> nvidia_ada_rows() {
  static const auto rows = with_shipped_calibrations(kRows);
  return rows;
}

}  // namespace uc::devices
