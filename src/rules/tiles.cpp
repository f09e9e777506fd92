// Tiles and schedules of SM90 contractions.
#include <array>
#include <numeric>

#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

Finding tile_finding(std::string message, std::string label, const std::string& tile) {
  return {"tile", std::move(message), std::move(label), fmt::format("`.tile({})`", tile), tile};
}

std::optional<Finding> tile_m_multiple(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile() || g->config.tile_m % 64 == 0) return std::nullopt;
  const int64_t m = std::min<int64_t>(256, round_to_multiple(g->config.tile_m, g->cooperative() ? 128 : 64));
  return tile_finding(
      fmt::format("tile M is {}, and a warpgroup multiplies 64 rows at once", g->config.tile_m),
      "not a multiple of 64", tile_text(m, g->config.tile_n, g->config.tile_k));
}

std::optional<Finding> tile_k_multiple(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile() || g->config.tile_k % g->k_step() == 0) return std::nullopt;
  const int64_t k = round_to_multiple(g->config.tile_k, g->k_step());
  return tile_finding(fmt::format("tile K is {}, and one instruction takes {} elements of {} along K",
                                  g->config.tile_k, g->k_step(), name(g->kernel.a.dtype)),
                      fmt::format("not a multiple of {}", g->k_step()),
                      tile_text(g->config.tile_m, g->config.tile_n, k));
}

std::optional<Finding> tile_n_multiple(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile() || g->config.tile_n % 16 == 0) return std::nullopt;
  return tile_finding(
      fmt::format("tile N is {}, and the epilogue stores 16 columns at once", g->config.tile_n),
      "not a multiple of 16",
      tile_text(g->config.tile_m, nearest_tile_n(g->config.tile_n), g->config.tile_k));
}

std::optional<Finding> tf32_tile_n(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile() || g->config.tile_n % 16 != 0 || g->config.tile_n % g->n_step() == 0)
    return std::nullopt;
  return tile_finding(fmt::format("tile N is {}, and stages of tf32 operands are laid out 32 columns at once",
                                  g->config.tile_n),
                      "not a multiple of 32",
                      tile_text(g->config.tile_m, nearest_tile_n(g->config.tile_n), g->config.tile_k));
}

std::optional<Finding> tile_extent(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->has_tile()) return std::nullopt;
  const ContractionConfig& config = g->config;
  const int64_t most = Gemm::kLargestTile;
  if (config.tile_m <= most && config.tile_n <= most && config.tile_k <= most) return std::nullopt;
  const bool wide = config.tile_m > most || config.tile_n > most;
  return tile_finding(
      wide ? fmt::format("a tile of {} x {} is larger than one TMA box", config.tile_m, config.tile_n)
           : fmt::format("tile K is {}: a stage holds at most {} of K, and more stages hold more",
                         config.tile_k, most),
      fmt::format("at most {}", most),
      tile_text(std::min(config.tile_m, most), std::min(config.tile_n, most), std::min(config.tile_k, most)));
}

std::optional<Finding> cooperative_tile_m(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->sound_tile() || !g->cooperative() || g->config.tile_m >= 128) return std::nullopt;
  const std::string tile = tile_text(128, g->config.tile_n, g->config.tile_k);
  return Finding{
      "tile",
      fmt::format("tile M is {}, but schedule `cooperative` needs at least 128 on sm_90a", g->config.tile_m),
      "two consumer warpgroups of 64 rows each", fmt::format("`.tile({})` or `.schedule(pingpong)`", tile),
      tile};
}

std::optional<Finding> cooperative_tile_m_128(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->sound_tile() || !g->cooperative() || g->config.tile_m < 128 || g->config.tile_m % 128 == 0)
    return std::nullopt;
  return tile_finding(
      fmt::format("tile M is {}, and schedule `cooperative` halves it into warpgroup tiles of 64 rows",
                  g->config.tile_m),
      "not a multiple of 128", tile_text(128, g->config.tile_n, g->config.tile_k));
}

// The widest tile N below the present one that keeps the accumulators clean.
int64_t clean_tile_n(const Gemm& g) {
  for (const int64_t n : {192, 128, 96, 64, 32}) {
    if (n < g.config.tile_n && g.accumulators(g.config.tile_m, n, g.cooperative()) <= 192) return n;
  }
  return 16;
}

Finding too_many_accumulators(const Gemm& g, std::string_view consequence) {
  const std::string tile = tile_text(g.config.tile_m, clean_tile_n(g), g.config.tile_k);
  std::string help = fmt::format("`.tile({})`", tile);
  const bool halved = !g.cooperative() && g.config.tile_m % 128 == 0 &&
                      g.accumulators(g.config.tile_m, g.config.tile_n, true) <= 192;
  if (halved) help += " or `.schedule(cooperative)`";
  return {
      "tile",
      fmt::format("a tile of {} x {} takes {} accumulators a thread in schedule `{}`: {}", g.config.tile_m,
                  g.config.tile_n, g.accumulators(), name(g.config.schedule), consequence),
      "up to 192 stay clean", std::move(help), tile};
}

