// Tiles, stages and memory of CUTLASS 2 contractions: little of it is checked before the launch, and what is
// outside of CUTLASS's own tests may run and be wrong.
#include "rules/gemm2_rule.h"

namespace uc::rules {
namespace {

constexpr std::string_view kGenerator =
    "CUTLASS 4.2 python/cutlass_library/generator.py (GenerateSM80_*, GenerateSM90_TensorOp_1684)";

int64_t distance(const Gemm2& g, const Gemm2Tile& tile) {
  const bool transposed = gemm2_transposed(g.gemm.kernel);
  const ContractionConfig& config = g.gemm.config;
  return std::abs((transposed ? tile.n : tile.m) - config.tile_m) +
         std::abs((transposed ? tile.m : tile.n) - config.tile_n) + std::abs(tile.k - config.tile_k);
}

std::optional<Finding> listed_tile(const RuleContext& context) {
  const auto g = gemm2(context);
  if (!g || !g->gemm.has_tile() || g->tile != nullptr) return std::nullopt;
  const auto& nearest = *std::ranges::min_element(g->family.tiles, {},
                                                  [&g](const Gemm2Tile& tile) { return distance(*g, tile); });
  const bool transposed = gemm2_transposed(g->gemm.kernel);
  const std::string text =
      transposed ? tile_text(nearest.n, nearest.m, nearest.k) : tile_text(nearest.m, nearest.n, nearest.k);
  const ContractionConfig& config = g->gemm.config;
  return Finding{
      "tile",
      fmt::format("no tested tile of back end `{}` for {} is {}", config.backend, name(g->gemm.kernel.math),
                  tile_text(config.tile_m, config.tile_n, config.tile_k)),
      "not in the list", fmt::format("`.tile({})` is the nearest", text), text};
}

std::optional<Finding> stage_count(const RuleContext& context) {
  const auto g = gemm2(context);
  if (!g || g->gemm.config.stages == 0) return std::nullopt;
  const int64_t stages = g->gemm.config.stages;
  const bool asynchronous = gemm2_asynchronous(g->gemm.kernel, g->gemm.config);
  if (asynchronous ? stages >= 3 : stages == 2) return std::nullopt;
  if (asynchronous)
    return Finding{"stages", fmt::format("{} stages: a main loop with cp.async has at least 3", stages),
                   "at least 3", "`.stages(3)`", "3"};
  return Finding{"stages",
                 fmt::format("{} stages: single 16-bit elements go through registers, in 2 stages", stages),
                 "exactly 2", "`.stages(2)`", "2"};
}

std::optional<Finding> block_memory(const RuleContext& context) {
  const auto g = gemm2(context);
  if (!g || g->tile == nullptr || g->gemm.config.stages < 2) return std::nullopt;
  const Contraction& kernel = g->gemm.kernel;
  const int64_t stages = g->gemm.config.stages;
  const int64_t bytes = gemm2_shared_bytes(kernel, *g->tile, stages);
  if (bytes <= context.device.smem_per_block) return std::nullopt;
  int64_t fit = stages;
  while (fit > 3 && gemm2_shared_bytes(kernel, *g->tile, fit) > context.device.smem_per_block) --fit;
  const bool fits = gemm2_shared_bytes(kernel, *g->tile, fit) <= context.device.smem_per_block;
  return Finding{"stages",
                 fmt::format("{} stages of this tile take {} bytes of shared memory, and a block has {}",
                             stages, bytes, context.device.smem_per_block),
                 "too many", fits ? fmt::format("`.stages({})`", fit) : "a smaller tile",
                 fits ? std::to_string(fit) : ""};
}

std::optional<Finding> no_cluster(const RuleContext& context) {
  const auto g = gemm2(context);
  if (!g || !g->gemm.has_cluster() || (g->gemm.config.cluster_m == 1 && g->gemm.config.cluster_n == 1))
    return std::nullopt;
  return Finding{"cluster", "blocks of CUTLASS 2 kernels work alone, without clusters", "1x1 only",
                 "`.cluster(1x1)`", "1x1"};
}

std::optional<Finding> only_multistage(const RuleContext& context) {
  const auto g = gemm2(context);
  if (!g || !g->gemm.has_schedule() || g->gemm.config.schedule == Schedule::multistage) return std::nullopt;
  return Finding{"schedule",
                 fmt::format("schedule `{}` needs the warp groups of SM90; back end `{}` has none",
                             name(g->gemm.config.schedule), g->gemm.config.backend),
                 "", "`.schedule(multistage)`", "multistage"};
}

std::optional<Finding> one_tile_a_block(const RuleContext& context) {
  using Scheduler = ContractionConfig::Scheduler;
  const auto g = gemm2(context);
  if (!g) return std::nullopt;
  const Scheduler scheduler = g->gemm.config.scheduler;
  if (scheduler == Scheduler::automatic || scheduler == Scheduler::split_k) return std::nullopt;
  return Finding{"scheduler",
                 fmt::format("scheduler `{}` gives a block several tiles; back end `{}` gives it one",
                             name(scheduler), g->gemm.config.backend),
                 "", "`.scheduler(auto)`, or `.scheduler(split_k)`", "auto"};
}

std::optional<Finding> parts_of_k(const RuleContext& context) {
  const auto g = gemm2(context);
  if (!g || g->tile == nullptr || g->gemm.config.split <= 1) return std::nullopt;
  const int64_t steps = (g->gemm.kernel.k() + g->tile->k - 1) / g->tile->k;
  if (g->gemm.config.split <= steps) return std::nullopt;
  return Finding{"split",
                 fmt::format("K of {} in {} parts: the tile takes {} at once, which makes {}",
                             g->gemm.kernel.k(), g->gemm.config.split, g->tile->k, steps),
                 "parts without work", fmt::format("`.split({})`", steps), std::to_string(steps)};
}

std::optional<Finding> few_accesses(const RuleContext& context) {
  const auto g = gemm2(context);
  if (!g || g->tile == nullptr || !g->family.tensor()) return std::nullopt;
  const Contraction& kernel = g->gemm.kernel;
  const ContractionConfig& config = g->gemm.config;
  const int64_t accesses = gemm2_accesses(kernel, *g->tile, config);
  if (accesses <= kGemm2MostAccesses) return std::nullopt;
  const bool transposed = gemm2_transposed(kernel);
  std::string fits;
  for (const Gemm2Tile& tile : g->family.tiles) {
    if (!fits.empty() || gemm2_accesses(kernel, tile, config) > kGemm2MostAccesses) continue;
    fits = transposed ? tile_text(tile.n, tile.m, tile.k) : tile_text(tile.m, tile.n, tile.k);
  }
  return Finding{"tile",
                 fmt::format("a thread fills an operand's part of a stage in {} accesses, and at most {} are "
                             "kept apart",
                             accesses, kGemm2MostAccesses),
                 "too large for operands that are so little aligned", fmt::format("`.tile({})`", fits), fits};
}

constexpr std::string_view kBytes =
    "target sm_90a\ninput a: i8[256, 75]\ninput b: i8[256, 75]\n"
    "c = linear(a, b).backend(cutlass2).tile(128x128x128) >> to(f32)\nreturn c\n";
constexpr std::string_view kFewerBytes =
    "target sm_90a\ninput a: i8[256, 75]\ninput b: i8[256, 75]\n"
    "c = linear(a, b).backend(cutlass2).tile(128x128x64) >> to(f32)\nreturn c\n";

constexpr std::array<RuleSpec, 8> kRows{{
    {.id = "UC2801",
     .slug = "cutlass2-tile",
     .summary = "A tile of `cutlass2` or `simt` is one of the tested list.",
     .rationale = "Warps and instructions are chosen for it; shapes that CUTLASS does not test may compile "
                  "and give NaN.",
     .source = kGenerator,
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::nobody,
     .check = listed_tile,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).tile(128x192x32)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).tile(128x256x32)")},
    {.id = "UC2802",
     .slug = "cutlass2-stages",
     .summary = "A main loop has at least 3 stages, or exactly 2 when elements go through registers.",
     .rationale = "With 2 stages CUTLASS chooses another main loop, which takes f32 operands as f16 in "
                  "silence; cp.async moves 4 bytes at least, so single 16-bit elements need that one.",
     .source = "CUTLASS 4.2 gemm/threadblock/default_mma.h (specialisations for 2 stages, "
               "OpMultiplyAddFastF16), arch/memory_sm80.h (cp_async)",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::nobody,
     .check = stage_count,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).stages(2)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).stages(3)")},
    {.id = "UC2803",
     .slug = "cutlass2-shared-memory",
     .summary = "The stages of a tile fit the shared memory of a block.",
     .rationale = "CUTLASS 2 does not look before the launch, which then fails.",
     .source = "CUTLASS 4.2 gemm/threadblock/mma_base.h (SharedStorage); CUDA programming guide, technical "
               "specifications",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::launch,
     .check = block_memory,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).tile(128x256x64).stages(5)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).tile(128x256x64).stages(4)")},
    {.id = "UC2804",
     .slug = "cutlass2-cluster",
     .summary = "Back ends `cutlass2` and `simt` have no clusters.",
     .rationale = "Their blocks neither share loads nor see the shared memory of others.",
     .source = "CUTLASS 4.2 gemm/kernel/gemm.h",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::nobody,
     .check = no_cluster,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).cluster(2x1)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).cluster(1x1)")},
    {.id = "UC2805",
     .slug = "cutlass2-schedule",
     .summary = "Back ends `cutlass2` and `simt` have the schedule `multistage`.",
     .rationale = "Pingpong and cooperative divide work among the warp groups of SM90.",
     .source = "CUTLASS 4.2 gemm/dispatch_policy.hpp",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::nobody,
     .check = only_multistage,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).schedule(pingpong)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).schedule(multistage)")},
    {.id = "UC2806",
     .slug = "cutlass2-scheduler",
     .summary = "A block of `cutlass2` or `simt` computes one tile, or one part of K of it.",
     .rationale = "Persistent kernels and stream-K belong to back end `cutlass3`.",
     .source = "emitted kernels: templates/uc_gemm2.cuh",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::nobody,
     .check = one_tile_a_block,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).scheduler(persistent)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).scheduler(split_k)")},
    {.id = "UC2807",
     .slug = "cutlass2-split",
     .summary = "K is split into no more parts than the tile has steps in it.",
     .rationale = "Blocks of the others add zeros, and their sums are written and read all the same.",
     .source = "emitted kernels: templates/uc_gemm2.cuh",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::nobody,
     .check = parts_of_k,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).tile(128x128x64).split(9)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).tile(128x128x64).split(8)")},
    {.id = "UC2811",
     .slug = "cutlass2-accesses",
     .summary = "A thread fills an operand's part of a stage in at most 64 accesses.",
     .rationale = "CUTLASS keeps a bit for each in four words, and stops with a static_assert.",
     .source = "CUTLASS 4.2 transform/threadblock/predicated_tile_access_iterator.h:104",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::compiler,
     .check = few_accesses,
     .bad_example = kBytes,
     .good_example = kFewerBytes},
}};

}  // namespace

std::span<const RuleSpec> cutlass2_rows();
std::span<const RuleSpec> cutlass2_rows() { return kRows; }

}  // namespace uc::rules
