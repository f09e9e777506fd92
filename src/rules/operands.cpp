// Types, layouts and addresses of a contraction's operands: what tensor memory access and wgmma can read.
// CUTLASS checks extents against a default stride and nothing else, and NDEBUG removes CuTe's assertions.
#include <array>

#include "ir/kernel_parts.h"
#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

// A step before that gives the operand the layout: `x2 = to(x, row)`, or inside prepack when it depends on
// params only.
std::string copy_help(const Gemm& g, size_t index, std::string_view settings) {
  const Value& value = g.operand(index);
  const std::string name = value.name.empty() ? "x" : value.name;
  if (value.params_only)
    return fmt::format("`prepack(to({}, {}))` in place of {}", name, settings, g.operand_name(index));
  return fmt::format("a step before: `{0}_2 = to({0}, {1})`", name, settings);
}

std::optional<Math> math_of(DType type) {
  switch (type) {
    case DType::f16: return Math::f16;
    case DType::bf16: return Math::bf16;
    case DType::f32: return Math::tf32;
    case DType::f8e4m3:
    case DType::f8e5m2: return Math::f8;
    case DType::i8:
    case DType::u8: return Math::i8;
    default: return std::nullopt;
  }
}

std::optional<Finding> math_operands(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  const Math math = g->kernel.math;
  if (math != Math::tf32 && math != Math::f16 && math != Math::bf16 && math != Math::f8 && math != Math::i8)
    return std::nullopt;
  if (math_of(g->kernel.a.dtype) == math) return std::nullopt;
  const std::string_view type = math == Math::tf32 ? "f32" : math == Math::f8 ? "f8e4m3" : name(math);
  return Finding{
      "math",
      fmt::format("`{}` multiplies {} operands; these are {}", name(math), type, name(g->kernel.a.dtype)),
      fmt::format("needs {}", type),
      fmt::format("convert in a step before, `to(..., {})`, or `.math(auto)`", type), "auto"};
}

std::optional<Finding> k_major_operands(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || g->sixteen_bits()) return std::nullopt;
  if (g->kernel.math != Math::tf32 && g->kernel.math != Math::f8 && g->kernel.math != Math::i8)
    return std::nullopt;
  for (const size_t index : {size_t{0}, size_t{1}}) {
    if (k_major(index == 0 ? g->kernel.a : g->kernel.b)) continue;
    const bool last_is_unit = g->operand(index).stride.back() == 1;
    return Finding{index == 0 ? "a" : "b",
                   fmt::format("{} has its {} contiguous; {} multiplies operands whose K is contiguous",
                               g->operand_name(index), index == 0 ? "M" : "N", name(g->kernel.math)),
                   "K is not contiguous", copy_help(*g, index, last_is_unit ? "col" : "row"), ""};
  }
  return std::nullopt;
}

bool off(int64_t elements, DType type) { return elements * size_bytes(type) % 16 != 0; }

std::optional<Finding> operand_stride(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  for (const size_t index : {size_t{0}, size_t{1}}) {
    const View& view = index == 0 ? g->kernel.a : g->kernel.b;
    const int64_t stride = k_major(view) ? view.stride[1] : view.stride[2];
    if (!off(stride, view.dtype) && !off(view.offset, view.dtype)) continue;
    const int64_t multiple = 16 / size_bytes(view.dtype);
    return Finding{
        index == 0 ? "a" : "b",
        fmt::format(
            "rows of {} start every {} bytes{}, and TMA reads at multiples of 16", g->operand_name(index),
            stride * size_bytes(view.dtype),
            view.offset == 0 ? "" : fmt::format(", at byte {}", view.offset * size_bytes(view.dtype))),
        fmt::format("not a multiple of {} elements", multiple),
        copy_help(*g, index, fmt::format("row, pitch={}", multiple)), ""};
  }
  return std::nullopt;
}

std::optional<Finding> operand_batch_stride(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  for (const size_t index : {size_t{0}, size_t{1}}) {
    const View& view = index == 0 ? g->kernel.a : g->kernel.b;
    const int64_t stride = k_major(view) ? view.stride[1] : view.stride[2];
    if (view.shape[0] == 1 || off(stride, view.dtype) || !off(view.stride[0], view.dtype)) continue;
    return Finding{index == 0 ? "a" : "b",
                   fmt::format("matrices of {} start every {} bytes, and TMA reads at multiples of 16",
                               g->operand_name(index), view.stride[0] * size_bytes(view.dtype)),
                   "batch stride", copy_help(*g, index, "row"), ""};
  }
  return std::nullopt;
}

