#include "sol/roofline.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace uc::sol {
namespace {

double flops_rate(const DeviceSpec& device, Math math, Ceiling ceiling, double clock_mhz) {
  const double scale = clock_mhz / device.boost_mhz;
  const double peak = device.peak_flops(math) * scale;
  // A measured rate holds at the clocks that it was measured at; a lower clock can only lower the ceiling
  // above it.
  return ceiling == Ceiling::theoretical ? peak : std::min(device.calibrated_flops(math), peak);
}

double bandwidth(const DeviceSpec& device, Ceiling ceiling) {
  const bool measured = ceiling == Ceiling::calibrated && device.calibrated_dram_tbps > 0;
  return measured ? device.calibrated_dram_tbps * 1e12 : device.dram_bytes_per_second();
}

double microseconds(double work, double rate) {
  if (work == 0) return 0;
  return rate > 0 ? work / rate * 1e6 : std::numeric_limits<double>::infinity();
}

}  // namespace

SolTime time_of(const Demand& demand, const DeviceSpec& device, Ceiling ceiling, double clock_mhz) {
  SolTime out;
  for (const auto& [math, flops] : demand.flops)
    out.tensor_us += microseconds(flops, flops_rate(device, math, ceiling, clock_mhz));
  // One multiply-add instruction a lane: half of the FMA units' FLOP rate, at the clock whatever the ceiling.
  out.fma_us =
      microseconds(demand.fma_ops, flops_rate(device, Math::f32, Ceiling::theoretical, clock_mhz) / 2);
  out.special_us =
      microseconds(demand.special_ops, device.special_per_clock_per_sm * device.sms * clock_mhz * 1e6);
  out.memory_us = microseconds(demand.read_bytes + demand.write_bytes, bandwidth(device, ceiling));
  const std::array<std::pair<double, std::string_view>, 4> units{{{out.tensor_us, "tensor"},
                                                                  {out.memory_us, "memory"},
                                                                  {out.fma_us, "fma"},
                                                                  {out.special_us, "special"}}};
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
  demand.write_bytes = std::max(0.0, demand.write_bytes - static_cast<double>(device.l2_bytes));
  return time_of(demand, device, Ceiling::theoretical, clock_mhz);
}

}  // namespace uc::sol
