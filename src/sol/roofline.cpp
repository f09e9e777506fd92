#include "sol/roofline.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace uc::sol {
namespace {

// A rate was seen at some clock of the SMs: a lower one lowers it in proportion; a higher one promises
// nothing, since nothing was seen there. Nothing seen (0): the theoretical rate.
double rate_of(double peak, double seen, const DeviceSpec& device, Ceiling ceiling, double clock_mhz) {
  const double at_clock = peak * clock_mhz / device.boost_mhz;
  if (ceiling == Ceiling::theoretical || seen <= 0) return at_clock;
  const bool slower = device.calibrated_mhz > 0 && clock_mhz < device.calibrated_mhz;
  return std::min(at_clock, slower ? seen * clock_mhz / device.calibrated_mhz : seen);
}

double bandwidth(const DeviceSpec& device, Ceiling ceiling) {
  const bool measured = ceiling == Ceiling::calibrated && device.calibrated_dram_tbps > 0;
  return measured ? device.calibrated_dram_tbps * 1e12 : device.dram_bytes_per_second();
}

double microseconds(double work, double rate) {
  if (work == 0) return 0;
  return rate > 0 ? work / rate * 1e6 : std::numeric_limits<double>::infinity();
}

// Integers of 8 bits are exact in f16, and so are their products in f32: a device that is slow in them
// multiplies them so. What it has no unit for stays an error.
Math exact_way(Math math, const DeviceSpec& device) {
  const bool through_f16 =
      math == Math::i8 && device.multiplies(math) && device.peak_flops(Math::f16) > device.peak_flops(math);
  return through_f16 ? Math::f16 : math;
}

}  // namespace

Math fastest_math(Precision precision, const DeviceSpec& device) {
  // From the most accurate to the least.
  constexpr std::array kWays{
      std::pair(Precision::strict, Math::f32),   std::pair(Precision::strict, Math::tf32x3),
      std::pair(Precision::strict, Math::f16x3), std::pair(Precision::tf32, Math::tf32),
      std::pair(Precision::f16, Math::f16),      std::pair(Precision::bf16, Math::bf16),
      std::pair(Precision::f8, Math::f8)};
  Math best = Math::f32;
  for (const auto& [allows, math] : kWays) {
    if (allows > precision) break;
    const bool own = allows == precision && precision != Precision::strict;
    if (own && !device.multiplies(math)) return math;
    if (device.peak_flops(math) >= device.peak_flops(best)) best = math;
  }
  return best;
}

SolTime time_of(const Demand& demand, const DeviceSpec& device, Ceiling ceiling, double clock_mhz) {
  const auto rate = [&](double peak, double seen) { return rate_of(peak, seen, device, ceiling, clock_mhz); };
  const double clocks = device.sms * device.boost_mhz * 1e6;  // a second, over all SMs
  SolTime out;
  for (const auto& [math, flops] : demand.flops) {
    const Math fastest = exact_way(math, device);
    out.tensor_us += microseconds(flops, rate(device.peak_flops(fastest), device.calibrated_flops(fastest)));
  }
  // One multiply-add instruction a lane: half of the FMA units' FLOP rate.
  out.fma_us =
      microseconds(demand.fma_ops, rate(device.peak_flops(Math::f32) / 2, device.calibrated_fma_tops * 1e12));
  out.special_us = microseconds(demand.special_ops, rate(device.special_per_clock_per_sm * clocks,
                                                         device.calibrated_special_tops * 1e12));
  out.integer_us = microseconds(demand.integer_ops, rate(device.int32_per_clock_per_sm * clocks,
                                                         device.calibrated_integer_tops * 1e12));
  out.memory_us = microseconds(demand.read_bytes + demand.write_bytes, bandwidth(device, ceiling));
  const std::array<std::pair<double, std::string_view>, 5> units{{{out.tensor_us, "tensor"},
                                                                  {out.memory_us, "memory"},
                                                                  {out.fma_us, "fma"},
                                                                  {out.special_us, "special"},
                                                                  {out.integer_us, "integer"}}};
  for (const auto& [time, unit] : units) {
    if (time <= out.total_us) continue;
    out.total_us = time;
    out.by = unit;
  }
  return out;
}

SolTime certified_time(Demand demand, const DeviceSpec& device, double clock_mhz) {
  demand.fma_ops /= kScalarSlack;
  demand.special_ops /= kScalarSlack;
  demand.integer_ops /= kScalarSlack;
  demand.write_bytes = std::max(0.0, demand.write_bytes - static_cast<double>(device.l2_bytes));
  return time_of(demand, device, Ceiling::theoretical, clock_mhz);
}

}  // namespace uc::sol