std::optional<Finding> fast_accumulate(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || !g->config.fast_accumulate || g->kernel.math == Math::f8) return std::nullopt;
  return Finding{"accum",
                 fmt::format("`{}` is added up in {} already; `fast` is for f8", name(g->kernel.math),
                             name(g->kernel.accumulate)),
                 "f8 only", "`.accum(auto)`", "auto"};
}

// What the main loop that multiplies by factors of blocks takes.
std::optional<Finding> scale_blocks_knobs(const RuleContext& context) {
  const auto g = gemm(context);
  const auto blocks = g ? scale_blocks_of(g->kernel) : std::nullopt;
  if (!blocks) return std::nullopt;
  const ContractionConfig& config = g->config;
  if (g->sound_tile() &&
      (config.tile_k != 128 || config.tile_m % blocks->m != 0 || config.tile_n % blocks->n != 0)) {
    const int64_t m = std::max(config.tile_m / blocks->m * blocks->m, std::max<int64_t>(64, blocks->m));
    const int64_t n = std::max(config.tile_n / blocks->n * blocks->n, blocks->n);
    const std::string tile = fmt::format("{}x{}x128", m, n);
    return Finding{
        "tile",
        fmt::format("blocks of {} x 128 of A and {} x 128 of B share factors, and a tile is of whole ones "
                    "and 128 of K",
                    blocks->m, blocks->n),
        "whole blocks", fmt::format("`.tile({})`", tile), tile};
  }
  if (config.schedule == Schedule::warp_specialized)
    return Finding{"schedule",
                   "factors of blocks are multiplied with in schedules `pingpong` and `cooperative`",
                   "one tile a block", "`.schedule(cooperative)`", "cooperative"};
  if (config.fast_accumulate)
    return Finding{"accum",
                   "factors of blocks are multiplied with in registers, where sums meet every 128 of K",
                   "sums would stay in the tensor core", "`.accum(auto)`", "auto"};
  if (g->splits_k())
    return Finding{"scheduler", "blocks with factors are added up for all of K by one block of threads",
                   "parts of K", "`.scheduler(persistent)`", "persistent"};
  return std::nullopt;
}

#define UC_SCALED_PROGRAM(knobs)                                                                    \
  "target sm_90a\nprecision f8\ninput x: f32[512, 512]\ninput W: f32[512, 512]\ninput s: f32[512, " \
  "4]\ninput t: "                                                                                   \
  "f32[4, 4]\nxq = to(x, f8e4m3, scale=s)\nwq = to(W, f8e4m3, scale=t)\ny = linear(xq, wq)" knobs   \
  " >> to(f16)\nreturn y\n"

