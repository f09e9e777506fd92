#include "emit/cutlass3_conv.h"

#include <algorithm>
#include <fmt/format.h>

#include "emit/cutlass3_gemm.h"
#include "emit/kernel_hash.h"
#include "plan/conv_product.h"

namespace uc {
namespace {

// What a tensor map of windows holds, by its spatial dimensions (one counts as two): CUDA driver API,
// cuTensorMapEncodeIm2col, and PTX, "im2col offsets".
struct Limits {
  int64_t corner, offset;
};
Limits limits_of(size_t rank) { return rank == 3 ? Limits{15, 30} : Limits{127, 254}; }
constexpr int64_t kMostStride = 8;

bool on_lines(const View& view) {
  const auto on = [&view](int64_t elements) { return elements * size_bytes(view.dtype) % 16 == 0; };
  if (!on(view.offset) || view.stride.back() != 1) return false;
  for (size_t d = 0; d + 1 < view.shape.size(); ++d) {
    if (view.shape[d] > 1 && (!on(view.stride[d]) || view.stride[d] <= 0)) return false;
  }
  return true;
}

// Taps and channels of a filter lie one behind another.
bool dense_filters(const View& w) {
  int64_t next = 1;
  for (size_t d = w.shape.size(); d-- > 1;) {
    if (w.shape[d] > 1 && w.stride[d] != next) return false;
    next *= w.shape[d];
  }
  return true;
}

std::string windows_refused(const Convolution& kernel) {
  const Limits limits = limits_of(spatial_rank(kernel));
  for (size_t d = 0; d < spatial_rank(kernel); ++d) {
    const int64_t reach = (kernel.w.shape[1 + d] - 1) * kernel.dilation[d];
    const int64_t upper =
        (kernel.out[1 + d] - 1) * kernel.stride[d] - kernel.padding[d] - (kernel.x.shape[1 + d] - 1);
    if (kernel.stride[d] > kMostStride) return fmt::format("TMA steps over at most {} elements", kMostStride);
    if (kernel.padding[d] > limits.corner || upper > limits.corner || upper < -limits.corner)
      return fmt::format("TMA's windows begin at most {} elements beside an image", limits.corner);
    if (reach > limits.offset)
      return fmt::format("TMA's windows reach over at most {} elements", limits.offset);
  }
  return {};
}

}  // namespace

int64_t cutlass3_conv_depth(const Convolution& kernel) { return 128 / size_bytes(kernel.x.dtype); }

std::string cutlass3_conv_refuses(const Convolution& kernel) {
  if (kernel.transposed) return "it has ordinary convolutions only";
  if (kernel.groups != 1) return "it has one group";
  if (kernel.math != Math::f16 && kernel.math != Math::bf16 && kernel.math != Math::tf32)
    return fmt::format("it multiplies in f16, bf16 and tf32, not {}", name(kernel.math));
  const int64_t depth = cutlass3_conv_depth(kernel);
  if (kernel.x.shape.back() % depth != 0)
    return fmt::format("channels are a multiple of {}, the elements of a line of 128 bytes", depth);
  if (!on_lines(kernel.x) || !on_lines(kernel.w))
    return "TMA reads channels that are contiguous, and pixels at multiples of 16 bytes";
  if (!dense_filters(kernel.w)) return "taps and channels of a filter lie one behind another";
  if (!pixels_in_line(kernel)) return "pixels lie one behind another in every tensor of the epilogue";
  if (std::string why = windows_refused(kernel); !why.empty()) return why;
  const Contraction product = conv_product(kernel);
  for (const View& view : product.epilogue.views) {
    if (view.stride[2] != 1 && view.stride[2] != 0) return "results have their channels contiguous";
  }
  return cutlass3_gemm_refuses(product, ContractionConfig{});
}

EmittedKernel emit_cutlass3_conv(const Convolution& kernel, const ContractionConfig& config) {
  GemmPart part;
  part.symbol = kKernelSymbol;
  part.includes = {"\"uc_im2col.cuh\""};
  part.mainloop = spatial_rank(kernel) == 3 ? "uc_im2col_volumes" : "uc_im2col_images";
  // Filters, by their own strides; the image beside them.
  part.arguments = {"get<0>(a.mainloop.dB) = x->b.stride[0]", "get<2>(a.mainloop.dB) = 0",
                    "a.mainloop.image.data = x->a.data",
                    "memcpy(a.mainloop.image.stride, x->a.stride, sizeof a.mainloop.image.stride)",
                    "a.mainloop.image.conv = *x->conv"};
  EmittedKernel out = emit_gemm_part(conv_product(kernel), config, part);
  out.as_product = true;
  out.summary += " of images";
  name_kernel(out);
  return out;
}

}  // namespace uc
