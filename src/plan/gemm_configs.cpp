#include <algorithm>
#include <array>
#include <utility>

#include "check/slices.h"
#include "plan/epilogue_rows.h"
#include "plan/gemm_choices.h"
#include "plan/gemm_model.h"
#include "plan/model_parts.h"
#include "plan/smem_model.h"

namespace uc {
namespace {

using gemm_choices::Schedule;
using Raster = ContractionConfig::Raster;
using Scheduler = ContractionConfig::Scheduler;

// 128 bytes of K: one row of the widest shared-memory swizzle.
int64_t tile_k(const Contraction& kernel) { return 128 / size_bytes(kernel.a.dtype); }

// The order of tiles with the least modelled time: it is an argument of the kernel, not part of it.
void order_tiles(const Contraction& kernel, const DeviceSpec& device, ContractionConfig& config) {
  const ContractionConfig given = config;
  if (given.schedule == Schedule::warp_specialized) return;  // the hardware's order
  if (given.skip_zeros || kernel.ends) return;               // orders of their own
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
    const int64_t width = tile.cluster_m == 0 ? cluster.n : tile.cluster_n;
    const bool held = kernel.meet != 0 ? holds_rows(kernel, tile.tile_n, width)
                                       : columns <= 0 || tile.tile_n * width % columns == 0;
    if (!held) continue;
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

constexpr int64_t kLeastSteps = 8;                 // of K in a slice, twice what UC2208 warns of
constexpr int64_t kMostWaves = 2;                  // of whole tiles, where slices can still help
constexpr std::array<int64_t, 3> kWaves{1, 2, 4};  // that slices are to fill

// Numbers of slices that fill whole waves of SMs; 0: K in one piece. What is given stays.
std::vector<int64_t> slices_to_try(const Contraction& kernel, const ContractionConfig& given,
                                   const ContractionConfig& tile, const DeviceSpec& device) {
  if (given.skip_zeros || kernel.ends) return {given.split};  // schedulers of their own
  // Where all other knobs are given, as in what was chosen once, K stays in one piece.
  const bool whole =
      given.tile_m != 0 && given.cluster_m != 0 && given.stages != 0 && given.schedule != Schedule::automatic;
  const bool open = given.scheduler == Scheduler::automatic && !whole;
  const bool sliced = given.scheduler == Scheduler::split_k;
  if (given.split != 0) return {!sliced && given.split == 1 ? 0 : given.split};
  if (kernel.meet != 0) return {0};  // what meets in a row needs whole sums
  if (!open && !sliced) return {0};
  std::vector<int64_t> out;
  if (open) out.push_back(0);
  const int64_t tiles = kernel.batch() * up(kernel.m(), tile.tile_m) * up(kernel.n(), tile.tile_n);
  const int64_t most = up(kernel.k(), tile.tile_k) / kLeastSteps;
  for (const int64_t waves : kWaves) {
    const int64_t count = std::min(waves * device.sms / tiles, most);
    const bool helps = !open || tiles <= kMostWaves * device.sms;
    if (count > 1 && helps && std::ranges::find(out, count) == out.end()) out.push_back(count);
  }
  if (out.empty()) out.push_back(std::clamp<int64_t>(most, 1, 2));
  return out;
}

// Tile, schedule and slices, before clusters are chosen.
ContractionConfig tile_config(const Contraction& kernel, const ContractionConfig& given,
                              const TileChoice& choice) {
  ContractionConfig tile = given;
  if (given.tile_m == 0) {
    tile.tile_m = choice.m;
    tile.tile_n = choice.n;
    tile.tile_k = tile_k(kernel);
  }
  if (given.schedule == Schedule::automatic) tile.schedule = choice.schedule;
  return tile;
}

ContractionConfig in_slices_of(const Contraction& kernel, const ContractionConfig& given, int64_t count,
                               const DeviceSpec& device) {
  ContractionConfig out = given;
  if (count > 0) out.split = count;
  if (count > 0 && given.scheduler == Scheduler::automatic) out.scheduler = Scheduler::split_k;
  if (given.stages != 0) return out;
  const int64_t stages =
      stages_that_fit(in_slices(kernel, out) ? slice_product(kernel) : kernel, out, device.smem_per_block);
  if (stages >= 2) out.stages = stages;
  return out;
}

}  // namespace

std::vector<Config> gemm_configs(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Contraction>(launch.kernel);
  const auto& given = std::get<ContractionConfig>(launch.config);
  std::vector<Config> out;
  for (const TileChoice& choice : gemm_choices::kTiles) {
    const ContractionConfig tile = tile_config(kernel, given, choice);
    for (const int64_t count : slices_to_try(kernel, given, tile, device)) {
      const ContractionConfig cut = in_slices_of(kernel, tile, count, device);
      for (const ContractionConfig& config : clusters_of(kernel, device, cut, launch.columns)) {
        if (std::ranges::find(out, Config(config)) == out.end()) out.emplace_back(config);
      }
    }
  }
  return out;
}

}  // namespace uc
