// Contractions with few rows or columns: how K is cut, and what makes their reads narrow.
#include <array>

#include "plan/gemv_shape.h"
#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

std::optional<Finding> slice_depth(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->config.split <= 1) return std::nullopt;
  const int64_t most = round_up(g->kernel.k(), GemvShape::kTile) / GemvShape::kTile;
  if (g->config.split <= most) return std::nullopt;
  return Finding{"split",
                 fmt::format("K of {} in {} parts: they are made of {} elements at a time", g->kernel.k(),
                             g->config.split, GemvShape::kTile),
                 fmt::format("at most {}", most), fmt::format("`.split({})`", most), std::to_string(most)};
}

std::optional<Finding> narrow_reads(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  const GemvShape shape(g->kernel);
  const int64_t bytes = shape.vector * size_bytes(g->kernel.a.dtype);
  // Many sums a thread leave room for fewer lines at once.
  if (bytes >= 16 || !shape.unit ||
      (!shape.along_k && shape.vector * shape.thread_shorts >= GemvShape::kMostSums))
    return std::nullopt;
  const size_t which = shape.long_is_a ? 0 : 1;
  const std::string& given = g->operand(which).name;
  return Finding{
      "",
      fmt::format("{} can be read {} bytes at once, by where its lines start and end", g->operand_name(which),
                  bytes),
      "16 are fastest",
      fmt::format("pad its lines in a step before: `t = to({}, {}, row, pitch={})`",
                  given.empty() ? "x" : given, name(g->kernel.a.dtype), 16 / size_bytes(g->kernel.a.dtype)),
      ""};
}

constexpr std::string_view kArchs = "sm_80 sm_86 sm_89 sm_90a";

constexpr std::array<RuleSpec, 2> kRows{{
    {.id = "UC2711",
     .slug = "gemv-split-depth",
     .summary = "A contraction with few rows is split in at most as many parts as K has stretches of 64.",
     .rationale = "Parts are made of whole stretches; one without any has nothing to add.",
     .source = "src/emit/templates/uc_gemv_host.h (kTile), uc_slices_host.h (cut)",
     .archs = kArchs,
     .backend = "cuda",
     .check = slice_depth,
     .bad_example = "target sm_90a\ninput x: f16[2, 512]\ninput w: f16[512, 512]\n"
                    "y = linear(x, w).backend(cuda).split(9)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f16[2, 512]\ninput w: f16[512, 512]\n"
                     "y = linear(x, w).backend(cuda).split(8)\nreturn y\n"},
    {.id = "UC2712",
     .slug = "gemv-narrow-reads",
     .severity = Severity::warning,
     .summary = "The long operand of a contraction with few rows can be read 16 bytes at a time.",
     .rationale = "Such a contraction is as fast as memory, and narrow reads ask for less of it at once.",
     .source = "src/emit/templates/uc_gemv.cuh",
     .archs = kArchs,
     .backend = "cuda",
     .check = narrow_reads,
     .bad_example = "target sm_90a\ninput x: f16[2, 500]\ninput w: f16[512, 500]\n"
                    "y = linear(x, w).backend(cuda)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f16[2, 512]\ninput w: f16[512, 512]\n"
                     "y = linear(x, w).backend(cuda)\nreturn y\n"},
}};

}  // namespace

std::span<const RuleSpec> gemv_rows();
std::span<const RuleSpec> gemv_rows() { return kRows; }

}  // namespace uc::rules
