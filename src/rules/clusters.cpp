// Clusters and the order of tiles of SM90 contractions.
#include <array>
#include <bit>

#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

bool power_of_two(int64_t value) { return value > 0 && std::has_single_bit(static_cast<uint64_t>(value)); }

int64_t power_below(int64_t value) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
}

Finding cluster_finding(std::string message, std::string label, int64_t m, int64_t n) {
  const std::string cluster = fmt::format("{}x{}", m, n);
  return {"cluster", std::move(message), std::move(label), fmt::format("`.cluster({})`", cluster), cluster};
}

std::optional<Finding> cluster_power_of_two(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_cluster()) return std::nullopt;
  if (power_of_two(g->config.cluster_m) && power_of_two(g->config.cluster_n)) return std::nullopt;
  const int64_t m = std::min<int64_t>(8, power_below(g->config.cluster_m));
  const int64_t n = std::min<int64_t>(8 / m, power_below(g->config.cluster_n));
  return cluster_finding(fmt::format("a cluster of {}x{}: the tile scheduler divides by shifting",
                                     g->config.cluster_m, g->config.cluster_n),
                         "powers of two", m, n);
}

std::optional<Finding> cluster_size(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_cluster() || !power_of_two(g->config.cluster_m) || !power_of_two(g->config.cluster_n))
    return std::nullopt;
  int64_t m = g->config.cluster_m;
  int64_t n = g->config.cluster_n;
  if (m * n <= 8) return std::nullopt;
  while (m * n > 8) (m >= n ? m : n) /= 2;
  const std::string_view limit = g->config.cluster_m * g->config.cluster_n > 16
                                     ? "no GPU launches more than 16"
                                     : "up to 16 launch only after opting in, with fewer resident";
  return cluster_finding(fmt::format("a cluster of {} blocks: 8 are portable, and {}",
                                     g->config.cluster_m * g->config.cluster_n, limit),
                         "at most 8 blocks", m, n);
}

int64_t tiles(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

std::optional<Finding> cluster_idle(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_cluster() || !g->sound_tile() || g->config.cluster_m * g->config.cluster_n > 8)
    return std::nullopt;
  if (!power_of_two(g->config.cluster_m) || !power_of_two(g->config.cluster_n)) return std::nullopt;
  const int64_t m = tiles(g->kernel.m(), g->config.tile_m);
  const int64_t n = tiles(g->kernel.n(), g->config.tile_n);
  if (g->config.cluster_m <= m && g->config.cluster_n <= n) return std::nullopt;
  return cluster_finding(fmt::format("a cluster of {}x{} blocks over {}x{} tiles: the others compute nothing",
                                     g->config.cluster_m, g->config.cluster_n, m, n),
                         "larger than the problem", std::min(g->config.cluster_m, power_below(m)),
                         std::min(g->config.cluster_n, power_below(n)));
}

std::optional<Finding> swizzle_value(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->config.swizzle == 0 || (power_of_two(g->config.swizzle) && g->config.swizzle <= 8))
    return std::nullopt;
  const int64_t near = std::min<int64_t>(8, power_below(g->config.swizzle));
  return Finding{"swizzle", fmt::format("swizzle {}: tiles are grouped by 1, 2, 4 or 8", g->config.swizzle),
                 "1, 2, 4 or 8", fmt::format("`.swizzle({})`", near), std::to_string(near)};
}

constexpr std::array<RuleSpec, 4> kRows{{
    {.id = "UC2201",
     .slug = "cluster-power-of-two",
     .summary = "Both extents of a cluster are powers of two.",
     .rationale =
         "The tile scheduler divides by cluster extents with shifts; CUTLASS stops with a static_assert.",
     .source = "CUTLASS 4.2 gemm/kernel/tile_scheduler_params.h:91 (FastDivmodU64Pow2)",
     .archs = "sm_90a sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = cluster_power_of_two,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x64).cluster(3x1)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x64).cluster(2x1)")},
    {.id = "UC2202",
     .slug = "cluster-size",
     .summary = "A cluster has at most 8 blocks.",
     .rationale = "8 is the portable limit; 16 needs cudaFuncAttributeNonPortableClusterSizeAllowed and "
                  "leaves SMs idle; "
                  "CUTLASS lets 32 pass and the launch fails.",
     .source = "CUDA programming guide, thread block clusters; found by launching",
     .archs = "sm_90a sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::launch,
     .check = cluster_size,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(64x64x64).cluster(4x4)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(64x64x64).cluster(4x2)")},
    {.id = "UC2203",
     .slug = "cluster-idle",
     .severity = Severity::warning,
     .summary = "A cluster is not larger than the problem in tiles.",
     .rationale =
         "The grid is rounded up to whole clusters; blocks beyond the problem load and store nothing.",
     .source = "CUTLASS 4.2 gemm/kernel/tile_scheduler_params.h:117 (get_tiled_cta_shape_mnl)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = cluster_idle,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(128x256x64).cluster(1x4)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x256x64).cluster(1x2)")},
    {.id = "UC2204",
     .slug = "swizzle-value",
     .summary = "Swizzle is 1, 2, 4 or 8.",
     .rationale = "The scheduler keeps it as a power of two, and rounds others in silence.",
     .source = "CUTLASS 4.2 gemm/kernel/tile_scheduler_params.h (get_log_swizzle_size)",
     .archs = "sm_90a sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = swizzle_value,
     .bad_example = UC_GEMM_PROGRAM("f16", ".swizzle(3)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".swizzle(2)")},
}};

}  // namespace

std::span<const RuleSpec> clusters_rows();
std::span<const RuleSpec> clusters_rows() { return kRows; }

}  // namespace uc::rules
