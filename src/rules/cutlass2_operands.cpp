// Alignment and range of the operands of CUTLASS 2 contractions, and what they cost on SM90a.
#include "rules/gemm2_rule.h"

namespace uc::rules {
namespace {

std::optional<Finding> known_alignment(const RuleContext& context) {
  const auto g = gemm2(context);
  if (!g || g->gemm.config.align == 0) return std::nullopt;
  int64_t have = 16;
  for (const View* view : {&g->gemm.kernel.a, &g->gemm.kernel.b})
    have = std::min(have, gemm2_alignment(*view, 0) * size_bytes(view->dtype));
  if (g->gemm.config.align <= have && 16 % g->gemm.config.align == 0) return std::nullopt;
  return Finding{
      "align", fmt::format("the operands are aligned to {} bytes, not {}", have, g->gemm.config.align),
      "1, 2, 4, 8 or 16, and no more than there is", fmt::format("`.align({})`", have), std::to_string(have)};
}

std::optional<Finding> block_count(const RuleContext& context) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  constexpr int64_t kTile = 512;  // coordinates run past the end by less than this
  const auto g = gemm2(context);
  if (!g) return std::nullopt;
  const Contraction& kernel = g->gemm.kernel;
  for (const View* view : {&kernel.a, &kernel.b}) {
    const int64_t extent = std::max(view->shape[1], view->shape[2]);
    const int64_t stride = view->stride[k_major(*view) ? 1 : 2];
    if (extent <= kMost - kTile && stride <= kMost) continue;
    return Finding{
        "",
        fmt::format("an operand has {} elements in a row or column, or rows {} apart, and CUTLASS 2 "
                    "counts in 32 bits",
                    extent, stride),
        "", "work on parts of the tensor", ""};
  }
  if (g->tile == nullptr) return std::nullopt;
  const auto up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const int64_t blocks = up(kernel.m(), g->gemm.config.tile_m) * up(kernel.n(), g->gemm.config.tile_n) *
                         kernel.batch() * std::max<int64_t>(1, g->gemm.config.split);
  if (blocks <= kMost) return std::nullopt;
  return Finding{"tile", fmt::format("{} tiles: a grid has {} blocks at most", blocks, kMost), "too small",
                 "a larger tile, or work on parts of the tensor", ""};
}

// TMA reads at multiples of 16 bytes.
bool reads_by_tma(const View& view) {
  const auto on = [&view](int64_t elements) { return elements * size_bytes(view.dtype) % 16 == 0; };
  const int64_t rows = view.stride[k_major(view) ? 1 : 2];
  return on(rows) && on(view.offset) && (view.shape[0] == 1 || on(view.stride[0]));
}

Finding slower(std::string_view why) {
  return {"", fmt::format("CUTLASS 2 multiplies here, at about half the rate of CUTLASS 3: {}", why), "",
          "`.backend(cutlass3)` says all that is in the way, `.backend(cutlass2)` that this is meant", ""};
}

// Only what was not asked for: the author of `.backend(cutlass2)` knows.
std::optional<Finding> instead_of_cutlass3(const RuleContext& context) {
  const auto g = gemm(context);
  const Step& step = context.program[context.launch.step];
  const auto written = [&step](std::string_view knob) { return step.knob(knob) != nullptr; };
  if (!g || written("backend") || written("schedule") || written("scheduler") || written("split"))
    return std::nullopt;
  const Math math = g->kernel.math;
  if (math != Math::f16 && math != Math::bf16 && math != Math::tf32) return std::nullopt;
  for (const size_t index : {size_t{0}, size_t{1}}) {
    const View& view = index == 0 ? g->kernel.a : g->kernel.b;
    const bool turned = math == Math::tf32 && !k_major(view);
    if (reads_by_tma(view) && !turned) continue;
    const std::string name = g->operand(index).name.empty() ? "x" : g->operand(index).name;
    Finding out = slower(
        turned ? fmt::format("K of {} is not contiguous", g->operand_name(index))
               : fmt::format("rows of {} do not start at multiples of 16 bytes", g->operand_name(index)));
    out.knob = index == 0 ? "a" : "b";
    // Of a convolution with a filter of one element K is the channels, which `col` does not name.
    const bool image = g->operand(index).shape.size() > 3;
    if (turned && image) return out;
    out.help =
        fmt::format("a step before that costs a copy: `{0}_2 = to({0}, {1})`; {2}", name,
                    turned ? "col" : fmt::format("row, pitch={}", 16 / size_bytes(view.dtype)), out.help);
    return out;
  }
  return slower("TMA or its epilogue cannot read or write a tensor");
}

constexpr std::string_view kFarRows =
    "target sm_90a\ninput a: f16[128, 128] @strides(2147483656, 1)\ninput b: f16[128, 128]\n"
    "c = gemm(a, b).backend(cutlass2)\nreturn c\n";
constexpr std::string_view kNearRows =
    "target sm_90a\ninput a: f16[128, 128] @strides(2147483640, 1)\ninput b: f16[128, 128]\n"
    "c = gemm(a, b).backend(cutlass2)\nreturn c\n";
constexpr std::string_view kOddRows =
    "target sm_90a\ninput a: f16[512, 100]\ninput b: f16[100, 512]\nc = gemm(a, b)\nreturn c\n";
constexpr std::string_view kPaddedRows =
    "target sm_90a\ninput a: f16[512, 100]\ninput b: f16[100, 512]\na_2 = to(a, row, pitch=8)\n"
    "c = gemm(a_2, b)\nreturn c\n";

constexpr std::array<RuleSpec, 3> kRows{{
    {.id = "UC2808",
     .slug = "cutlass2-align",
     .summary = "`.align` is a power of two up to 16 bytes, and no more than the operands have.",
     .rationale = "The kernel takes what the addresses allow, and less than was counted on is not told.",
     .source = "CUDA programming guide, device memory accesses",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::nobody,
     .check = known_alignment,
     .bad_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).align(32)"),
     .good_example = UC_GEMM_PROGRAM("f16", ".backend(cutlass2).align(8)")},
    {.id = "UC2809",
     .slug = "cutlass2-range",
     .summary = "Rows, strides and blocks of a `cutlass2` or `simt` contraction are below 2^31.",
     .rationale = "Layouts keep strides, and grids blocks, in 32 bits; larger ones wrap around in silence.",
     .source =
         "CUTLASS 4.2 layout/matrix.h (RowMajor::Index); CUDA programming guide, technical specifications",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .caught_by = CaughtBy::nobody,
     .check = block_count,
     .bad_example = kFarRows,
     .good_example = kNearRows},
    {.id = "UC2810",
     .slug = "cutlass2-instead",
     .severity = Severity::warning,
     .summary = "What CUTLASS 3 could multiply after a copy runs on CUTLASS 2, at about half the rate.",
     .rationale = "mma.sync reaches 58 % of the rate of wgmma; a copy costs one pass over the operand.",
     .source = "479 of 828 TFLOP/s in f16, 218 of 376 in TF32, measured on an H200 at 4096 x 4096 x 4096",
     .archs = "sm_90a",
     .backend = "cutlass2",
     .caught_by = CaughtBy::nobody,
     .check = instead_of_cutlass3,
     .bad_example = kOddRows,
     .good_example = kPaddedRows},
}};

}  // namespace

std::span<const RuleSpec> cutlass2_operands_rows();
std::span<const RuleSpec> cutlass2_operands_rows() { return kRows; }

}  // namespace uc::rules
