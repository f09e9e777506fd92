// NVIDIA RTX Blackwell (GB202) as factors: theoretical rates are factors times the highest SM clock.
#include <array>

#include "catalog/catalog.h"
#include "sol/calibration.h"

namespace uc::devices {
namespace {

// GeForce RTX 5090 (NVIDIA RTX Blackwell GPU architecture whitepaper, appendix A, dense: FP16 with FP32
// accumulation 209.5 TFLOP/s on 170 SMs at 2.407 GHz is 512, half of what it is with FP16 accumulation; BF16
// 209.5; TF32 104.8 is 256; FP8 with FP32 accumulation 419 is 1024; INT8 838 is 2048; FP32 104.8 is 256; FP64
// is two lanes an SM). tf32x3 and f16x3 do three products for one. FP4 and FP6 are no types of the language.
constexpr std::array<UnitRate, 9> kRtx5090Rates{{{Math::f32, 256},
                                                 {Math::tf32, 256},
                                                 {Math::tf32x3, 256.0 / 3},
                                                 {Math::f16x3, 512.0 / 3},
                                                 {Math::f16, 512},
                                                 {Math::bf16, 512},
                                                 {Math::f8, 1024},
                                                 {Math::i8, 2048},
                                                 {Math::f64, 4}}};

constexpr DeviceSpec rtx_5090() {
  DeviceSpec spec{};
  spec.name = "rtx_5090";
  spec.full_name = "NVIDIA GeForce RTX 5090";
  spec.arch = "sm_120a";
  spec.sms = 170;
  spec.boost_mhz = 3090;
  spec.datasheet_mhz = 2407;
  spec.dram_bits = 512;
  spec.dram_gbps_per_pin = 28.002;
  spec.l2_bytes = 100663296;
  spec.dram_bytes = 32LL * 1024 * 1024 * 1024;
  spec.smem_per_block = 101376;
  spec.smem_per_sm = 102400;
  spec.registers_per_sm = 65536;
  spec.special_per_clock_per_sm = 16;
  spec.int32_per_clock_per_sm = 128;
  spec.half_fma_per_clock_per_sm = 128;
  spec.rates = kRtx5090Rates;
  spec.source =
      "RTX Blackwell architecture whitepaper, appendix A (170 SMs, boost 2407 MHz, FLOP/clock/SM, 96 MB L2, "
      "32 GB, 1792 GB/s are GDDR7 on 512 bits at 14001 MHz x 2); CUDA programming guide, compute capability "
      "12.0 (shared memory, registers). Not verified: the highest SM clock, 3090 MHz as users report "
      "nvidia-smi; special and half rates taken as Ada's; integer rate as announced, twice Ada's";
  return spec;
}

constexpr std::array<DeviceSpec, 1> kRows{rtx_5090()};

}  // namespace

std::span<const DeviceSpec> nvidia_blackwell_rtx_rows();
std::span<const DeviceSpec> nvidia_blackwell_rtx_rows() {
  static const auto rows = with_shipped_calibrations(kRows);
  return rows;
}

}  // namespace uc::devices
