// Rules on products of SM100: what its instructions and CUTLASS's builders take.
#include <array>

#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

#define UC_SM100_PROGRAM(knobs)                                                               \
  "target sm_100a\ninput a: f16[512, 512]\ninput b: f16[512, 512] @col\nc = gemm(a, b)" knobs \
  " >> to(f16)\nreturn c\n"

std::optional<Finding> tile_rows(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile() || g->config.tile_m == 128 || g->config.tile_m == 256) return std::nullopt;
  const int64_t near = g->config.tile_m <= 192 ? 128 : 256;
  const std::string tile = tile_text(near, g->config.tile_n, g->config.tile_k);
  return Finding{"tile",
                 fmt::format("tile M is {}; one SM multiplies 128 rows, two of them 256", g->config.tile_m),
                 "128 or 256", fmt::format("`.tile({})`", tile), tile};
}

std::optional<Finding> tile_columns(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile()) return std::nullopt;
  const bool n = g->config.tile_n % 32 == 0 && g->config.tile_n <= 256;
  const bool k = g->config.tile_k % 32 == 0 && g->config.tile_k <= 256;
  if (n && k) return std::nullopt;
  const auto near = [](int64_t value) { return std::min<int64_t>(256, round_to_multiple(value, 32)); };
  const std::string tile = tile_text(g->config.tile_m, near(g->config.tile_n), near(g->config.tile_k));
  return Finding{"tile",
                 fmt::format("tile {} is {}, not a multiple of 32 up to 256", n ? "K" : "N",
                             n ? g->config.tile_k : g->config.tile_n),
                 "multiples of 32", fmt::format("`.tile({})`", tile), tile};
}

std::optional<Finding> pairs(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile() || !g->has_cluster() || g->config.tile_m != 256 || g->config.cluster_m % 2 == 0)
    return std::nullopt;
  const std::string cluster = fmt::format("{}x{}", g->config.cluster_m * 2, g->config.cluster_n);
  return Finding{"cluster", "a tile of 256 rows is two SMs', and they are neighbours along M in a cluster",
                 "odd along M", fmt::format("`.cluster({})`, or a tile of 128 rows", cluster), cluster};
}

constexpr std::array<RuleSpec, 3> kRows{{
    {.id = "UC2131",
     .slug = "sm100-tile-rows",
     .summary = "On SM100 a tile has 128 rows, or 256 that two SMs share.",
     .rationale = "tcgen05.mma takes 128 rows of one SM or 256 of two; others have no instruction.",
     .source = "CUTLASS 4.2 gemm/collective/builders/sm100_common.inl:309, :377; PTX ISA, tcgen05.mma shapes",
     .archs = "sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = tile_rows,
     .bad_example = UC_SM100_PROGRAM(".tile(192x128x64).cluster(1x1)"),
     .good_example = UC_SM100_PROGRAM(".tile(128x128x64).cluster(1x1)")},
    {.id = "UC2132",
     .slug = "sm100-tile-columns",
     .summary = "On SM100 tile N and tile K are multiples of 32 up to 256.",
     .rationale =
         "tcgen05.mma has up to 256 columns, and the epilogue takes them from tensor memory 32 at a time.",
     .source = "CUTLASS 4.2 gemm/collective/builders/sm100_common.inl:313; cute/arch/mma_sm100_umma.hpp:89",
     .archs = "sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = tile_columns,
     .bad_example = UC_SM100_PROGRAM(".tile(128x320x64).cluster(1x1)"),
     .good_example = UC_SM100_PROGRAM(".tile(128x256x64).cluster(1x1)")},
    {.id = "UC2133",
     .slug = "sm100-pairs",
     .summary = "On SM100 tiles of 256 rows need clusters with an even extent along M.",
     .rationale = "Two SMs of one cluster hold the halves of the tile.",
     .source = "CUTLASS 4.2 epilogue/collective/builders/sm100_builder.inl:1156, "
               "gemm/collective/builders/sm100_common.inl:205",
     .archs = "sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = pairs,
     .bad_example = UC_SM100_PROGRAM(".tile(256x128x64).cluster(1x1)"),
     .good_example = UC_SM100_PROGRAM(".tile(256x128x64).cluster(2x1)")},
}};

}  // namespace

std::span<const RuleSpec> sm100_rows();
std::span<const RuleSpec> sm100_rows() { return kRows; }

}  // namespace uc::rules
