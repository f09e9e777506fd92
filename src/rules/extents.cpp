// Limits of sizes: what descriptors, launch geometry and 32-bit problem shapes can hold.
#include <array>

#include "rules/gemm_rule.h"

namespace uc::rules {
namespace {

constexpr int64_t kLargestInt = (int64_t{1} << 31) - 1;
constexpr int64_t kSmallestTile = 64;                 // stands for a tile that is not chosen yet
constexpr int64_t kLargestStride = int64_t{1} << 40;  // bytes

std::optional<Finding> gemm_extent(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  struct Extent {
    char letter;
    int64_t value, tile;
  };
  const auto tile = [&](int64_t chosen) { return g->has_tile() ? chosen : kSmallestTile; };
  const std::array<Extent, 4> extents{{{'M', g->kernel.m(), tile(g->config.tile_m)},
                                       {'N', g->kernel.n(), tile(g->config.tile_n)},
                                       {'K', g->kernel.k(), tile(g->config.tile_k)},
                                       {'L', g->kernel.batch(), 1}}};
  for (const Extent& extent : extents) {
    const int64_t largest = kLargestInt - extent.tile;
    if (extent.value <= largest) continue;
    return Finding{"",
                   fmt::format("{} is {}, and with tiles of {} kernels count to {}", extent.letter,
                               extent.value, extent.tile, largest),
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
     .summary = "M, N, K and the batch of a contraction are below 2^31 by at least a tile.",
     .rationale =
         "CUTLASS keeps problem shapes as 32-bit integers and adds a tile to them before it divides: "
         "larger ones wrap around in silence, into a grid of four thousand million blocks.",
     .source = "CUTLASS 4.2 cute/int_tuple.hpp:344 (ceil_div of ints); found by preparing launches "
               "(tests/oracle)",
     .archs = "sm_90a sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::launch,
     .check = gemm_extent,
     .bad_example = "target sm_90a\ninput a: f16[2147483600, 64]\ninput b: f16[64, 64]\nc = gemm(a, "
                    "b).backend(cutlass3)\nreturn c\n",
     .good_example =
         "target sm_90a\ninput a: f16[2147483576, 64]\ninput b: f16[64, 64]\nc = gemm(a, b)\nreturn c\n"},
    {.id = "UC2602",
     .slug = "stride-range",
     .summary = "Strides of A and B are below 2^40 bytes.",
     .rationale = "That is what a TMA descriptor holds; CuTe asserts it, and NDEBUG removes the assertion.",
     .source = "CUDA driver API, cuTensorMapEncodeTiled (globalStrides)",
     .archs = "sm_90a sm_100a",
     .backend = "cutlass3",
     .caught_by = CaughtBy::launch,
     .check = stride_range,
     .bad_example = "target sm_90a\ninput a: f16[2, 128, 128] @strides(549755813888, 128, 1)\ninput b: "
                    "f16[2, 128, 128]\n"
                    "c = gemm(a, b).backend(cutlass3)\nreturn c\n",
     .good_example = "target sm_90a\ninput a: f16[2, 128, 128] @strides(549755813760, 128, 1)\ninput b: "
                     "f16[2, 128, 128]\n"
                     "c = gemm(a, b)\nreturn c\n"},
}};

}  // namespace

std::span<const RuleSpec> extents_rows();
std::span<const RuleSpec> extents_rows() { return kRows; }

}  // namespace uc::rules
