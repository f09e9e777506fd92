// NVIDIA Blackwell (two dies that programs see as one) as factors: theoretical rates are factors times the
// highest SM clock.
#include <array>

#include "catalog/catalog.h"
#include "sol/calibration.h"

namespace uc::devices {
namespace {

// B200 (NVIDIA Blackwell architecture technical brief, HGX B200, a GPU, dense: FP16 2.25 PFLOP/s on the 148
// SMs of both dies is 8192 FLOP/clock/SM at 1.856 GHz; TF32 1.1 is 4096, FP8 and FP6 4.5 and INT8 4.5 are
// 16384; sparse figures are twice these; FP64 37 TFLOP/s is 128 and FP32 75 is 256 at 1.965 GHz). tf32x3 and
// f16x3 do three products for one. FP4 and FP6 are no types of the language.
constexpr std::array<UnitRate, 9> kB200Rates{{{Math::f32, 256},
                                              {Math::tf32, 4096},
                                              {Math::tf32x3, 4096.0 / 3},
                                              {Math::f16x3, 8192.0 / 3},
                                              {Math::f16, 8192},
                                              {Math::bf16, 8192},
                                              {Math::f8, 16384},
                                              {Math::i8, 16384},
                                              {Math::f64, 128}}};

// B300: the same but for INT8 (153.5 TOP/s at 2.03 GHz, 512) and FP64 (1.2 TFLOP/s, two lanes an SM).
constexpr std::array<UnitRate, 9> kB300Rates{{{Math::f32, 256},
                                              {Math::tf32, 4096},
                                              {Math::tf32x3, 4096.0 / 3},
                                              {Math::f16x3, 8192.0 / 3},
                                              {Math::f16, 8192},
                                              {Math::bf16, 8192},
                                              {Math::f8, 16384},
                                              {Math::i8, 512},
                                              {Math::f64, 4}}};

// Common to both: CUDA programming guide, compute capability 10.x. The bus is counted as the driver does,
// without the bits that carry its error correction: 7680 of 8192.
constexpr DeviceSpec blackwell() {
  DeviceSpec spec{};
  spec.sms = 148;
  spec.datasheet_mhz = 1856;
  spec.dram_bits = 7680;
  spec.dram_gbps_per_pin = 7.992;
  spec.l2_bytes = 132644864;
  spec.smem_per_block = 232448;
  spec.smem_per_sm = 233472;
  spec.registers_per_sm = 65536;
  spec.special_per_clock_per_sm = 16;
  spec.int32_per_clock_per_sm = 64;
  spec.half_fma_per_clock_per_sm = 256;
  return spec;
}

constexpr DeviceSpec b200() {
  DeviceSpec spec = blackwell();
  spec.name = "b200";
  spec.full_name = "NVIDIA B200";
  spec.arch = "sm_100a";
  spec.boost_mhz = 1965;
  spec.dram_bytes = 180LL * 1000 * 1000 * 1000;
  spec.rates = kB200Rates;
  spec.source =
      "Blackwell architecture technical brief, HGX B200 (dense rates, 180 GB, 7.7 TB/s); nvidia-smi and "
      "device "
      "properties of such cards, as published by users (148 SMs on two dies, highest SM clock 1965 MHz, L2 "
      "126.5 "
      "MiB, 7680 bits at 3996 MHz x 2 = 7.67 TB/s); CUDA programming guide, compute capability 10.0. Not "
      "verified: "
      "integer and half rates taken as Hopper's";
  return spec;
}

constexpr DeviceSpec b300() {
  DeviceSpec spec = blackwell();
  spec.name = "b300";
  spec.full_name = "NVIDIA B300 SXM6 AC";
  spec.arch = "sm_103a";
  spec.boost_mhz = 2032;
  spec.special_per_clock_per_sm = 32;
  spec.dram_bytes = 288LL * 1000 * 1000 * 1000;
  spec.rates = kB300Rates;
  spec.source =
      "Blackwell Ultra datasheet, HGX B300, a GPU (dense FP16 2.25, FP8 4.5 PFLOP/s, INT8 153.5 TOP/s, FP64 "
      "1.2 TFLOP/s, 288 GB, 7.7 TB/s), as quoted by others; nvidia-smi and device properties of such cards, "
      "as published by users (148 SMs on two dies, highest SM clock 2032 MHz, L2 126.5 MiB, 7680 bits at "
      "3996 MHz x 2 = 7.67 TB/s). Not verified: the special-function rate, twice Blackwell's as announced "
      "for exponentials and not seen by all who measured; integer and half rates taken as Hopper's";
  return spec;
}

constexpr std::array<DeviceSpec, 2> kRows{b200(), b300()};

}  // namespace

std::span<const DeviceSpec> nvidia_blackwell_rows();
std::span<const DeviceSpec> nvidia_blackwell_rows() {
  static const auto rows = with_shipped_calibrations(kRows);
  return rows;
}

}  // namespace uc::devices
