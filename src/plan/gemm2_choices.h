#pragma once
// Why: CUTLASS 2 makes kernels of a tested list of tiles, each with its warps; planner, rules and emitter ask
// the same table what belongs to one way to multiply, and how wide its accesses to memory are.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/kernel.h"

namespace uc {

/// A block's tile and a warp's part of it (its K is the tile's). Elements.
struct Gemm2Tile {
  int64_t m, n, k;
  int64_t warp_m, warp_n;
  int64_t stages;  ///< of the main loop; more and fewer work, but for what UC2802 says
  int64_t threads() const { return m / warp_m * (n / warp_n) * 32; }
};

/// What one way to multiply is made of. Names are CUTLASS's own.
struct Gemm2Family {
  std::span<const Gemm2Tile> tiles;
  std::string_view unit;  ///< "TensorOp", "Simt"
  std::string_view arch;  ///< "Sm80"
  std::string_view operation;
  int64_t instruction_m, instruction_n, instruction_k;
  double share;  ///< of the multiplying units' rate at the highest clock that large problems reach
  bool tensor() const { return instruction_m > 1; }
};

/// The family for a contraction on `backend` ("cutlass2", "simt") and `arch` ("sm_80"); nothing when it has
/// none.
std::optional<Gemm2Family> gemm2_family(const Contraction& kernel, std::string_view backend,
                                        std::string_view arch);

/// The listed tile of a launch, as the kernel has it: with M and N exchanged when it computes the transpose.
const Gemm2Tile* gemm2_tile(const Gemm2Family& family, const Contraction& kernel,
                            const ContractionConfig& config);

/// The same, or for a tile that is not listed one with warps of at most 64 x 64: what rules reject can be
/// tried all the same. Without any tile the first of the list.
Gemm2Tile gemm2_any_tile(const Gemm2Family& family, const Contraction& kernel,
                         const ContractionConfig& config);

/// CUTLASS 2 stores rows, so a result with M contiguous is computed as its transpose, B times A.
bool gemm2_transposed(const Contraction& kernel);

/// Elements of an operand (of shape [L, rows, K]) that every access may read at once: a power of two, at most
/// 16 bytes (of f64: one element) and `limit` bytes (0: no limit).
int64_t gemm2_alignment(const View& operand, int64_t limit);

/// Accesses of a thread to fill one operand's part of a stage: CUTLASS keeps a bit for each, in four words.
constexpr int64_t kGemm2MostAccesses = 64;
/// The larger of A's and B's.
int64_t gemm2_accesses(const Contraction& kernel, const Gemm2Tile& tile, const ContractionConfig& config);

/// Registers a thread of accumulators and, where elements go through registers, of a stage on its way. Beyond
/// kGemm2MostRegisters compilers spill: 16 bytes at 152, 400 at 176 (ptxas -v, f16 tiles 128x256x32 and x64).
constexpr int64_t kGemm2MostRegisters = 152;
int64_t gemm2_registers(const Contraction& kernel, const Gemm2Tile& tile, const ContractionConfig& config);

/// Elements along `fast` (1: M, 2: N) of an epilogue's tensor that every access may move at once.
int64_t gemm2_width(const View& view, size_t fast);

/// Shared memory is filled by cp.async, which moves 4, 8 or 16 bytes; else through registers, in two stages.
bool gemm2_asynchronous(const Contraction& kernel, const ContractionConfig& config);

/// Bytes a block: the stages, or the accumulators that warps exchange in the epilogue.
int64_t gemm2_shared_bytes(const Contraction& kernel, const Gemm2Tile& tile, int64_t stages);

}  // namespace uc
