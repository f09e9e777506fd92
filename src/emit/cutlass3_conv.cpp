#include "emit/cutlass3_conv.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "emit/cutlass3_gemm.h"
#include "emit/kernel_hash.h"
#include "plan/conv_product.h"
#include "plan/model_parts.h"

namespace uc {
namespace {

// What a tensor map of windows holds, by its spatial dimensions (one counts as two): CUDA driver API,
// cuTensorMapEncodeIm2col, and PTX, "im2col offsets".
struct Limits {
  int64_t corner, offset;
};
Limits limits_of(size_t rank) { return rank == 3 ? Limits{15, 30} : Limits{127, 254}; }
constexpr int64_t kMostStride = 8;

// `channel`: the dimension that is contiguous.
bool on_lines(const View& view, size_t channel) {
  const auto on = [&view](int64_t elements) { return elements * size_bytes(view.dtype) % 16 == 0; };
  if (!on(view.offset) || view.stride[channel] != 1) return false;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    if (d != channel && view.shape[d] > 1 && (!on(view.stride[d]) || view.stride[d] <= 0)) return false;
  }
  return true;
}

size_t filter_channel(const Convolution& kernel) { return kernel.transposed ? 0 : kernel.w.shape.size() - 1; }

// Taps and channels of a filter lie one behind another.
bool dense_filters(const Convolution& kernel) {
  const View& w = kernel.w;
  int64_t next = w.shape[filter_channel(kernel)];
  for (size_t d = w.shape.size() - 1; d-- > 1;) {
    if (w.shape[d] > 1 && w.stride[d] != next) return false;
    next *= w.shape[d];
  }
  return true;
}

// Where windows begin along a dimension, from the first and, upwards, from the last element of the input, and
// how far taps reach from there.
struct Windows {
  int64_t lower, upper, reach, step;
};
Windows windows_of(const Convolution& kernel, size_t d) {
  const int64_t in = kernel.x.shape[1 + d], out = kernel.out[1 + d], stride = kernel.stride[d];
  const int64_t last_tap = (kernel.w.shape[1 + d] - 1) * kernel.dilation[d];
  if (!kernel.transposed)
    return {-kernel.padding[d], (out - 1) * stride - kernel.padding[d] - (in - 1), last_tap, stride};
  // Tap f of the one class that it is of begins at -floor((f * dilation - padding) / stride).
  int64_t lower = 0, most = 0;
  for (int64_t f = 0; f < kernel.w.shape[1 + d]; ++f) {
    const int64_t ahead = f * kernel.dilation[d] - kernel.padding[d];
    const int64_t begin = -(ahead >= 0 ? ahead / stride : -up(-ahead, stride));
    lower = f == 0 ? begin : std::min(lower, begin);
    most = f == 0 ? begin : std::max(most, begin);
  }
  return {lower, lower + up(out, stride) - 1 - (in - 1), most - lower, 1};
}

std::string windows_refused(const Convolution& kernel) {
  const Limits limits = limits_of(spatial_rank(kernel));
  for (size_t d = 0; d < spatial_rank(kernel); ++d) {
    const Windows windows = windows_of(kernel, d);
    if (windows.step > kMostStride) return fmt::format("TMA steps over at most {} elements", kMostStride);
    if (std::abs(windows.lower) > limits.corner || std::abs(windows.upper) > limits.corner)
      return fmt::format("TMA's windows begin at most {} elements beside an image", limits.corner);
    if (windows.reach > limits.offset)
      return fmt::format("TMA's windows reach over at most {} elements", limits.offset);
  }
  return {};
}

// What an epilogue that finds elements pixel by pixel does not do.
std::string pixels_refused(const Convolution& kernel) {
  if (!placed_by_pixels(kernel)) return {};
  for (const Effect& effect : kernel.epilogue.effects) {
    if (effect.combine != Combine::none)
      return "it combines elements of results whose pixels lie one behind another";
  }
  for (const Node& node : kernel.epilogue.nodes) {
    if (node.kind == Node::Kind::coordinate)
      return "it counts elements of results whose pixels lie one behind another";
  }
  return {};
}

// Two channels of a pixel are a word, and all pixels begin with a whole one.
bool pairs_of_channels(const View& view) {
  if (view.stride.back() != 1 || view.shape.back() % 2 != 0 || view.offset % 2 != 0) return false;
  for (size_t d = 0; d + 1 < view.shape.size(); ++d) {
    if (view.shape[d] > 1 && view.stride[d] % 2 != 0) return false;
  }
  return true;
}

PixelPlaces pixel_places(const Convolution& kernel) {
  PixelPlaces out;
  if (!placed_by_pixels(kernel)) return out;
  out.arguments =
      fmt::format("{}, {}", spatial_rank(kernel) == 3 ? 3 : 2, kernel.transposed ? "true" : "false");
  for (const View& view : kernel.epilogue.views) out.pairs.push_back(pairs_of_channels(view));
  return out;
}

}  // namespace

int64_t cutlass3_conv_depth(const Convolution& kernel) { return 128 / size_bytes(kernel.x.dtype); }

std::string cutlass3_conv_refuses(const Convolution& kernel) {
  if (kernel.groups != 1) return "it has one group";
  if (kernel.math != Math::f16 && kernel.math != Math::bf16 && kernel.math != Math::tf32)
    return fmt::format("it multiplies in f16, bf16 and tf32, not {}", name(kernel.math));
  const int64_t depth = cutlass3_conv_depth(kernel);
  if (kernel.x.shape.back() % depth != 0)
    return fmt::format("channels are a multiple of {}, the elements of a line of 128 bytes", depth);
  if (!on_lines(kernel.x, kernel.x.shape.size() - 1) || !on_lines(kernel.w, filter_channel(kernel)))
    return "TMA reads channels that are contiguous, and pixels at multiples of 16 bytes";
  if (!dense_filters(kernel)) return "taps and channels of a filter lie one behind another";
  if (std::string why = windows_refused(kernel); !why.empty()) return why;
  if (std::string why = pixels_refused(kernel); !why.empty()) return why;
  return cutlass3_gemm_refuses(conv3_product(kernel), ContractionConfig{});
}

EmittedKernel emit_cutlass3_conv(const Convolution& kernel, const ContractionConfig& config) {
  GemmPart part;
  part.symbol = kKernelSymbol;
  part.includes = {"\"uc_im2col.cuh\""};
  part.mainloop = fmt::format("uc_im2col_{}{}", kernel.transposed ? "transposed_" : "",
                              spatial_rank(kernel) == 3 ? "volumes" : "images");
  part.pixels = pixel_places(kernel);
  const bool by_pixels = !part.pixels.arguments.empty();
  if (by_pixels) part.includes.emplace_back("\"uc_pixels.cuh\"");
  // Filters, by their own strides; the image beside them.
  part.arguments = {"get<0>(a.mainloop.dB) = x->b.stride[0]", "get<2>(a.mainloop.dB) = 0",
                    "a.mainloop.image.data = x->a.data",
                    "memcpy(a.mainloop.image.stride, x->a.stride, sizeof a.mainloop.image.stride)",
                    "a.mainloop.image.conv = *x->conv"};
  EmittedKernel out = emit_gemm_part(conv3_product(kernel), config, part);
  out.as_product = true;
  out.by_pixels = by_pixels;
  out.summary += kernel.transposed ? " of images, transposed" : " of images";
  name_kernel(out);
  return out;
}

}  // namespace uc
