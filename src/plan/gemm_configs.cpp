#include <algorithm>
#include <utility>

#include "plan/gemm_choices.h"
#include "plan/gemm_model.h"
#include "plan/model_parts.h"
#include "plan/smem_model.h"

namespace uc {
namespace {

using gemm_choices::Schedule;
using Raster = ContractionConfig::Raster;

// 128 bytes of K: one row of the widest shared-memory swizzle.
int64_t tile_k(const Contraction& kernel) { return 128 / size_bytes(kernel.a.dtype); }

// The order of tiles with the least modelled time: it is an argument of the kernel, not part of it.
void order_tiles(const Contraction& kernel, const DeviceSpec& device, ContractionConfig& config) {
  const ContractionConfig given = config;
  if (given.schedule == Schedule::warp_specialized) return;  // the hardware's order
  double best = 0;
  for (const int64_t swizzle : {1, 2, 4, 8}) {
    if (given.swizzle != 0 && given.swizzle != swizzle) continue;
    // Along the shorter side first: what CUTLASS's own heuristic does.
    const bool wide = up(kernel.n(), given.tile_n) > up(kernel.m(), given.tile_m);
    for (const Raster raster :
         {wide ? Raster::along_m : Raster::along_n, wide ? Raster::along_n : Raster::along_m}) {
      if (given.raster != Raster::automatic && given.raster != raster) continue;
      ContractionConfig candidate = given;
      candidate.swizzle = swizzle;
      candidate.raster = raster;
      const double time = gemm_time(kernel, candidate, device).total_us;
      if (best != 0 && time >= best * 0.999) continue;  // ties go to the simpler order
      best = time;
      config = candidate;
    }
  }
}

// The clusters of one tile, best modelled time first; knobs that are given stay.
std::vector<ContractionConfig> clusters_of(const Contraction& kernel, const DeviceSpec& device,
                                           const ContractionConfig& tile, int64_t columns) {
  std::vector<std::pair<double, ContractionConfig>> timed;
  std::vector<ClusterChoice> choices(gemm_choices::kClusters.begin(), gemm_choices::kClusters.end());
  if (columns > 0) {
    choices.insert(choices.end(), gemm_choices::kWideClusters.begin(), gemm_choices::kWideClusters.end());
  }
  for (const ClusterChoice& cluster : choices) {
    ContractionConfig config = tile;
    const int64_t held = tile.tile_n * (tile.cluster_m == 0 ? cluster.n : tile.cluster_n);
    if (columns > 0 && held % columns != 0) continue;
    if (tile.cluster_m == 0) {
      if (cluster.m > up(kernel.m(), config.tile_m) || cluster.n > up(kernel.n(), config.tile_n)) continue;
      config.cluster_m = cluster.m;
      config.cluster_n = cluster.n;
    }
    order_tiles(kernel, device, config);
    timed.emplace_back(gemm_time(kernel, config, device).total_us, config);
  }
  std::ranges::stable_sort(timed, {}, &std::pair<double, ContractionConfig>::first);
  std::vector<ContractionConfig> out;
  for (const auto& [time, config] : timed) {
    if (out.size() < gemm_choices::kClustersPerTile && std::ranges::find(out, config) == out.end())
      out.push_back(config);
  }
  return out;
}

// Parts of K that give every SM a tile, none shorter than eight tiles.
int64_t parts_of_k(const Contraction& kernel, const DeviceSpec& device, const ContractionConfig& config) {
  const int64_t tiles = kernel.batch() * up(kernel.m(), config.tile_m) * up(kernel.n(), config.tile_n);
  const int64_t most = std::max<int64_t>(1, up(kernel.k(), config.tile_k) / 8);
  return std::clamp<int64_t>(device.sms / tiles, 1, most);
}

}  // namespace

std::vector<Config> gemm_configs(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Contraction>(launch.kernel);
  const auto& given = std::get<ContractionConfig>(launch.config);
  std::vector<Config> out;
  for (const TileChoice& choice : gemm_choices::kTiles) {
    ContractionConfig tile = given;
    if (given.tile_m == 0) {
      tile.tile_m = choice.m;
      tile.tile_n = choice.n;
      tile.tile_k = tile_k(kernel);
    }
    if (given.split > 1 && given.scheduler == ContractionConfig::Scheduler::automatic)
      tile.scheduler = ContractionConfig::Scheduler::split_k;
    if (given.schedule == Schedule::automatic) tile.schedule = choice.schedule;
    if (tile.scheduler == ContractionConfig::Scheduler::split_k && given.split == 0)
      tile.split = parts_of_k(kernel, device, tile);
    if (given.stages == 0) {
      const int64_t stages = stages_that_fit(kernel, tile, device.smem_per_block);
      if (stages >= 2) tile.stages = stages;
    }
    for (const ContractionConfig& config : clusters_of(kernel, device, tile, launch.columns)) {
      if (std::ranges::find(out, Config(config)) == out.end()) out.emplace_back(config);
    }
  }
  return out;
}

}  // namespace uc
