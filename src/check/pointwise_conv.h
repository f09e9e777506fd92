#pragma once
// Why: a convolution whose filter is one element is a product of matrices, and the kernels for those are more
// and faster.
#include <optional>

#include "ir/kernel.h"

namespace uc {

/// The same results as a contraction, its epilogue included: pixels of all images are rows where one stride
/// leads through them in every tensor, else images are batches. Nothing when the filter is larger, or pixels
/// are skipped, or lie so that neither holds.
std::optional<Contraction> pointwise_product(const Convolution& kernel);

}  // namespace uc
