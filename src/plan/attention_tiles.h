#pragma once
// Why: how attention's work is laid out over warps, registers and shared memory is asked by rules, cost model
// and emitter alike; templates/uc_attention.cuh computes the same.
#include "ir/kernel.h"

namespace uc {

/// A block of the kernel, from its tile.
struct AttentionTiles {
  int64_t rows = 0, keys = 0;                     ///< queries of a block, keys of a step; multiples of 16
  int64_t stages = 0;                             ///< 1 or 2
  int64_t row_tiles = 1;                          ///< times 16 queries that a warp has
  int64_t q_bytes = 0, k_bytes = 0, v_bytes = 0;  ///< of one copy: 16, 8, 4; 0: element by element
  int64_t dim = 0, value = 0;  ///< features with those that fill a step of 16; of values, a slice's
  int64_t slices = 1;  ///< blocks that share the features of a value; 0: none are equal and narrow enough
  bool groups =
      false;  ///< warpgroups multiply, and one more copies for them (templates/uc_attention_groups.cuh)
  int64_t threads() const { return groups ? 384 : rows / row_tiles * 2; }
  int64_t most_held() const;  ///< registers that there are for `held`
  int64_t held() const;       ///< registers of a thread for scores and sums, and weights of groups
  int64_t shared() const;     ///< bytes
  int64_t size = 2;           ///< bytes of an element
};

/// Of a config whose tile is chosen.
AttentionTiles attention_tiles(const Attention& kernel, const AttentionConfig& config);

inline constexpr int64_t kAttentionHeld = 192;  ///< of 255 registers; the rest is fragments and addresses
inline constexpr int64_t kAttentionGroupRows = 128;  ///< queries of two warpgroups
inline constexpr int64_t kAttentionSlice = 256;      ///< features of values that a block holds, at most
inline constexpr int64_t kAttentionShared = 232448;  ///< bytes that a block has where it has most
inline constexpr int64_t kAttentionThreads = 256;    ///< of a block, at most

}  // namespace uc
