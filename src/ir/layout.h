#pragma once
// Why: layouts change strides only; shapes stay in PyTorch's logical order.
#include <optional>
#include <span>
#include <string_view>

#include "ir/shape.h"

namespace uc {

/// "row", "col", "nwc", "nhwc", "ndhwc", "nchw" (an alias of row for rank 4).
std::span<const std::string_view> layout_names();

/// What a declaration may claim of a matrix: "diag", "lower", "upper", "symmetric", "positive".
std::span<const std::string_view> structure_names();

/// Strides of `shape` in a named layout, or nothing when the name is unknown or does not fit the rank.
std::optional<Strides> layout_strides(std::string_view layout, const Shape& shape);

/// The name of a dense layout, "row" before the others, or empty when the strides are none of them.
std::string_view layout_of(const Shape& shape, const Strides& stride);

}  // namespace uc
