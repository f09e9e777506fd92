// Limits of sizes: what descriptors, launch geometry and 32-bit problem shapes can hold.
#include <array>

#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

constexpr int64_t kLargestExtent = (int64_t{1} << 31) - 1;
constexpr int64_t kLargestStride = int64_t{1} << 40;  // bytes

std::optional<Finding> gemm_extent(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  const std::array<std::pair<char, int64_t>, 4> extents{
      {{'M', g->kernel.m()}, {'N', g->kernel.n()}, {'K', g->kernel.k()}, {'L', g->kernel.batch()}}};
  for (const auto& [letter, extent] : extents) {
    if (extent <= kLargestExtent) continue;
    return Finding{"", fmt::format("{} is {}, and kernels count to {}", letter, extent, kLargestExtent),
                   "too large", "work on parts of the tensor", ""};
  }
  return std::nullopt;
}

std::optional<Finding> stride_range(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  for (const size_t index : {size_t{0}, size_t{1}}) {
    const View& view = index == 0 ? g->kernel.a : g->kernel.b;
    const int64_t stride = k_major(view) ? view.stride[1] : view.stride[2];
    const int64_t widest = std::max(stride, view.shape[0] == 1 ? 0 : view.stride[0]);
    if (widest < kLargestStride / size_bytes(view.dtype)) continue;
    return Finding{index == 0 ? "a" : "b",
                   fmt::format("a stride of {} is {} elements, and TMA holds less than 2^40 bytes",
                               g->operand_name(index), widest),
                   "too far apart",
                   fmt::format("a dense copy in a step before: `to({}, row)`", g->operand(index).name), ""};
  }
  return std::nullopt;
}

constexpr std::array<RuleSpec, 2> kRows{{
    {.id = "UC2601",
     .slug = "gemm-extent",
     .summary = "M, N, K and the batch of a contraction are below 2^31.",
     .rationale = "CUTLASS keeps problem shapes as 32-bit integers; larger ones wrap around in silence.",
     .source = "CUTLASS 4.2 gemm/kernel/gemm_universal.hpp (Shape<int, int, int, int>)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::nobody,
     .check = gemm_extent,
     .bad_example =
         "target sm_90a\ninput a: f16[2147483656, 64]\ninput b: f16[64, 64]\nc = gemm(a, b)\nreturn c\n",
     .good_example =
         "target sm_90a\ninput a: f16[2147483640, 64]\ninput b: f16[64, 64]\nc = gemm(a, b)\nreturn c\n"},
    {.id = "UC2602",
     .slug = "stride-range",
     .summary = "Strides of A and B are below 2^40 bytes.",
     .rationale = "That is what a TMA descriptor holds; CuTe asserts it, and NDEBUG removes the assertion.",
     .source = "CUDA driver API, cuTensorMapEncodeTiled (globalStrides)",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::launch,
     .check = stride_range,
     .bad_example = "target sm_90a\ninput a: f16[2, 128, 128] @strides(549755813888, 128, 1)\ninput b: "
                    "f16[2, 128, 128]\n"
                    "c = gemm(a, b)\nreturn c\n",
     .good_example = "target sm_90a\ninput a: f16[2, 128, 128] @strides(549755813760, 128, 1)\ninput b: "
                     "f16[2, 128, 128]\n"
                     "c = gemm(a, b)\nreturn c\n"},
}};

}  // namespace

std::span<const RuleSpec> extents_rows();
std::span<const RuleSpec> extents_rows() { return kRows; }

}  // namespace uc::rules
