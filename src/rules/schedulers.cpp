// How SM90 contractions give work to blocks: whole tiles, parts of K, one tile a block.
#include <array>

#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

using Scheduler = ContractionConfig::Scheduler;

std::optional<Finding> split_schedule(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->shares_tiles() || !g->has_schedule() || g->cooperative()) return std::nullopt;
  return Finding{
      "scheduler",
      fmt::format("scheduler `{}` hands parts of a tile from block to block, which schedule `{}` cannot",
                  name(g->config.scheduler), name(g->config.schedule)),
      "needs schedule `cooperative`", "`.schedule(cooperative)`, or `.scheduler(persistent)`", "persistent"};
}

std::optional<Finding> split_scheduler(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->config.split <= 1) return std::nullopt;
  if (g->config.scheduler == Scheduler::split_k || g->config.scheduler == Scheduler::automatic)
    return std::nullopt;
  return Finding{"split",
                 fmt::format("K is split in {}, and scheduler `{}` divides it in its own way",
                             g->config.split, name(g->config.scheduler)),
                 "for scheduler `split_k`", "`.split(auto)`, or `.scheduler(split_k)`", "auto"};
}

std::optional<Finding> split_depth(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile() || g->config.split <= 1) return std::nullopt;
  const int64_t steps = (g->kernel.k() + g->config.tile_k - 1) / g->config.tile_k;
  if (g->config.split <= steps) return std::nullopt;
  return Finding{"split",
                 fmt::format("K is {} tiles of {}, which cannot be split in {}", steps, g->config.tile_k,
                             g->config.split),
                 fmt::format("at most {}", steps), fmt::format("`.split({})`", steps), std::to_string(steps)};
}

std::optional<Finding> split_shallow(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile() || g->config.split <= 1) return std::nullopt;
  const int64_t steps = (g->kernel.k() + g->config.tile_k - 1) / g->config.tile_k;
  if (g->config.split > steps || g->config.split * 4 <= steps || steps < 8) return std::nullopt;
  return Finding{
      "split",
      fmt::format("each of {} parts of K multiplies {} tiles, then its sums are added to the others'",
                  g->config.split, steps / g->config.split),
      "more adding than multiplying", fmt::format("`.split({})`", std::max<int64_t>(1, steps / 4)),
      std::to_string(std::max<int64_t>(1, steps / 4))};
}

std::optional<Finding> reduction_scheduler(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->reduces() || g->config.schedule != Schedule::warp_specialized) return std::nullopt;
  return Finding{
      "schedule",
      "the epilogue combines rows or columns of several tiles, and schedule `warp_specialized` has no "
      "memory for that",
      "no scratch memory", "`.schedule(pingpong)`", "pingpong"};
}

std::optional<Finding> order_unused(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->config.schedule != Schedule::warp_specialized) return std::nullopt;
  if (g->config.swizzle <= 1 && g->config.raster == ContractionConfig::Raster::automatic) return std::nullopt;
  const bool raster = g->config.raster != ContractionConfig::Raster::automatic;
  return Finding{raster ? "raster" : "swizzle",
                 "schedule `warp_specialized` starts one block a tile, in the hardware's order", "not used",
                 raster ? "`.raster(auto)`" : "`.swizzle(auto)`", "auto"};
}

