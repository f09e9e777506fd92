#pragma once
// Why: extents and strides in PyTorch's logical order. Extents count elements; strides count elements.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace uc {

using Shape = std::vector<int64_t>;
using Strides = std::vector<int64_t>;

/// Product of the extents; 1 for rank 0. Saturates at 2^62.
int64_t numel(const Shape& shape);
Strides row_major(const Shape& shape);

/// Row major, but the last two dimensions swapped in memory (`@col`).
Strides col_major(const Shape& shape);

/// NumPy's broadcast of two shapes, or nothing when they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

/// Strides that read a tensor of `shape` and `strides` as if it had the shape `to` (0 along broadcast
/// dimensions). Requires that `shape` broadcasts to `to`.
Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& to);

/// Strides for viewing (shape, strides) as `to` without a copy, or nothing when that needs one.
std::optional<Strides> reshape_strides(const Shape& shape, const Strides& strides, const Shape& to);

/// "[1024, 8192]"
std::string to_text(const Shape& shape);

}  // namespace uc