constexpr std::array<RuleSpec, 6> kRows{{
    {.id = "UC2301",
     .slug = "math-operands",
     .summary =
         "`f16` multiplies f16 operands, `bf16` bf16 ones, `tf32` f32 ones, `f8` and `i8` those of 8 bits.",
     .rationale = "wgmma takes both operands in one 16-bit type or as tf32; nothing converts on the way.",
     .source = "PTX ISA, wgmma.mma_async types; CUTLASS 4.2 cute/arch/mma_sm90.hpp ss_op_selector",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::emitter,
     .check = math_operands,
     .bad_example = "target sm_90a\nprecision f16\ninput a: f32[512, 512]\ninput b: f32[512, 512] @col\n"
                    "c = gemm(a, b).math(f16)\nreturn c\n",
     .good_example = "target sm_90a\nprecision f16\ninput a: f32[512, 512]\ninput b: f32[512, 512] @col\n"
                     "a2, b2 = to(a, b, f16)\nc = gemm(a2, b2).math(f16) >> to(f32)\nreturn c\n"},
    {.id = "UC2302",
     .slug = "k-major",
     .summary = "Operands multiplied as tf32, f8 and i8 have K contiguous.",
     .rationale = "wgmma transposes 16-bit operands only. CUTLASS goes through registers for the others, "
                  "with an epilogue "
                  "that fuses nothing; with a TMA epilogue its results are wrong, and nothing says so.",
     .source = "PTX ISA, wgmma.mma_async (imm-trans); wrong numbers confirmed on an H200 with tf32 row x row",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = k_major_operands,
     .bad_example = "target sm_90a\nprecision tf32\ninput a: f32[512, 512]\ninput b: f32[512, 512]\nc = "
                    "gemm(a, b).backend(cutlass3)\nreturn c\n",
     .good_example =
         "target sm_90a\nprecision tf32\ninput a: f32[512, 512]\ninput b: f32[512, 512]\nb_2 = to(b, col)\n"
         "c = gemm(a, b_2)\nreturn c\n"},
    {.id = "UC2303",
     .slug = "operand-stride",
     .summary = "Rows of A and B start at multiples of 16 bytes.",
     .rationale =
         "TMA reads at 16-byte addresses and strides; can_implement looks at extents only, so a real leading "
         "dimension passes unchecked.",
     .source = "CUDA driver API, cuTensorMapEncodeTiled (globalStrides); CUTLASS 4.2 "
               "sm90_mma_tma_gmma_ss_warpspecialized.hpp:244",
     .archs = "sm_90a sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::launch,
     .check = operand_stride,
     .bad_example = "target sm_90a\ninput a: f16[512, 100]\ninput b: f16[100, 512]\nc = gemm(a, "
                    "b).backend(cutlass3)\nreturn c\n",
     .good_example =
         "target sm_90a\ninput a: f16[512, 100]\ninput b: f16[100, 512]\na_2 = to(a, row, pitch=8)\n"
         "c = gemm(a_2, b)\nreturn c\n"},
    {.id = "UC2304",
     .slug = "operand-batch-stride",
     .summary = "Matrices of a batch start at multiples of 16 bytes.",
     .rationale = "The batch is a dimension of the TMA descriptor, and its stride has the same granularity.",
     .source = "CUDA driver API, cuTensorMapEncodeTiled (globalStrides)",
     .archs = "sm_90a sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::launch,
     .check = operand_batch_stride,
     .bad_example = "target sm_90a\ninput a: f16[4, 128, 128] @strides(16388, 128, 1)\ninput b: f16[4, 128, "
                    "128]\nc = gemm(a, b).backend(cutlass3)\n"
                    "return c\n",
     .good_example = "target sm_90a\ninput a: f16[4, 128, 128] @strides(16392, 128, 1)\ninput b: f16[4, 128, "
                     "128]\nc = gemm(a, b)\n"
                     "return c\n"},
    {.id = "UC2305",
     .slug = "fast-accumulate",
     .summary = "Fast accumulation is for f8.",
     .rationale =
         "The tensor core keeps fewer bits of sums of f8 than f32 has, so they are moved to registers "
         "every few instructions unless that is given up for speed; other types have no such choice.",
     .source = "CUTLASS 4.2 gemm/collective/builders/sm90_gmma_builder.inl:543; the emitter would drop the "
               "knob in silence",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = fast_accumulate,
     .bad_example = UC_GEMM_PROGRAM("f16", ".accum(fast)"),
     .good_example = "target sm_90a\ninput a: f8e4m3[512, 512]\ninput b: f8e4m3[512, 512] @col\n"
                     "c = gemm(a, b).accum(fast) >> to(f16)\nreturn c\n"},
    {.id = "UC2306",
     .slug = "scale-blocks",
     .summary = "Tiles are of whole blocks that share a factor, and of 128 elements of K.",
     .rationale = "Sums of 128 products leave the tensor core for registers, where they are multiplied by "
                  "the factors of "
                  "their blocks; the main loop that does so has no other step of K and no parts of K.",
     .source =
         "CUTLASS 4.2 gemm/collective/sm90_mma_tma_gmma_ss_warpspecialized_fp8_blockwise_scaling.hpp:112",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::compiler,
     .check = scale_blocks_knobs,
     .bad_example = UC_SCALED_PROGRAM(".tile(128x64x128).cluster(2x1).schedule(cooperative)"),
     .good_example = UC_SCALED_PROGRAM(".tile(128x128x128).cluster(2x1).schedule(cooperative)")},
}};

}  // namespace

std::span<const RuleSpec> operands_rows();
std::span<const RuleSpec> operands_rows() { return kRows; }

}  // namespace uc::rules
