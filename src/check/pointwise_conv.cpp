#include "check/pointwise_conv.h"

#include <algorithm>

namespace uc {
namespace {

// One stride leads through dimensions [begin, end); where, it is in `stride`.
bool in_line(const View& view, size_t begin, size_t end, int64_t& stride) {
  stride = 0;
  int64_t next = -1;
  for (size_t d = end; d-- > begin;) {
    if (view.shape[d] == 1) continue;
    if (next < 0) {
      stride = view.stride[d];
    } else if (view.stride[d] != next) {
      return false;
    }
    next = view.stride[d] * view.shape[d];
  }
  return true;
}

// [images, pixels, channels] with all pixels in one image, or each image a batch.
std::optional<View> as_matrices(const View& view, bool one) {
  const size_t last = view.shape.size() - 1;
  View out = view;
  int64_t pixel = 0;
  if (!in_line(view, one ? 0 : 1, last, pixel)) return std::nullopt;
  int64_t pixels = 1;
  for (size_t d = one ? 0 : 1; d < last; ++d) pixels *= view.shape[d];
  const int64_t images = one ? 1 : view.shape[0];
  out.shape = {images, pixels, view.shape[last]};
  out.stride = {images == 1 ? 0 : view.stride[0], pixel, view.stride[last]};
  return out;
}

bool is_pointwise(const Convolution& kernel) {
  const size_t rank = kernel.stride.size();
  for (size_t d = 0; d < rank; ++d) {
    const bool plain = kernel.w.shape[1 + d] == 1 && kernel.stride[d] == 1 && kernel.padding[d] == 0 &&
                       kernel.out[1 + d] == kernel.x.shape[1 + d];
    if (!plain) return false;
  }
  return kernel.groups == 1;
}

bool backwards(const View& view) {
  return std::ranges::any_of(view.stride, [](int64_t stride) { return stride < 0; });
}

std::optional<Contraction> product(const Convolution& kernel, bool one) {
  Contraction out;
  const auto a = as_matrices(kernel.x, one);
  if (!a) return std::nullopt;
  out.a = *a;
  out.b = kernel.w;
  const size_t results = kernel.transposed ? kernel.w.shape.size() - 1 : 0;
  const size_t channels = kernel.w.shape.size() - 1 - results;
  out.b.shape = {out.a.shape[0], kernel.w.shape[results], kernel.w.shape[channels]};
  out.b.stride = {0, kernel.w.stride[results], kernel.w.stride[channels]};
  out.math = kernel.math;
  out.accumulate = kernel.accumulate;
  out.epilogue = kernel.epilogue;
  for (View& view : out.epilogue.views) {
    const auto matrices = as_matrices(view, one);
    if (!matrices) return std::nullopt;
    view = *matrices;
  }
  return out;
}

}  // namespace

std::optional<Contraction> pointwise_product(const Convolution& kernel) {
  // The epilogues of contractions read through TMA, which does not step backwards.
  if (!is_pointwise(kernel) || std::ranges::any_of(kernel.epilogue.views, backwards)) return std::nullopt;
  if (auto one = product(kernel, true)) return one;
  return product(kernel, false);
}

}  // namespace uc