constexpr std::array<RuleSpec, 6> kRows{{
    {.id = "UC2205",
     .slug = "split-schedule",
     .summary = "Scheduler `stream_k`, and `split_k` in f16x3, need schedule `cooperative`.",
     .rationale = "Blocks that share a tile add up in its accumulators, which both warpgroups hold together; "
                  "CUTLASS's stream-K scheduler takes no other schedule. Parts of K of other products are "
                  "whole tiles, whose sums a second function adds.",
     .source = "CUTLASS 4.2 gemm/kernel/sm90_gemm_tma_warpspecialized_pingpong.hpp:121 (static_assert)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = split_schedule,
     .bad_example =
         UC_GEMM_PROGRAM("f16", ".backend(cutlass3).tile(128x128x64).schedule(pingpong).scheduler(stream_k)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x64).schedule(pingpong).scheduler(split_k)")},
    {.id = "UC2206",
     .slug = "split-scheduler",
     .summary = "K is split in a given number of parts by scheduler `split_k` alone.",
     .rationale = "Another decomposition cuts K in its own way, so that a number of parts is not kept.",
     .source =
         "CUTLASS 4.2 gemm/kernel/sm90_tile_scheduler_stream_k.hpp (can_implement, which launches do not "
         "ask)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = split_scheduler,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass3).scheduler(stream_k).split(2)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass3).scheduler(split_k).split(2)")},
    {.id = "UC2207",
     .slug = "split-depth",
     .summary = "K is split in at most as many parts as it has tiles.",
     .rationale = "A part without a tile has nothing to add; the number would be lowered in silence.",
     .source = "src/emit/templates/uc_slices_host.h (cut); CUTLASS 4.2 gemm/kernel/tile_scheduler_params.h "
               "(PersistentTileSchedulerSm90StreamKParams)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = split_depth,
     .bad_example =
         UC_GEMM_PROGRAM("f16", ".backend(cutlass3).tile(128x128x128).scheduler(split_k).split(5)"),
     .good_example =
         UC_GEMM_PROGRAM("f16", ".backend(cutlass3).tile(128x128x128).scheduler(split_k).split(4)")},
    {.id = "UC2208",
     .slug = "split-shallow",
     .severity = Severity::warning,
     .summary = "Each part of K multiplies at least four tiles.",
     .rationale = "Every part writes its accumulators to memory, and what adds them reads all of them.",
     .source = "src/emit/templates/uc_slices.cuh; CUTLASS 4.2 gemm/kernel/tile_scheduler_params.h: "
               "min_iters_per_sk_unit_ is 8",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = split_shallow,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass3).tile(128x128x64).scheduler(split_k).split(4)"),
     .good_example =
         UC_GEMM_PROGRAM("f16", ".tile(128x128x64).backend(cutlass3).scheduler(split_k).split(2)")},
    {.id = "UC2209",
     .slug = "reduction-scheduler",
     .summary = "An epilogue that combines rows or columns stands in a persistent schedule.",
     .rationale = "Partial sums of tiles meet in scratch memory and are counted by tile; the schedule of one "
                  "tile a block asks "
                  "for no scratch memory at all. Blocks that share a tile (stream-K) are no matter: the one "
                  "that has the whole "
                  "sum runs the epilogue, once and for all of the tile.",
     .source = "CUTLASS 4.2 gemm/kernel/sm90_gemm_tma_warpspecialized.hpp:242 (get_workspace_size is 0); "
               "sm90_tile_scheduler_stream_k.hpp:586 (compute_epilogue), tile_scheduler_params.h:1273 (no "
               "reduction by "
               "other units)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = reduction_scheduler,
     .bad_example = UC_GEMM_PROGRAM("f16", ".schedule(warp_specialized) >> to(f32) >> col_reduce()"),
     .good_example = UC_GEMM_PROGRAM("f16", ".scheduler(stream_k) >> to(f32) >> col_reduce()")},
    {.id = "UC2210",
     .slug = "order-unused",
     .severity = Severity::warning,
     .summary = "Raster and swizzle order tiles of persistent schedules.",
     .rationale = "With one block a tile, the hardware starts blocks in its own order.",
     .source = "CUTLASS 4.2 gemm/kernel/sm90_gemm_tma_warpspecialized.hpp (get_grid_shape)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = order_unused,
     .bad_example = UC_GEMM_PROGRAM("f16", ".schedule(warp_specialized).raster(along_m)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".schedule(pingpong).raster(along_m)")},
}};

}  // namespace

std::span<const RuleSpec> schedulers_rows();
std::span<const RuleSpec> schedulers_rows() { return kRows; }

}  // namespace uc::rules
