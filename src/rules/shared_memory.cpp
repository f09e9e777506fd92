// Stages and shared memory of SM90 contractions, by the closed form of plan/smem_model.h.
#include <array>

#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

std::optional<Finding> stages_minimum(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->config.stages != 1) return std::nullopt;
  return Finding{"stages", "one stage: nothing can be loaded while it is multiplied", "at least 2",
                 "`.stages(auto)`", "auto"};
}

// Most stages with the schedule as set, or with the kinder one while it is automatic.
int64_t most_stages(const Gemm& g, bool with_epilogue) {
  int64_t most = 0;
  for (const Schedule schedule : {Schedule::cooperative, Schedule::pingpong, Schedule::warp_specialized}) {
    if (g.has_schedule() ? schedule != g.config.schedule : schedule == Schedule::warp_specialized) continue;
    if (schedule == Schedule::cooperative && g.config.tile_m % 128 != 0) continue;
    ContractionConfig config = g.config;
    config.schedule = schedule;
    const MainloopShape tile = mainloop_shape(g.kernel, config);
    const EpilogueStorage epilogue =
        with_epilogue ? epilogue_storage(tile, epilogue_shape(g.kernel, g.config)) : EpilogueStorage{};
    most = std::max(most, stages_that_fit(tile, epilogue, g.context.device.smem_per_block));
  }
  return most;
}

// A tile that its schedule refuses anyway is not measured.
bool tile_counts(const Gemm& g) { return g.has_schedule() ? g.sound_schedule() : g.sound_tile(); }

int64_t operand_bytes(const Gemm& g) {
  return g.config.tile_k *
         (g.config.tile_m * size_bytes(g.kernel.a.dtype) + g.config.tile_n * size_bytes(g.kernel.b.dtype));
}

// The tile with K halved until two stages fit.
std::string smaller_tile(const Gemm& g) {
  ContractionConfig config = g.config;
  while (config.tile_k > g.k_step()) {
    config.tile_k = std::max(g.k_step(), config.tile_k / 2 / g.k_step() * g.k_step());
    const Gemm smaller{g.context, g.kernel, config};
    if (most_stages(smaller, true) >= 2) break;
  }
  return tile_text(config.tile_m, config.tile_n, config.tile_k);
}

std::optional<Finding> stages_capacity(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->sound_schedule() || g->config.stages < 2) return std::nullopt;
  const int64_t most = most_stages(*g, true);
  if (g->config.stages <= most || most < 2) return std::nullopt;
  return Finding{
      "stages",
      fmt::format("{} stages of a {} tile take {} bytes of shared memory, and a block has {}",
                  g->config.stages, tile_text(g->config.tile_m, g->config.tile_n, g->config.tile_k),
                  kernel_shared_bytes(g->kernel, g->config), context.device.smem_per_block),
      fmt::format("at most {} fit", most), fmt::format("`.stages({})` or `.stages(auto)`", most),
      std::to_string(most)};
}

std::optional<Finding> tile_capacity(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !tile_counts(*g) || most_stages(*g, false) >= 2) return std::nullopt;
  const std::string tile = smaller_tile(*g);
  return Finding{"tile",
                 fmt::format("a stage of a {} tile of {} takes {} bytes, and two must fit in {}",
                             tile_text(g->config.tile_m, g->config.tile_n, g->config.tile_k),
                             name(g->kernel.a.dtype), operand_bytes(*g), context.device.smem_per_block),
                 "fewer than two stages fit", fmt::format("`.tile({})`", tile), tile};
}

std::optional<Finding> epilogue_capacity(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !tile_counts(*g)) return std::nullopt;
  if (most_stages(*g, false) < 2 || most_stages(*g, true) >= 2) return std::nullopt;
  const MainloopShape shape = mainloop_shape(g->kernel, g->config);
  const EpilogueStorage epilogue = epilogue_storage(shape, epilogue_shape(g->kernel, g->config));
  const std::string tile = smaller_tile(*g);
  return Finding{
      "tile",
      fmt::format("a {} tile and the epilogue's buffers ({} bytes) leave room for one stage",
                  tile_text(g->config.tile_m, g->config.tile_n, g->config.tile_k), epilogue.shared_bytes),
      "fewer than two stages fit", fmt::format("`.tile({})`, or a result and residual of 16-bit type", tile),
      tile};
}

constexpr std::string_view kEpilogueBad = R"(target sm_90a
input a: f16[512, 512]
input b: f16[512, 512]
input r: f32[512, 512]
c = gemm(a, b).tile(128x256x128).schedule(cooperative) >> residual(r) >> to(f32)
return c
)";
constexpr std::string_view kEpilogueGood = R"(target sm_90a
input a: f16[512, 512]
input b: f16[512, 512]
input r: f16[512, 512]
c = gemm(a, b).tile(128x256x128).schedule(cooperative) >> residual(r) >> to(f16)
return c
)";

constexpr std::array<RuleSpec, 4> kRows{{
    {.id = "UC2001",
     .slug = "stages-minimum",
     .summary = "A pipeline has at least two stages.",
     .rationale = "One stage is loaded while another is multiplied; CUTLASS stops with a static_assert.",
     .source = "CUTLASS 4.2 gemm/collective/sm90_mma_tma_gmma_ss_warpspecialized.hpp:137",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = stages_minimum,
     .bad_example = UC_GEMM_PROGRAM("f16", ".stages(1)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".stages(2)")},
    {.id = "UC2002",
     .slug = "stages-capacity",
     .summary = "The stages and the epilogue's buffers fit in a block's shared memory.",
     .rationale = "Too many explicit stages compile and fail when the kernel is launched.",
     .source =
         "CUTLASS 4.2 gemm/collective/builders/sm90_gmma_builder.inl:69-87; NVIDIA/cutlass issues 1525, 617",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::launch,
     .check = stages_capacity,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x64).schedule(pingpong).stages(12)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(128x128x64).schedule(pingpong).stages(5)")},
    {.id = "UC2003",
     .slug = "tile-capacity",
     .summary = "Two stages of the tile fit in a block's shared memory.",
     .rationale = "A stage holds tile K columns of both operands; below two stages there is no pipeline.",
     .source = "CUTLASS 4.2 gemm/collective/builders/sm90_gmma_builder.inl:69-87",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = tile_capacity,
     .bad_example = UC_GEMM_PROGRAM("f16", ".tile(256x128x256)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".tile(256x128x64)")},
    {.id = "UC2004",
     .slug = "epilogue-capacity",
     .summary = "Two stages of the tile fit beside the epilogue's buffers.",
     .rationale =
         "Four epilogue tiles of C and D stay in shared memory; with f32 results and residuals a 128x256x128 "
         "tile leaves one stage, with f16 ones two.",
     .source = "CUTLASS 4.2 epilogue/collective/builders/sm90_builder.inl:64-87; NVIDIA/cutlass issue 3144",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = epilogue_capacity,
     .bad_example = kEpilogueBad,
     .good_example = kEpilogueGood},
}};

}  // namespace

std::span<const RuleSpec> shared_memory_rows();
std::span<const RuleSpec> shared_memory_rows() { return kRows; }

}  // namespace uc::rules
