// `.skip(zeros)` on SM90: products of triangular matrices, of which tiles of K are left out.
#include <array>

#include "rules/gemm_rule.h"

#define UC_TRIANGLES(declarations, step) "target sm_90a\n" declarations "\nc = gemm(a, b)" step "\nreturn c\n"
#define UC_UPPER "input a: f16[512, 512] @upper\ninput b: f16[512, 512] @upper"

namespace uc::rules {
namespace {

using Scheduler = ContractionConfig::Scheduler;

std::optional<Gemm> skipping(const RuleContext& context) {
  auto g = gemm(context);
  return g && g->config.skip_zeros && !g->kernel.ends ? g : std::nullopt;
}

std::optional<Finding> no_structure(const RuleContext& context) {
  const auto g = skipping(context);
  if (!g || g->kernel.a_band.any() || g->kernel.b_band.any() || g->kernel.d_band.any()) return std::nullopt;
  return Finding{"skip", "neither operand is triangular or diagonal, and the epilogue uses all of the result",
                 "no tile is zero for sure",
                 "`.skip(none)`; or `@upper`, `@lower`, `@diag` on what the problem makes so", "none"};
}

std::optional<Finding> skip_schedule(const RuleContext& context) {
  const auto g = skipping(context);
  if (!g || !g->has_schedule() || g->cooperative()) return std::nullopt;
  return Finding{"schedule",
                 fmt::format("tiles of the result go over parts of K of different length, and schedule `{}` "
                             "takes all for equally long",
                             name(g->config.schedule)),
                 "needs schedule `cooperative`", "`.schedule(cooperative)`", "cooperative"};
}

std::optional<Finding> skip_scheduler(const RuleContext& context) {
  const auto g = skipping(context);
  if (!g) return std::nullopt;
  if (g->splits_k()) {
    return Finding{
        "scheduler",
        fmt::format("scheduler `{}` cuts all of K, and `.skip(zeros)` leaves each tile its own part",
                    name(g->config.scheduler)),
        "whole tiles only", "`.scheduler(persistent)`", "persistent"};
  }
  if (g->config.split <= 1) return std::nullopt;
  return Finding{"split",
                 fmt::format("`.split({})` cuts all of K, and `.skip(zeros)` leaves each tile its own part",
                             g->config.split),
                 "whole tiles only", "`.split(auto)`", "auto"};
}

std::optional<Finding> skip_order(const RuleContext& context) {
  const auto g = skipping(context);
  if (!g) return std::nullopt;
  const bool raster = g->config.raster != ContractionConfig::Raster::automatic;
  if (!raster && g->config.swizzle <= 1) return std::nullopt;
  return Finding{raster ? "raster" : "swizzle",
                 "with `.skip(zeros)` tiles are begun by the length of their part of K, the longest first",
                 "not used", raster ? "`.raster(auto)`" : "`.swizzle(auto)`", "auto"};
}

constexpr std::string_view kScheduler = "src/emit/templates/uc_skip_tiles.cuh";

constexpr std::array<RuleSpec, 4> kRows{{
    {.id = "UC2211",
     .slug = "skip-structure",
     .summary = "`.skip(zeros)` needs an operand that is triangular or diagonal, or an epilogue that keeps a "
                "triangle.",
     .rationale =
         "Which tiles are zero is decided before the launch, by structure that is declared or made by "
         "`triu` and `tril`; nothing looks at the data.",
     .source = "src/ops/detail/product_structure.h (band_of), src/check/used_band.h",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = no_structure,
     .bad_example = UC_GEMM_PROGRAM("f16", ".skip(zeros)"),
     .good_example = UC_TRIANGLES(UC_UPPER, ".skip(zeros) >> triu()")},
    {.id = "UC2212",
     .slug = "skip-schedule",
     .summary = "`.skip(zeros)` needs schedule `cooperative`.",
     .rationale = "Pingpong advances over the other warpgroup's tile by the number of tiles of K that its "
                  "own has, and "
                  "the schedule of one tile a block never asks for that number.",
     .source = "CUTLASS 4.2 gemm/kernel/sm90_gemm_tma_warpspecialized_pingpong.hpp:563, 869 (advance), "
               "sm90_gemm_tma_warpspecialized.hpp:425",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = skip_schedule,
     .bad_example = UC_TRIANGLES(UC_UPPER, ".tile(128x128x64).schedule(pingpong).skip(zeros)"),
     .good_example = UC_TRIANGLES(UC_UPPER, ".tile(128x128x64).schedule(cooperative).skip(zeros)")},
    {.id = "UC2213",
     .slug = "skip-scheduler",
     .summary = "`.skip(zeros)` gives whole tiles to blocks: no stream-K, no split-K.",
     .rationale = "Both cut all of K before they look at tiles; a part that is all zeros would still be "
                  "stored and added.",
     .source = kScheduler,
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = skip_scheduler,
     .bad_example = UC_TRIANGLES(UC_UPPER, ".schedule(cooperative).scheduler(stream_k).skip(zeros)"),
     .good_example = UC_TRIANGLES(UC_UPPER, ".schedule(cooperative).scheduler(persistent).skip(zeros)")},
    {.id = "UC2214",
     .slug = "skip-order",
     .severity = Severity::warning,
     .summary = "`.skip(zeros)` has an order of tiles of its own.",
     .rationale = "Blocks that get long tiles first and short ones after end together; raster and swizzle "
                  "are not used.",
     .source = "src/emit/templates/uc_skip_range.h (uc_skip_order)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = skip_order,
     .bad_example = UC_TRIANGLES(UC_UPPER, ".raster(along_m).skip(zeros)"),
     .good_example = UC_TRIANGLES(UC_UPPER, ".raster(auto).skip(zeros)")},
}};

}  // namespace

std::span<const RuleSpec> structure_rows();
std::span<const RuleSpec> structure_rows() { return kRows; }

}  // namespace uc::rules
