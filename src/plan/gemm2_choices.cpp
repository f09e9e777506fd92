#include "plan/gemm2_choices.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "ir/operand.h"

namespace uc {
namespace {

// Tiles that CUTLASS generates and tests for each instruction (python/cutlass_library/generator.py, functions
// GenerateSM80_TensorOp_* and GenerateSM80_Simt_*; GenerateSM90_TensorOp_1684 for f64 on SM90).
constexpr std::array<Gemm2Tile, 14> kHalf{{{128, 256, 32, 64, 64, 3},
                                           {256, 128, 32, 64, 64, 3},
                                           {128, 128, 32, 64, 64, 4},
                                           {256, 64, 32, 64, 64, 4},
                                           {64, 256, 32, 64, 64, 4},
                                           {128, 64, 32, 64, 32, 6},
                                           {64, 128, 32, 32, 64, 6},
                                           {64, 64, 32, 32, 32, 8},
                                           {128, 256, 64, 64, 64, 3},
                                           {256, 128, 64, 64, 64, 3},
                                           {128, 128, 64, 64, 64, 3},
                                           {128, 64, 64, 64, 32, 3},
                                           {64, 128, 64, 32, 64, 3},
                                           {64, 64, 64, 32, 32, 5}}};

constexpr std::array<Gemm2Tile, 13> kTf32{{{128, 256, 16, 64, 64, 3},
                                           {256, 128, 16, 64, 64, 3},
                                           {128, 128, 16, 64, 64, 4},
                                           {256, 64, 16, 64, 64, 4},
                                           {64, 256, 16, 64, 64, 4},
                                           {128, 64, 16, 64, 32, 6},
                                           {64, 128, 16, 32, 64, 6},
                                           {64, 64, 16, 32, 32, 8},
                                           {128, 256, 32, 64, 64, 3},
                                           {256, 128, 32, 64, 64, 3},
                                           {128, 128, 32, 64, 64, 3},
                                           {128, 64, 32, 64, 32, 3},
                                           {64, 64, 32, 32, 32, 4}}};

constexpr std::array<Gemm2Tile, 7> kTf32x3{{{128, 128, 16, 32, 64, 4},
                                            {256, 64, 16, 64, 32, 3},
                                            {64, 256, 16, 32, 64, 3},
                                            {128, 64, 16, 64, 32, 4},
                                            {64, 128, 16, 32, 64, 4},
                                            {64, 64, 16, 32, 32, 3},
                                            {128, 128, 32, 32, 64, 3}}};

constexpr std::array<Gemm2Tile, 9> kInt8{{{128, 256, 64, 64, 64, 3},
                                          {256, 128, 64, 64, 64, 3},
                                          {128, 128, 64, 64, 64, 4},
                                          {256, 64, 64, 64, 64, 4},
                                          {64, 256, 64, 64, 64, 4},
                                          {128, 64, 64, 64, 32, 6},
                                          {64, 128, 64, 32, 64, 6},
                                          {64, 64, 64, 32, 32, 8},
                                          {128, 128, 128, 64, 64, 3}}};

constexpr std::array<Gemm2Tile, 6> kDouble{{{128, 128, 16, 32, 64, 3},
                                            {256, 64, 16, 64, 32, 3},
                                            {64, 256, 16, 32, 64, 3},
                                            {128, 64, 16, 64, 32, 3},
                                            {64, 128, 16, 32, 64, 3},
                                            {64, 64, 16, 32, 32, 4}}};

constexpr std::array<Gemm2Tile, 6> kSimtSingle{{{128, 128, 8, 32, 64, 4},
                                                {256, 128, 8, 64, 64, 4},
                                                {128, 256, 8, 64, 64, 4},
                                                {128, 64, 8, 64, 32, 5},
                                                {64, 128, 8, 32, 64, 5},
                                                {64, 64, 8, 32, 64, 5}}};

constexpr std::array<Gemm2Tile, 4> kSimtDouble{
    {{128, 128, 8, 32, 64, 3}, {128, 64, 8, 64, 32, 4}, {64, 128, 8, 32, 64, 4}, {64, 64, 8, 32, 64, 5}}};

// mma.sync has no access to the rate of SM90's wgmma: 479, 218 and 71 TFLOP/s in f16, TF32 and 3xTF32,
// measured on an H200 at 4096^3, of 1070, 535 and 178. On parts made for mma.sync CUTLASS reports 85 %.
double tensor_share(Math math, std::string_view arch) {
  // Assumed: the rate that SM80 has, a quarter of that of SM100's tcgen05.
  if (arch == "sm_100a") return 0.2;
  if (arch != "sm_90a") return 0.85;
  return math == Math::tf32 || math == Math::tf32x3 ? 0.41 : 0.45;
}

std::optional<Gemm2Family> tensor_family(const Contraction& kernel, std::string_view arch) {
  const double share = tensor_share(kernel.math, arch);
  switch (kernel.math) {
    case Math::f16:
    case Math::bf16: return Gemm2Family{kHalf, "TensorOp", "Sm80", "OpMultiplyAdd", 16, 8, 16, share};
    case Math::tf32: return Gemm2Family{kTf32, "TensorOp", "Sm80", "OpMultiplyAdd", 16, 8, 8, share};
    case Math::tf32x3:
      return Gemm2Family{kTf32x3, "TensorOp", "Sm80", "OpMultiplyAddFastF32", 16, 8, 8, share};
    case Math::i8: return Gemm2Family{kInt8, "TensorOp", "Sm80", "OpMultiplyAddSaturate", 16, 8, 32, share};
    // The instruction is SM89's, and later parts run it at the rate of 16-bit types or below (assumed).
    case Math::f8:
      if (arch == "sm_80" || arch == "sm_86" || arch == "sm_87" || arch == "sm_100a") return std::nullopt;
      return Gemm2Family{kInt8, "TensorOp", "Sm89", "OpMultiplyAdd",
                         16,    8,          32,     arch == "sm_89" ? 0.85 : 0.22};
    case Math::f64:
      if (arch == "sm_90a") return Gemm2Family{kDouble, "TensorOp", "Sm90", "OpMultiplyAdd", 16, 8, 4, 0.8};
      // SM86 and SM89 have two lanes for f64: its tensor instruction is emulated.
      if (arch == "sm_80") return Gemm2Family{kDouble, "TensorOp", "Sm80", "OpMultiplyAdd", 8, 8, 4, 0.85};
      return std::nullopt;
    default: return std::nullopt;
  }
}

// Largest power of two that divides all of them, at most `most`.
int64_t common_power(std::initializer_list<int64_t> values, int64_t most) {
  int64_t all = most;
  for (const int64_t value : values) all = std::gcd(all, value);
  return all & -all;
}

}  // namespace

std::optional<Gemm2Family> gemm2_family(const Contraction& kernel, std::string_view backend,
                                        std::string_view arch) {
  if (backend == "cutlass2") return tensor_family(kernel, arch);
  // 51 of the H200's 67 TFLOP/s.
  if (kernel.math == Math::f32)
    return Gemm2Family{kSimtSingle, "Simt", "Sm80", "OpMultiplyAdd", 1, 1, 1, 0.76};
  if (kernel.math == Math::f64)
    return Gemm2Family{kSimtDouble, "Simt", "Sm80", "OpMultiplyAdd", 1, 1, 1, 0.7};
  return std::nullopt;
}

const Gemm2Tile* gemm2_tile(const Gemm2Family& family, const Contraction& kernel,
                            const ContractionConfig& config) {
  const bool transposed = gemm2_transposed(kernel);
  const int64_t m = transposed ? config.tile_n : config.tile_m;
  const int64_t n = transposed ? config.tile_m : config.tile_n;
  for (const Gemm2Tile& tile : family.tiles) {
    if (tile.m == m && tile.n == n && tile.k == config.tile_k) return &tile;
  }
  return nullptr;
}

Gemm2Tile gemm2_any_tile(const Gemm2Family& family, const Contraction& kernel,
                         const ContractionConfig& config) {
  if (config.tile_m == 0) return family.tiles.front();
  if (const Gemm2Tile* listed = gemm2_tile(family, kernel, config)) return *listed;
  const bool transposed = gemm2_transposed(kernel);
  const int64_t m = transposed ? config.tile_n : config.tile_m;
  const int64_t n = transposed ? config.tile_m : config.tile_n;
  return {m, n, config.tile_k, std::min<int64_t>(m, 64), std::min<int64_t>(n, 64), 3};
}

bool gemm2_transposed(const Contraction& kernel) {
  if (kernel.epilogue.effects.empty()) return false;
  const View& out = kernel.epilogue.views[kernel.epilogue.effects.back().view];
  return out.stride[1] == 1 && out.stride[2] != 1 && out.shape[1] != 1 && out.shape[2] != 1;
}

int64_t gemm2_alignment(const View& operand, int64_t limit) {
  const int64_t bytes = size_bytes(operand.dtype);
  const size_t fast = k_major(operand) ? 2 : 1;
  const size_t slow = 3 - fast;
  const int64_t widest = operand.dtype == DType::f64 ? 8 : 16;  // CUTLASS 2 copies f64 one by one
  const int64_t most = std::max<int64_t>(1, (limit == 0 ? widest : std::min(limit, widest)) / bytes);
  return common_power({operand.shape[fast], operand.shape[slow] == 1 ? 0 : operand.stride[slow],
                       operand.shape[0] == 1 ? 0 : operand.stride[0], operand.offset},
                      most & -most);
}

int64_t gemm2_accesses(const Contraction& kernel, const Gemm2Tile& tile, const ContractionConfig& config) {
  const bool transposed = gemm2_transposed(kernel);
  const int64_t a = gemm2_alignment(transposed ? kernel.b : kernel.a, config.align);
  const int64_t b = gemm2_alignment(transposed ? kernel.a : kernel.b, config.align);
  return std::max(tile.m * tile.k / a, tile.n * tile.k / b) / tile.threads();
}

int64_t gemm2_registers(const Contraction& kernel, const Gemm2Tile& tile, const ContractionConfig& config) {
  const int64_t accumulators = tile.m * tile.n * size_bytes(kernel.accumulate) / 4;
  const int64_t stage =
      gemm2_asynchronous(kernel, config) ? 0 : (tile.m + tile.n) * tile.k * size_bytes(kernel.a.dtype) / 4;
  return (accumulators + stage) / tile.threads();
}

int64_t gemm2_width(const View& view, size_t fast) {
  if (view.stride[fast] != 1) return 1;
  const size_t slow = 3 - fast;
  return common_power({view.shape[fast], view.shape[slow] == 1 ? 0 : view.stride[slow],
                       view.shape[0] == 1 ? 0 : view.stride[0], view.offset},
                      16 / size_bytes(view.dtype));
}

bool gemm2_asynchronous(const Contraction& kernel, const ContractionConfig& config) {
  return gemm2_alignment(kernel.a, config.align) * size_bytes(kernel.a.dtype) >= 4 &&
         gemm2_alignment(kernel.b, config.align) * size_bytes(kernel.b.dtype) >= 4;
}

int64_t gemm2_shared_bytes(const Contraction& kernel, const Gemm2Tile& tile, int64_t stages) {
  const int64_t main_loop = (tile.m + tile.n) * tile.k * size_bytes(kernel.a.dtype) * stages;
  // Eight rows of every warp, two of them at once for narrow results, with padding against bank conflicts.
  const int64_t rows = tile.m / tile.warp_m * 8 * 2;
  return std::max(main_loop, rows * (tile.n + 16) * size_bytes(kernel.accumulate));
}

}  // namespace uc
