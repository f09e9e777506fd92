#pragma once
// Why: an epilogue that keeps a triangle of its result needs no sums beside it.
#include "ir/kernel.h"

namespace uc {

/// Of sums [rows, columns]: nothing outside of the band has an influence on what the epilogue stores, as its
/// selects by place show. Coordinates are counted in the result, of rank 2 or with batches before it.
Band used_band(const Scalar& epilogue, int64_t rows, int64_t columns);

}  // namespace uc
