#include "plan/map_model.h"

#include <algorithm>

#include "catalog/scalar_fn.h"

namespace uc {
namespace {

// Distinct elements that a view touches: broadcast dimensions once.
double distinct(const View& view) {
  double count = 1;
  for (size_t d = 0; d < view.shape.size(); ++d) count *= view.stride[d] == 0 ? 1.0 : static_cast<double>(view.shape[d]);
  return count;
}

}  // namespace

std::vector<Config> map_configs(const Launch& launch, const DeviceSpec&) { return {launch.config}; }

Estimate map_model(const Launch& launch, const DeviceSpec& device) {
  double bytes = 0;
  double fma = 0;
  double special = 0;
  for (const Map::Body& body : std::get<Map>(launch.kernel).bodies) {
    for (const View& view : body.scalar.views) bytes += distinct(view) * static_cast<double>(size_bytes(view.dtype));
    for (const Node& node : body.scalar.nodes) {
      if (node.kind != Node::Kind::call) continue;
      fma += node.fn->fma_ops * static_cast<double>(numel(body.domain));
      special += node.fn->special_ops * static_cast<double>(numel(body.domain));
    }
  }
  Estimate out;
  const double bandwidth = device.calibrated_dram_tbps > 0 ? device.calibrated_dram_tbps * 1e12 : device.dram_bytes_per_second();
  const double lanes = device.sms * device.boost_mhz;   // clocks a microsecond over all SMs
  out.memory_us = bytes / bandwidth * 1e6;
  out.compute_us = std::max(fma / (128.0 * lanes), special / (device.special_per_clock_per_sm * lanes));
  out.total_us = std::max(out.memory_us, out.compute_us) + device.launch_us;
  out.efficiency = out.memory_us / out.total_us;
  return out;
}

}  // namespace uc
