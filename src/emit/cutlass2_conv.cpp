#include "emit/cutlass2_conv.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "emit/cutlass2_gemm.h"
#include "plan/conv_product.h"

namespace uc {
namespace {

constexpr int64_t kMost = INT32_MAX;  // what the kernel counts in 32 bits

// The furthest element that is reached from the first one, counted in elements.
int64_t reach(const View& view, size_t begin) {
  int64_t out = 0;
  for (size_t d = begin; d < view.shape.size(); ++d) out += (view.shape[d] - 1) * view.stride[d];
  return out;
}

}  // namespace

std::string cutlass2_conv_refuses(const Convolution& kernel, std::string_view backend,
                                  std::string_view arch) {
  for (const View* view : {&kernel.x, &kernel.w}) {
    if (std::ranges::any_of(view->stride, [](int64_t stride) { return stride < 0; }))
      return "an operand runs backwards through memory";
  }
  const Contraction product = conv_product(kernel);
  if (product.m() > kMost || product.k() > kMost || reach(kernel.x, 1) > kMost || reach(kernel.w, 0) > kMost)
    return "it counts pixels, and elements of an image or of all filters, in 32 bits";
  return cutlass2_gemm_refuses(product, backend, arch);
}

EmittedKernel emit_cutlass2_conv(const Convolution& kernel, const ContractionConfig& config,
                                 std::string_view backend, std::string_view arch) {
  const Conv2Form form{spatial_rank(kernel), kernel.transposed, pixels_in_line(kernel)};
  return emit_cutlass2_gemm(conv_product(kernel), config, backend, arch, form);
}

}  // namespace uc
