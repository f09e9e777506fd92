#include "plan/gemm_choices.h"

#include <set>

namespace uc {

std::vector<int64_t> tile_widths() {
  std::set<int64_t> out;
  for (const TileChoice& tile : gemm_choices::kTiles) out.insert(tile.n);
  return {out.begin(), out.end()};
}

std::vector<int64_t> cluster_widths() {
  std::set<int64_t> out;
  for (const ClusterChoice& cluster : gemm_choices::kClusters) out.insert(cluster.n);
  for (const ClusterChoice& cluster : gemm_choices::kWideClusters) out.insert(cluster.n);
  return {out.begin(), out.end()};
}

}  // namespace uc
