#pragma once
// Why: generated programs describe convolutions in three spatial dimensions, whatever their rank
// (templates/uc_kernel_args.h, uck_conv).
#include <cstdint>
#include <vector>

#include "ir/kernel.h"

namespace uc {

/// (image, three dimensions, channel) of a tensor with its channels last; dimensions that are missing come
/// first, and are one element long.
Strides spread_strides(const View& view);

/// (result of a group, three dimensions, channel of a group) of the filters.
Strides filter_strides(const Convolution& kernel);

/// Extents in the order of these strides; those of dimensions that are missing are 1.
Shape spread_shape(const View& view);
Shape filter_shape(const Convolution& kernel);

/// The members of a uck_conv in order.
std::vector<int64_t> conv_sizes(const Convolution& kernel);

}  // namespace uc
