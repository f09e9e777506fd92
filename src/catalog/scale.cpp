#include "catalog/scale.h"

namespace uc {
namespace {

// The extent of `scale` along dimension `d` of what it scales.
int64_t factors(const Shape& scale, size_t d) { return numel(scale) == 1 ? 1 : scale[d]; }

}  // namespace

std::optional<Shape> scale_blocks(const Shape& shape, const Shape& scale) {
  if (numel(scale) == 1) return shape;
  if (scale.size() != shape.size()) return std::nullopt;
  Shape out;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (scale[d] < 1 || shape[d] % scale[d] != 0) return std::nullopt;
    out.push_back(shape[d] / scale[d]);
  }
  return out;
}

ScaleView scale_view(const Shape& shape, const Shape& scale, const Strides& stride) {
  ScaleView out;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t count = factors(scale, d);
    out.shape.push_back(count);
    out.stride.push_back(count == 1 ? 0 : stride[d]);
    out.shape.push_back(shape[d] / count);
    out.stride.push_back(0);
  }
  return out;
}

Shape in_blocks(const Shape& shape, const Shape& scale) {
  Shape out;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t count = factors(scale, d);
    if (count != 1 && count != shape[d]) out.push_back(count);
    out.push_back(count == 1 ? shape[d] : count == shape[d] ? count : shape[d] / count);
  }
  return out;
}

}  // namespace uc