std::optional<Finding> accumulators_spill(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->sound_schedule() || g->accumulators() < 224) return std::nullopt;
  return too_many_accumulators(*g, "registers spill and the multiplications are serialised");
}

std::optional<Finding> accumulators_tight(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->sound_schedule() || g->accumulators() <= 192 || g->accumulators() >= 224) return std::nullopt;
  return too_many_accumulators(*g, "a few registers spill");
}

// N of the widest wgmma instruction that divides the tile.
int64_t instruction_n(int64_t tile_n) {
  for (const int64_t n : {256, 192, 128, 96, 64, 32, 16}) {
    if (tile_n % n == 0) return n;
  }
  return 8;
}

std::optional<Finding> narrow_instruction(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->sound_tile()) return std::nullopt;
  if (g->sound_schedule() && g->accumulators() > 192)
    return std::nullopt;  // said by the rules on accumulators
  const int64_t n = instruction_n(g->config.tile_n);
  if (n >= 64 || n == g->config.tile_n) return std::nullopt;
  return tile_finding(
      fmt::format("tile N is {}: the widest instruction that divides it multiplies {} columns",
                  g->config.tile_n, n),
      "slow: A is read again for each",
      tile_text(g->config.tile_m, nearest_tile_n(g->config.tile_n), g->config.tile_k));
}

// Instructions and epilogue tiles cover each other in whole numbers.
bool fits(int64_t epilogue_n, int64_t tile_n) {
  const int64_t n = instruction_n(tile_n);
  return epilogue_n % 16 == 0 && tile_n % epilogue_n == 0 && (n % epilogue_n == 0 || epilogue_n % n == 0);
}

std::optional<Finding> epilogue_tile(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->config.epilogue_m == 0 || !g->sound_schedule()) return std::nullopt;
  const int64_t rows = g->cooperative() ? 128 : 64;
  if (g->config.epilogue_m == rows && fits(g->config.epilogue_n, g->config.tile_n)) return std::nullopt;
  const std::string near = fmt::format("{}x{}", rows,
                                       fits(g->config.epilogue_n, g->config.tile_n)
                                           ? g->config.epilogue_n
                                           : std::gcd<int64_t>(32, instruction_n(g->config.tile_n)));
  return Finding{"epilogue_tile",
                 fmt::format("an epilogue tile of {}x{} does not cut a tile of {}x{} in schedule `{}`",
                             g->config.epilogue_m, g->config.epilogue_n, g->config.tile_m, g->config.tile_n,
                             name(g->config.schedule)),
                 fmt::format("{} rows, and columns that divide the tile's", rows),
                 fmt::format("`.epilogue_tile({})`", near), near};
}

