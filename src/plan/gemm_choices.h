#pragma once
// Why: what automatic knobs of a contraction choose among is one table: the planner tries its rows, and rules
// ask what they could hold.
#include <array>
#include <cstdint>
#include <vector>

#include "ir/kernel.h"

namespace uc {

struct TileChoice {
  int64_t m, n;
  ContractionConfig::Schedule schedule;
};

struct ClusterChoice {
  int64_t m, n;
};

namespace gemm_choices {

using Schedule = ContractionConfig::Schedule;

/// Tiles whose accumulators stay clean and whose N one or few wide instructions divide.
inline constexpr std::array<TileChoice, 17> kTiles{{{128, 256, Schedule::cooperative},
                                                    {256, 128, Schedule::cooperative},
                                                    {256, 192, Schedule::cooperative},
                                                    {128, 192, Schedule::cooperative},
                                                    {256, 96, Schedule::cooperative},
                                                    {256, 64, Schedule::cooperative},
                                                    {128, 128, Schedule::cooperative},
                                                    {128, 192, Schedule::pingpong},
                                                    {128, 128, Schedule::pingpong},
                                                    {192, 128, Schedule::pingpong},
                                                    {64, 256, Schedule::pingpong},
                                                    {64, 192, Schedule::pingpong},
                                                    {128, 96, Schedule::pingpong},
                                                    {128, 64, Schedule::pingpong},
                                                    {64, 128, Schedule::pingpong},
                                                    {64, 96, Schedule::pingpong},
                                                    {64, 64, Schedule::pingpong}}};
inline constexpr std::array<ClusterChoice, 6> kClusters{{{2, 1}, {1, 2}, {1, 1}, {2, 2}, {4, 1}, {1, 4}}};
/// Listed of each tile: they differ by little, and a short list of candidates shall hold several tiles.
inline constexpr size_t kClustersPerTile = 3;
/// Tried only where the epilogue needs many columns in one cluster.
inline constexpr std::array<ClusterChoice, 2> kWideClusters{{{2, 4}, {1, 8}}};

}  // namespace gemm_choices

/// The N of all tiles, ascending, each once.
std::vector<int64_t> tile_widths();
/// The N of all clusters, wide ones too, ascending, each once.
std::vector<int64_t> cluster_widths();

}  // namespace uc
