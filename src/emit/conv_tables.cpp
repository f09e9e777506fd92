#include "emit/conv_tables.h"

#include <utility>

#include "plan/conv_product.h"

namespace uc {

Strides spread_strides(const View& view) {
  Strides out = view.stride;
  out.insert(out.begin() + 1, 5 - out.size(), 0);
  return out;
}

Strides filter_strides(const Convolution& kernel) {
  Strides out = spread_strides(kernel.w);
  if (kernel.transposed) std::swap(out.front(), out.back());
  return out;
}

Shape spread_shape(const View& view) {
  Shape out = view.shape;
  out.insert(out.begin() + 1, 5 - out.size(), 1);
  return out;
}

Shape filter_shape(const Convolution& kernel) {
  Shape out = spread_shape(kernel.w);
  if (kernel.transposed) std::swap(out.front(), out.back());
  return out;
}

std::vector<int64_t> conv_sizes(const Convolution& kernel) {
  const size_t rank = spatial_rank(kernel);
  std::vector<int64_t> out{kernel.out[0], kernel.x.shape.back() / kernel.groups,
                           kernel.out.back() / kernel.groups, kernel.groups};
  for (size_t d = 0; d < 3 - rank; ++d) out.insert(out.end(), {1, 1, 1, 1, 0, 1});
  for (size_t d = 0; d < rank; ++d)
    out.insert(out.end(), {kernel.x.shape[1 + d], kernel.w.shape[1 + d], kernel.out[1 + d], kernel.stride[d],
                           kernel.padding[d], kernel.dilation[d]});
  return out;
}

}  // namespace uc
