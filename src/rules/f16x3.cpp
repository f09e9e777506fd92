// Products of f32 data as three f16 ones: what is multiplied then, and where its sums live.
#include "check/f16x3.h"

#include <array>

#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

std::optional<Finding> f32_operands(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->kernel.math != Math::f16x3) return std::nullopt;
  for (const size_t index : {size_t{0}, size_t{1}}) {
    const DType type = g->operand(index).dtype;
    if (type == DType::f32) continue;
    return Finding{"math",
                   fmt::format("`f16x3` splits f32 operands in two f16 halves; {} is {}",
                               g->operand_name(index), name(type)),
                   "needs f32", "`.math(auto)`, or the operand as f32", "auto"};
  }
  return std::nullopt;
}

// The widest tile N below the present one that leaves room for both sets.
int64_t roomy_tile_n(const Gemm& g) {
  for (const int64_t n : {192, 128, 96, 64, 32}) {
    if (n < g.config.tile_n &&
        2 * g.accumulators(g.config.tile_m, n, g.cooperative()) <= kPromotedAccumulators)
      return n;
  }
  return 16;
}

std::optional<Finding> promoted_accumulators(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->kernel.math != Math::f16x3 || !g->sound_schedule()) return std::nullopt;
  const int64_t both = 2 * g->accumulators();
  if (both <= kPromotedAccumulators || g->accumulators() > 192) return std::nullopt;  // more: another rule's
  const std::string tile = tile_text(g->config.tile_m, roomy_tile_n(*g), g->config.tile_k);
  return Finding{
      "tile",
      fmt::format("a tile of {} x {} takes {} accumulators a thread in schedule `{}`: `f16x3` keeps two "
                  "sets, one that the tensor core adds to and one that is rounded",
                  g->config.tile_m, g->config.tile_n, both, name(g->config.schedule)),
      fmt::format("both together up to {}", kPromotedAccumulators), fmt::format("`.tile({})`", tile), tile};
}

constexpr std::array<RuleSpec, 2> kRows{{
    {.id = "UC2701",
     .slug = "f16x3-operands",
     .summary = "`f16x3` multiplies f32 operands.",
     .rationale =
         "It gives f32 data f32's accuracy on f16 tensor cores. Data of 16 bits has nothing to split, and "
         "multiplies as it is at three times the rate.",
     .source = "emit/templates/uc_split.cuh",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::emitter,
     .check = f32_operands,
     .bad_example = UC_GEMM_PROGRAM("f16", ".math(f16x3)"),
     .good_example = UC_GEMM_PROGRAM("f32", ".math(f16x3)")},
    {.id = "UC2702",
     .slug = "promoted-accumulators",
     .summary = "With `f16x3` a thread holds at most 96 accumulators, twice.",
     .rationale =
         "The tensor core truncates its sums, so they are added to a second set of registers every 256 of K. "
         "What does not fit into registers spills in the innermost loop.",
     .source = "CUTLASS 4.2 gemm/collective/fp8_accumulation.hpp; ptxas -v",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = promoted_accumulators,
     .bad_example = UC_GEMM_PROGRAM("f32", ".math(f16x3).tile(128x256x64).schedule(cooperative)"),
     .good_example = UC_GEMM_PROGRAM("f32", ".math(f16x3).tile(128x192x64).schedule(cooperative)")},
}};

}  // namespace

std::span<const RuleSpec> f16x3_rows();
std::span<const RuleSpec> f16x3_rows() { return kRows; }

}  // namespace uc::rules
