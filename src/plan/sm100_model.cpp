#include "plan/sm100_model.h"

#include <algorithm>
#include <array>

#include "plan/model_parts.h"

namespace uc {
namespace {

// Assumed, as other kernels show on an H200; never measured on SM100.
constexpr double kShare = 0.8;   // of the multiplier's rate, within a tile
constexpr double kFillUs = 4.0;  // first loads, accumulators to memory, last store
constexpr int64_t kTileColumns =
    128;  // with fewer columns operands arrive more slowly than they are multiplied

struct Choice {
  int64_t m, n, cluster_m, cluster_n;
};
constexpr std::array<Choice, 12> kChoices{{{256, 256, 2, 1},
                                           {256, 128, 2, 1},
                                           {256, 192, 2, 1},
                                           {256, 64, 2, 1},
                                           {256, 256, 4, 1},
                                           {256, 256, 2, 2},
                                           {256, 128, 2, 2},
                                           {128, 256, 1, 1},
                                           {128, 128, 1, 1},
                                           {128, 64, 1, 1},
                                           {128, 32, 1, 1},
                                           {128, 128, 1, 2}}};
constexpr int64_t kTileK = 64;

}  // namespace

std::vector<Config> sm100_configs(const Launch& launch, const DeviceSpec&) {
  std::vector<Config> out;
  const auto& given = std::get<ContractionConfig>(launch.config);
  for (const Choice& choice : kChoices) {
    ContractionConfig config = given;
    if (config.tile_m == 0) {
      config.tile_m = choice.m;
      config.tile_n = choice.n;
      config.tile_k = kTileK;
    }
    if (config.cluster_m == 0) {
      config.cluster_m = choice.cluster_m;
      config.cluster_n = choice.cluster_n;
    }
    config.schedule = ContractionConfig::Schedule::warp_specialized;
    if (config.raster == ContractionConfig::Raster::automatic)
      config.raster = ContractionConfig::Raster::along_m;
    if (config.swizzle == 0) config.swizzle = 1;
    if (std::ranges::find(out, Config(config)) == out.end()) out.emplace_back(config);
  }
  return out;
}

Estimate sm100_model(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Contraction>(launch.kernel);
  const auto& config = std::get<ContractionConfig>(launch.config);
  Estimate out;
  // A cluster computes its tiles side by side; clusters follow one another.
  const int64_t blocks_m = up(up(kernel.m(), std::min<int64_t>(config.tile_m, 128)), config.cluster_m);
  const int64_t blocks_n = up(up(kernel.n(), config.tile_n), config.cluster_n);
  const int64_t clusters = blocks_m * blocks_n * kernel.batch();
  const int64_t at_once =
      std::max<int64_t>(1, device.sms / std::max<int64_t>(1, config.cluster_m * config.cluster_n));
  out.waves = real(up(clusters, at_once));
  const double rate = device.peak_flops(kernel.math) / device.sms * kShare;  // FLOP/s an SM
  const double flops = 2 * 128 * real(std::max(config.tile_n, kTileColumns)) * real(kernel.k());
  out.compute_us = out.waves * flops / rate * 1e6;
  const double bytes =
      real(kernel.batch()) * (real((kernel.m() + kernel.n()) * kernel.k() * size_bytes(kernel.a.dtype)) +
                              real(kernel.m() * kernel.n()) * epilogue_bytes(kernel));
  out.memory_us = bytes / seen_bandwidth(device) * 1e6;
  out.total_us = std::max(out.compute_us, out.memory_us) + kFillUs + device.launch_us;
  out.efficiency = efficiency(kernel, kernel.math, out.total_us, device);
  return out;
}

}  // namespace uc
