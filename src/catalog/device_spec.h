#pragma once
// Why: a device as factors with sources, so that both ceilings can be recomputed and checked against the
// datasheet.
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/kernel.h"

namespace uc {

/// Dense rate of one unit for one way to multiply.
struct UnitRate {
  Math math;                      ///< f32 and f64 are the FMA units, the others tensor cores
  double flops_per_clock_per_sm;  ///< multiply-add counts 2
  double calibrated_tflops;       ///< best sustained rate seen; 0 when never measured
};

struct DeviceSpec {
  std::string_view name;       ///< "h200"
  std::string_view full_name;  ///< as the driver prints it: "NVIDIA H200"
  std::string_view arch;       ///< "sm_90a"
  int sms;
  double boost_mhz;             ///< highest SM clock: certified bounds use it
  double dram_bits;             ///< bus width
  double dram_gbps_per_pin;     ///< data rate a pin, Gbit/s
  double calibrated_dram_tbps;  ///< best seen, read + write, TB/s; 0 when never measured
  int64_t l2_bytes;
  int64_t dram_bytes;
  int64_t smem_per_block;  ///< opt-in limit, bytes
  int64_t smem_per_sm;     ///< bytes
  int64_t registers_per_sm;
  double special_per_clock_per_sm;  ///< special-function results
  double launch_us;                 ///< least time between dependent launches, calibrated
  std::span<const UnitRate> rates;
  std::string_view source;  ///< where the factors come from

  double dram_bytes_per_second() const { return dram_bits / 8.0 * dram_gbps_per_pin * 1e9; }
  /// FLOP/s at the highest clock; 0 when the device has no such unit.
  double peak_flops(Math math) const;
  double calibrated_flops(Math math) const;  ///< FLOP/s, or the peak when never measured
};

}  // namespace uc
