#pragma once
// Why: f8 has three or two bits of significand and a narrow range, so what is stored in it counts times
// factors (Value::scale). Inference, executor and lowering ask here which elements share one.
#include <optional>

#include "ir/program.h"

namespace uc {

/// Elements along each dimension of `shape` that share a factor of `scale`, which is one number, or has as
/// many dimensions, whose extents divide those of `shape`: 1 for all of them, the same for each its own,
/// fewer for blocks. Nothing where that does not hold.
std::optional<Shape> scale_blocks(const Shape& shape, const Shape& scale);

/// `scale` as a tensor of rank 2 * rank of `shape`, [factors, elements that share one] a dimension, with
/// strides of 0 along what shares. Requires scale_blocks.
struct ScaleView {
  Shape shape;
  Strides stride;
};
ScaleView scale_view(const Shape& shape, const Shape& scale, const Strides& stride);

/// `shape` with each dimension cut in two where several, but not all, of its elements share a factor.
Shape in_blocks(const Shape& shape, const Shape& scale);

}  // namespace uc