constexpr std::array<RuleSpec, 11> kRows{{
    {.id = "UC2101",
     .slug = "tile-m-multiple",
     .summary = "Tile M is a multiple of 64.",
     .rationale = "wgmma multiplies 64 rows a warpgroup; the collective builder stops with a static_assert.",
     .source = "PTX ISA, wgmma.mma_async shapes m64nNk; CUTLASS 4.2 cute/arch/mma_sm90.hpp ss_op_selector",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = tile_m_multiple,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(96x128x64)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x64)")},
    {.id = "UC2102",
     .slug = "tile-k-multiple",
     .summary = "Tile K is a multiple of 32 bytes: 16 elements of f16 and bf16, 8 of tf32.",
     .rationale =
         "An instruction takes 32 bytes along K; the tiled MMA does not divide otherwise (static_assert).",
     .source = "PTX ISA, wgmma.mma_async shapes; CUTLASS 4.2 cute/arch/mma_sm90.hpp ss_op_selector",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = tile_k_multiple,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x40)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x48)")},
    {.id = "UC2103",
     .slug = "tile-n-multiple",
     .summary = "Tile N is a multiple of 16.",
     .rationale = "Stages whose operand has K contiguous do not divide into the swizzle's pattern otherwise "
                  "(static_assert). With N contiguous CUTLASS 4.2 instantiates multiples of 8, with half as "
                  "wide moves into shared memory; the next multiple of 16 computes the same and moves it at "
                  "once.",
     .source = "CUTLASS 4.2 cute/layout.hpp:1077, epilogue/collective/builders/sm90_builder.inl:322-331; "
               "NVIDIA/cutlass issues 1970, 2133",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = tile_n_multiple,
     .bad_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512] @col\n"
                    "c = gemm(a, b).tile(128x40x64)\nreturn c\n",
     .good_example = "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512] @col\n"
                     "c = gemm(a, b).tile(128x32x64)\nreturn c\n"},
    {.id = "UC2104",
     .slug = "cooperative-tile-m",
     .summary = "Schedule `cooperative` needs a tile M of at least 128.",
     .rationale =
         "Two consumer warpgroups share one tile, 64 rows each; CUTLASS says so in nvcc's device pass only.",
     .source = "CUTLASS 4.2 gemm/kernel/sm90_gemm_tma_warpspecialized_cooperative.hpp (static_assert in "
               "operator())",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::device_compiler,
     .check = cooperative_tile_m,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(64x256x64).schedule(cooperative)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x256x64).schedule(cooperative)")},
    {.id = "UC2105",
     .slug = "accumulators-spill",
     .summary = "A thread holds fewer than 224 accumulators: tile M x tile N / 256 (cooperative) or / 128 "
                "(pingpong).",
     .rationale =
         "At 224 ptxas serialises wgmma (C7510), at 256 it spills 4.7 KB a thread; nothing reports it.",
     .source = "measured with nvcc 13.0: registers and spills of 31 compiled kernels",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = accumulators_spill,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(128x256x64).schedule(pingpong)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x256x64).schedule(cooperative)")},
    {.id = "UC2106",
     .slug = "accumulators-tight",
     .severity = Severity::warning,
     .summary = "A thread holds at most 192 accumulators, else a few registers spill.",
     .rationale = "208 accumulators leave too few registers for the epilogue.",
     .source = "measured with nvcc 13.0: registers and spills of 31 compiled kernels",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = accumulators_tight,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(128x208x64).schedule(pingpong)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x192x64).schedule(pingpong)")},
    {.id = "UC2107",
     .slug = "cooperative-tile-m-128",
     .summary = "Schedule `cooperative` needs a tile M that is a multiple of 128.",
     .rationale =
         "Each warpgroup gets half of the tile in steps of 64 rows; 192 fails inside a template, obscurely.",
     .source = "found by instantiating the builders; CUTLASS 4.2 "
               "gemm/collective/builders/sm90_gmma_builder.inl:243-249",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = cooperative_tile_m_128,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(192x128x64).schedule(cooperative)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x64).schedule(cooperative)")},
    {.id = "UC2108",
     .slug = "narrow-instruction",
     .severity = Severity::warning,
     .summary = "Tile N is made of wide instructions: of 64, 96, 128, 192 or 256 columns.",
     .rationale = "wgmma takes the largest N of 256 192 128 96 64 32 16 8 that divides the tile: 160 runs as "
                  "five of 32.",
     .source = "CUTLASS 4.2 cute/arch/mma_sm90.hpp ss_op_selector",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = narrow_instruction,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(128x160x64).schedule(pingpong)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x192x64).schedule(pingpong)")},
    {.id = "UC2109",
     .slug = "tile-extent",
     .summary = "Tile M, N and K are at most 256.",
     .rationale = "A TMA box has at most 256 elements a dimension, which CuTe checks by assertions that "
                  "NDEBUG removes. A longer K only takes the memory of stages, and CuTe has no name for most "
                  "extents above 256.",
     .source = "CUDA driver API, cuTensorMapEncodeTiled (boxDim); CUTLASS 4.2 "
               "cute/atom/copy_traits_sm90_tma.hpp, cute/numeric/integral_constant.hpp",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = tile_extent,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(64x320x64).schedule(pingpong)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(64x256x64).schedule(pingpong)")},
    {.id = "UC2120",
     .slug = "tf32-tile-n",
     .summary = "Tile N is a multiple of 32 where tf32 is multiplied.",
     .rationale =
         "CuTe slices a stage out of a swizzled layout by the pattern's period in bytes, counted as "
         "elements: with 32-bit elements 16 columns do not fill one (static_assert up to CUTLASS 4.2; 4.7 "
         "has mended it). Sixteen-bit types are not concerned.",
     .source = "CUTLASS 4.2 cute/swizzle_layout.hpp:252, cute/layout.hpp:1077; found by random programs "
               "(tests/oracle)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = tf32_tile_n,
     .bad_example = "target sm_90a\nprecision tf32\ninput a: f32[512, 512]\ninput b: f32[512, 512] @col\n"
                    "c = gemm(a, b).tile(128x48x32)\nreturn c\n",
     .good_example = "target sm_90a\nprecision tf32\ninput a: f32[512, 512]\ninput b: f32[512, 512] @col\n"
                     "c = gemm(a, b).tile(128x32x32)\nreturn c\n"},
    {.id = "UC2110",
     .slug = "epilogue-tile",
     .summary =
         "An epilogue tile has 64 rows (128 in schedule `cooperative`), and a multiple of 16 columns that "
         "divides the tile's and its instructions'.",
     .rationale = "One step of the epilogue stores what all warpgroups of a tile hold of some columns; other "
                  "shapes stop with static_asserts, some of them deep in a template.",
     .source = "CUTLASS 4.2 epilogue/collective/builders/sm90_builder.inl:155; "
               "sm90_epilogue_tma_warpspecialized.hpp (CUTE_STATIC_ASSERT on mma_tile)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = epilogue_tile,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x64).schedule(cooperative).epilogue_tile(64x32)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x64).schedule(cooperative).epilogue_tile(128x64)")},
}};

}  // namespace

std::span<const RuleSpec> tiles_rows();
std::span<const RuleSpec> tiles_rows() { return kRows; }

}  // namespace uc::rules
