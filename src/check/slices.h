#pragma once
// Why: scheduler `split_k` of CUTLASS 3 multiplies slices of K as matrices of a batch, whose sums are stored
// and added by a device function that has the epilogue. Rules, model and emitter look at the product that
// then runs, and it is made here.
#include "ir/kernel.h"

namespace uc {

/// The product runs in slices, if it is the CUTLASS 3 back end's. f16x3 is not sliced: CUTLASS adds its parts
/// of K.
bool in_slices(const Contraction& kernel, const ContractionConfig& config);

/// The same operands; the result is the sum itself, in the type that it is added up in, with rows of whole 16
/// bytes.
Contraction slice_product(const Contraction& kernel);

/// Knobs of the multiplication itself: whole tiles, nothing split.
ContractionConfig slice_config(const ContractionConfig& config);

/// How many slices, of how many tiles each: fewer than asked for where that many would leave some without a
/// tile.
struct Slices {
  int64_t count = 1, tiles = 0;
};
Slices slices_of(int64_t k, int64_t tile_k, int64_t asked);

}  // namespace uc
