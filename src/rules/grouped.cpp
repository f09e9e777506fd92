// Products of groups of rows on SM90: one kernel, whose blocks look up where groups end.
#include <array>

#include "rules/gemm_rule.h"

#define UC_GROUPS(step)                                                                        \
  "target sm_90a\ninput a: f16[512, 256]\ninput b: f16[4, 256, 512]\ninput ends: i32[4]\nc = " \
  "grouped_gemm(a, b, ends)" step "\nreturn c\n"

namespace uc::rules {
namespace {

std::optional<Gemm> grouped(const RuleContext& context) {
  auto g = gemm(context);
  return g && g->kernel.ends ? g : std::nullopt;
}

std::optional<Finding> grouped_schedule(const RuleContext& context) {
  const auto g = grouped(context);
  if (!g || !g->has_schedule() || g->cooperative()) return std::nullopt;
  return Finding{
      "schedule",
      fmt::format("rows of no group meet one tile of zeros, and schedule `{}` takes all parts of K for "
                  "equally long",
                  name(g->config.schedule)),
      "needs schedule `cooperative`", "`.schedule(cooperative)`", "cooperative"};
}

std::optional<Finding> grouped_scheduler(const RuleContext& context) {
  const auto g = grouped(context);
  if (!g) return std::nullopt;
  if (g->splits_k()) {
    return Finding{
        "scheduler",
        fmt::format("scheduler `{}` counts tiles before the launch, and how many rows a group has is data",
                    name(g->config.scheduler)),
        "whole tiles only", "`.scheduler(persistent)`", "persistent"};
  }
  if (g->config.split <= 1) return std::nullopt;
  return Finding{"split",
                 fmt::format("K of groups is not split, and `.split({})` asks for it", g->config.split),
                 "whole tiles only", "`.split(auto)`", "auto"};
}

std::optional<Finding> grouped_skip(const RuleContext& context) {
  const auto g = grouped(context);
  if (!g || !g->config.skip_zeros) return std::nullopt;
  return Finding{"skip", "where a tile of a group begins is data, so that which of K is zero is not known",
                 "not with groups", "`.skip(none)`", "none"};
}

constexpr std::array<RuleSpec, 3> kRows{{
    {.id = "UC2221",
     .slug = "grouped-schedule",
     .summary = "`grouped_gemm` needs schedule `cooperative`.",
     .rationale =
         "Rows of no group are zeros, for which a tile beyond K is read; pingpong advances by the number of "
         "tiles of K of all tiles alike.",
     .source = "src/emit/templates/uc_groups.cuh; CUTLASS 4.2 "
               "gemm/kernel/sm90_gemm_tma_warpspecialized_pingpong.hpp:546, 563",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = grouped_schedule,
     .bad_example = UC_GROUPS(".tile(128x128x64).schedule(pingpong)"),
     .good_example = UC_GROUPS(".tile(128x128x64).schedule(cooperative)")},
    {.id = "UC2222",
     .slug = "grouped-scheduler",
     .summary = "`grouped_gemm` gives whole tiles to blocks: no stream-K, no split-K.",
     .rationale = "Sizes of groups are not known before the launch; CUTLASS's grouped kernels have no "
                  "stream-K either.",
     .source = "src/emit/templates/uc_groups.cuh; CUTLASS 4.2 gemm/kernel/sm90_tile_scheduler_group.hpp",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = grouped_scheduler,
     .bad_example = UC_GROUPS(".schedule(cooperative).scheduler(stream_k)"),
     .good_example = UC_GROUPS(".schedule(cooperative).scheduler(persistent)")},
    {.id = "UC2223",
     .slug = "grouped-skip",
     .summary = "`.skip(zeros)` does not go with groups of rows.",
     .rationale = "A triangle's zeros are found by rows and columns of whole tiles.",
     .source = "src/emit/templates/uc_skip_tiles.cuh",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = grouped_skip,
     .bad_example = UC_GROUPS(".skip(zeros)"),
     .good_example = UC_GROUPS("")},
}};

}  // namespace

std::span<const RuleSpec> grouped_rows();
std::span<const RuleSpec> grouped_rows() { return kRows; }

}  // namespace uc::rules
