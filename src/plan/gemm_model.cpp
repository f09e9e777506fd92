#include "plan/gemm_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "catalog/scalar_fn.h"

namespace uc {
namespace {

using Schedule = ContractionConfig::Schedule;

struct TileChoice {
  int64_t m, n;
  Schedule schedule;
};
constexpr std::array<TileChoice, 9> kTiles{{{128, 256, Schedule::cooperative},
                                            {256, 128, Schedule::cooperative},
                                            {128, 192, Schedule::cooperative},
                                            {256, 64, Schedule::cooperative},
                                            {128, 128, Schedule::cooperative},
                                            {128, 128, Schedule::pingpong},
                                            {64, 256, Schedule::pingpong},
                                            {64, 192, Schedule::pingpong},
                                            {64, 128, Schedule::pingpong}}};
struct ClusterChoice {
  int64_t m, n;
};
constexpr std::array<ClusterChoice, 4> kClusters{{{2, 1}, {1, 2}, {1, 1}, {2, 2}}};

int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t default_tile_k(Math math) { return math == Math::tf32 ? 32 : 64; }

// Arithmetic of the epilogue for one element: multiply-adds and special-function results.
struct EpilogueCost {
  double fma = 0;
  double special = 0;
  double bytes = 0;
};
EpilogueCost epilogue_cost(const Contraction& kernel) {
  EpilogueCost cost;
  for (const Node& node : kernel.epilogue.nodes) {
    if (node.kind != Node::Kind::call) continue;
    cost.fma += node.fn->fma_ops;
    cost.special += node.fn->special_ops;
  }
  for (const View& view : kernel.epilogue.views) {
    if (view.stride[1] != 0 && view.stride[2] != 0) cost.bytes += static_cast<double>(size_bytes(view.dtype));
  }
  return cost;
}

// Share of the tensor core's rate that a tile sustains. 42.7 elements an operand element reach 0.51, 64 reach 0.95, 85 all
// (measured: 64x128 pingpong 420, 128x128 pingpong 786, 128x256 cooperative 828 TFLOP/s at 4096^3 in FP16).
double tile_efficiency(const ContractionConfig& config) {
  const auto m = static_cast<double>(config.tile_m);
  const auto n = static_cast<double>(config.tile_n);
  const double reuse = m * n / (m + n);
  const double base = std::min(1.0, std::pow(reuse / 66.0, 1.55));
  const double multicast = config.cluster_m * config.cluster_n > 1 ? 1.0 : 0.97;
  return base * multicast;
}

}  // namespace

std::vector<Config> gemm_configs(const Launch& launch, const DeviceSpec&) {
  const auto& kernel = std::get<Contraction>(launch.kernel);
  const auto& given = std::get<ContractionConfig>(launch.config);
  std::vector<Config> out;
  for (const TileChoice& tile : kTiles) {
    for (const ClusterChoice& cluster : kClusters) {
      ContractionConfig config = given;
      if (given.tile_m == 0) {
        config.tile_m = tile.m;
        config.tile_n = tile.n;
        config.tile_k = default_tile_k(kernel.math);
      }
      if (given.cluster_m == 0) {
        config.cluster_m = cluster.m;
        config.cluster_n = cluster.n;
      }
      if (given.schedule == Schedule::automatic) config.schedule = tile.schedule;
      if (std::find(out.begin(), out.end(), Config(config)) == out.end()) out.emplace_back(config);
    }
  }
  return out;
}

Estimate gemm_model(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Contraction>(launch.kernel);
  const auto& config = std::get<ContractionConfig>(launch.config);
  const auto tiles = static_cast<double>(kernel.batch() * up(kernel.m(), config.tile_m) * up(kernel.n(), config.tile_n));
  const int64_t cluster = std::max<int64_t>(1, config.cluster_m * config.cluster_n);
  const double slots = static_cast<double>(device.sms / cluster * cluster);
  Estimate out;
  out.waves = tiles / slots;
  const double rate = device.calibrated_flops(kernel.math) / device.sms * tile_efficiency(config);
  const double tile_elements = static_cast<double>(config.tile_m * config.tile_n);
  const double main_us = 2.0 * tile_elements * static_cast<double>(up(kernel.k(), config.tile_k) * config.tile_k) / rate * 1e6;
  const EpilogueCost cost = epilogue_cost(kernel);
  const double cycles = tile_elements * ((cost.fma + 3.0) / 128.0 + cost.special / device.special_per_clock_per_sm + cost.bytes / 40.0);
  const double epilogue_us = cycles / device.boost_mhz;
  constexpr double kPrologueUs = 1.5;   // descriptors, first loads, pipeline fill
  const double waves = std::ceil(out.waves);
  const bool hidden = config.schedule == Schedule::pingpong;
  out.compute_us = kPrologueUs + waves * main_us + (hidden ? epilogue_us : waves * epilogue_us);
  const double bytes = static_cast<double>(kernel.batch()) *
                       (static_cast<double>(kernel.m() * kernel.k() * size_bytes(kernel.a.dtype)) + static_cast<double>(kernel.n() * kernel.k() * size_bytes(kernel.b.dtype)) +
                        static_cast<double>(kernel.m() * kernel.n()) * cost.bytes);
  const double bandwidth = device.calibrated_dram_tbps > 0 ? device.calibrated_dram_tbps * 1e12 : device.dram_bytes_per_second();
  out.memory_us = bytes / bandwidth * 1e6;
  out.total_us = std::max(out.compute_us, out.memory_us) + device.launch_us;
  const double flops = 2.0 * static_cast<double>(kernel.batch() * kernel.m() * kernel.n()) * static_cast<double>(kernel.k());
  out.efficiency = std::min(1.0, flops / device.calibrated_flops(kernel.math) * 1e6 / out.total_us);
  return out;
}

}  // namespace uc
