#pragma once
// Why: a device as factors with sources, so that both ceilings can be recomputed and checked against the
// datasheet.
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/kernel.h"

namespace uc {

/// Dense rate of one unit for one way to multiply, accumulating in f32 (f64 for f64, i32 for i8).
struct UnitRate {
  Math math;                      ///< f32 and f64 are the FMA units where no tensor core takes them
  double flops_per_clock_per_sm;  ///< multiply-add counts 2
  double calibrated_tflops = 0;   ///< best sustained rate seen; 0 when never measured
};

struct DeviceSpec {
  std::string_view name;       ///< "h200"
  std::string_view full_name;  ///< as the driver prints it: "NVIDIA H200"
  std::string_view arch;       ///< "sm_90a"
  int sms;
  double boost_mhz;          ///< highest SM clock: certified bounds use it
  double datasheet_mhz;      ///< SM clock at which the factors give the datasheet's tensor rates
  double dram_bits;          ///< bus width
  double dram_gbps_per_pin;  ///< data rate a pin, Gbit/s
  int64_t l2_bytes;
  int64_t dram_bytes;
  int64_t smem_per_block;  ///< opt-in limit, bytes
  int64_t smem_per_sm;     ///< bytes
  int64_t registers_per_sm;
  double special_per_clock_per_sm;   ///< special-function results
  double int32_per_clock_per_sm;     ///< 32-bit integer additions
  double half_fma_per_clock_per_sm;  ///< f16 multiply-adds outside the tensor cores, packed in pairs
  std::span<const UnitRate> rates;
  std::string_view source;  ///< where the factors come from

  // Best seen (sol/calibration.h); 0 when never measured. Rates are of the whole device.
  double calibrated_mhz = 0;           ///< SM clock that was sampled while the rates were seen
  double calibrated_dram_tbps = 0;     ///< read + write, TB/s
  double calibrated_fma_tops = 0;      ///< f32 multiply-add instructions, 1e12 a second
  double calibrated_special_tops = 0;  ///< special-function results
  double calibrated_integer_tops = 0;  ///< 32-bit integer instructions
  double launch_us = 2.0;              ///< least time between dependent launches; assumed until measured

  double dram_bytes_per_second() const { return dram_bits / 8.0 * dram_gbps_per_pin * 1e9; }
  /// FLOP/s at the highest clock; 0 when the device has no such unit.
  double peak_flops(Math math) const;
  bool multiplies(Math math) const { return peak_flops(math) > 0; }
  double calibrated_flops(Math math) const;  ///< FLOP/s, or the peak when never measured
};

}  // namespace uc
