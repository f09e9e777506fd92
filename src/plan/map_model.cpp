#include "plan/map_model.h"

#include <algorithm>

#include "plan/map_shape.h"
#include "plan/model_parts.h"
#include "plan/scalar_cost.h"

namespace uc {
namespace {

constexpr double kLatencyNs =
    800;  // of a load under load; with the bandwidth it says how much must be in flight
constexpr double kThreadsPerSm = 2048;
constexpr double kOtherBlock = 1.002;  // blocks other than 256 threads only where they help
constexpr int64_t kUsualThreads = 256;

// Distinct elements that a view touches: broadcast dimensions once.
double distinct(const View& view) {
  double count = 1;
  for (size_t d = 0; d < view.shape.size(); ++d)
    count *= view.stride[d] == 0 ? 1.0 : static_cast<double>(view.shape[d]);
  return count;
}

bool stored(const Scalar& scalar, size_t view) {
  return std::ranges::any_of(scalar.effects, [view](const Effect& effect) { return effect.view == view; });
}

}  // namespace

std::vector<Config> map_configs(const Launch& launch, int64_t widest) {
  const auto& given = std::get<MapConfig>(launch.config);
  std::vector<Config> out;
  for (const int64_t vector : {widest, widest / 2}) {
    for (const int64_t threads : {256, 128, 512}) {
      MapConfig config = given;
      if (given.vector == 0) config.vector = std::max<int64_t>(1, vector);
      if (given.threads == 0) config.threads = threads;
      if (std::ranges::find(out, Config(config)) == out.end()) out.emplace_back(config);
    }
  }
  return out;
}

Estimate map_model(const Launch& launch, const DeviceSpec& device) {
  const auto& config = std::get<MapConfig>(launch.config);
  const auto vector = static_cast<double>(std::max<int64_t>(1, config.vector));
  const auto threads = static_cast<double>(config.threads > 0 ? config.threads : kUsualThreads);
  double bytes = 0;
  double fma = 0;
  double special = 0;
  double in_flight = 0;  // bytes read that are under way at once
  double blocks = 0;
  double wasted = 0;  // bytes of sectors that are moved for one element each
  for (const Map::Body& body : std::get<Map>(launch.kernel).bodies) {
    const CollapsedBody shape = collapse(body, config.vector);
    const auto elements = static_cast<double>(numel(body.domain));
    double read = 0;  // of one element
    for (size_t v = 0; v < body.scalar.views.size(); ++v) {
      const View& view = body.scalar.views[v];
      const double moved = distinct(view) * static_cast<double>(size_bytes(view.dtype));
      bytes += moved;
      wasted += moved * (map_waste(shape, body, v) - 1);
      if (!stored(body.scalar, v))
        read += static_cast<double>(size_bytes(view.dtype)) * distinct(view) / elements;
    }
    const double at_once =
        shape.tile ? real(shape.tile->batches * shape.tile->rows * shape.tile->columns) / threads : vector;
    const double resident = std::min(elements / at_once, kThreadsPerSm * device.sms);
    in_flight = std::max(in_flight, resident * at_once * read);
    blocks += elements / at_once / threads;
    const ScalarCost cost = scalar_cost(body.scalar);
    fma += cost.fma * elements;
    special += cost.special * elements;
  }
  Estimate out;
  const double peak = seen_bandwidth(device);
  const double reached = std::clamp(in_flight / (peak * kLatencyNs * 1e-9), 0.05, 1.0);
  const double clocks = device.sms * device.boost_mhz;  // a microsecond, over all SMs
  out.memory_us = bytes / peak * 1e6;
  // Few blocks leave SMs idle.
  const double busy = std::clamp(blocks / device.sms, 1.0 / device.sms, 1.0);
  out.compute_us =
      std::max(fma / (128.0 * clocks), special / (device.special_per_clock_per_sm * clocks)) / busy;
  out.total_us = std::max(out.memory_us / reached + wasted / peak * 1e6, out.compute_us) + kLatencyNs * 1e-3;
  if (static_cast<int64_t>(threads) != kUsualThreads) out.total_us *= kOtherBlock;
  out.total_us += device.launch_us;
  out.waves = blocks * threads / (kThreadsPerSm * device.sms);
  out.efficiency = out.memory_us / out.total_us;
  return out;
}

}  // namespace uc
