#pragma once
// Why: `.math(f16x3)` multiplies f32 data as exactly as f32 does, on f16 tensor cores: lines (rows of A,
// columns of B) are scaled by powers of two and split in two halves, and three products of halves are added.
// What rules, model and emitter look at is the multiplication that then runs, and it is made here, once.
#include "ir/kernel.h"

namespace uc {

/// Multiplications of tensor core instructions (16 along K each) whose sum is promoted at once.
inline constexpr int64_t kPromotedInstructions = 16;

/// Most accumulators a thread, both sets together, that stay in registers.
inline constexpr int64_t kPromotedAccumulators = 192;

/// True for f32 operands multiplied as f16x3.
bool splits(const Contraction& kernel);
bool splits(const Launch& launch);

/// K of one half: whole tiles, so that no tile spans two products. `tile_k` 0: not chosen yet.
int64_t half_k(int64_t k, int64_t tile_k);

/// The f16 multiplication of the halves: K three times as long, operands K contiguous where they were, two
/// views more at the end of the epilogue (a factor a row, a factor a column), by which the accumulator is
/// multiplied first. Its math stays f16x3. Requires `splits(kernel)`.
Contraction split_product(const Contraction& kernel, int64_t tile_k);

/// What f16x3 may be off by at most, in multiples of sum |a||b|, where no element is below 2^-15 of the
/// largest of its line. Others add |b| 2^-38 max |a of the row| each, and |a| 2^-38 max |b of the column|. Of
/// the splitting (2^-23 an operand) and of leaving out low x low (2^-22); of the tensor core, which drops
/// what lies below 2^-25 of the largest of 17 addends and truncates its sum to f32; and of the additions of
/// promoted sums.
double f16x3_error_bound(int64_t k);

/// The same for k multiply-adds in f32 one after the other: k 2^-24 to first order.
double f32_error_bound(int64_t k);

}  // namespace uc
