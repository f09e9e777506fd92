#include "plan/conv_product.h"

#include <algorithm>
#include <numeric>

#include "plan/model_parts.h"

namespace uc {
namespace {

// Greatest common divisor of the strides of dimensions with more than one element; 0 when there are none.
int64_t common_stride(const View& view, size_t begin, size_t end) {
  int64_t out = 0;
  for (size_t d = begin; d < end; ++d) {
    if (view.shape[d] > 1) out = std::gcd(out, view.stride[d]);
  }
  return out;
}

// Neighbours in memory among the pixels: elements of the last dimensions that are one behind another.
int64_t run_length(const View& view, const std::vector<int64_t>& classes) {
  int64_t run = 1;
  for (size_t d = view.shape.size() - 1; d-- > 0;) {
    if (view.shape[d] == 1) continue;
    if (view.stride[d] != run || (d > 0 && classes[d - 1] != 1)) break;
    run *= view.shape[d];
  }
  return run;
}

bool in_line(const View& view) {
  int64_t next = -1;
  for (size_t d = view.shape.size() - 1; d-- > 0;) {
    if (view.shape[d] == 1) continue;
    if (next >= 0 && view.stride[d] != next) return false;
    next = view.stride[d] * view.shape[d];
  }
  return true;
}

// An operand [first, dimensions..., channels]; `channels` of a group, `group` the step to the next one's.
View operand(const View& from, size_t channel, int64_t rows, int64_t channels, int64_t k, int64_t batches,
             int64_t group) {
  View out = from;
  out.shape = {batches, rows, k};
  View steps = from;  // without the dimension of the channels
  steps.shape[channel] = 1;
  const int64_t common = common_stride(steps, 0, steps.shape.size());
  out.stride = {group, common, 1};
  const bool contiguous = from.stride[channel] == 1 || from.shape[channel] == 1;
  out.offset = contiguous ? std::gcd(from.offset, std::gcd(channels, common)) : 1;
  return out;
}

View of_epilogue(const View& from, const Contraction& product, const std::vector<int64_t>& classes,
                 int64_t groups, bool line) {
  View out = from;
  const size_t last = from.shape.size() - 1;
  const int64_t channels = product.n();
  out.shape = {product.batch(), product.m(), channels};
  out.stride = {groups == 1 ? 0 : from.stride[last] * channels, common_stride(from, 0, last),
                from.stride[last]};
  const int64_t run = run_length(from, classes);
  if (line || out.stride[1] != 1) return out;
  // Vectors along pixels stay within a run, which begins at a multiple of every longer step.
  int64_t steps = std::gcd(from.offset, run);
  for (size_t d = 0; d < last; ++d) {
    if (from.shape[d] > 1 && from.stride[d] >= run) steps = std::gcd(steps, from.stride[d]);
  }
  out.offset = steps;
  return out;
}

}  // namespace

size_t spatial_rank(const Convolution& kernel) { return kernel.x.shape.size() - 2; }

std::vector<int64_t> conv_classes(const Convolution& kernel) {
  if (kernel.transposed) return kernel.stride;
  return std::vector<int64_t>(spatial_rank(kernel), 1);
}

bool pixels_in_line(const Convolution& kernel) {
  const auto classes = conv_classes(kernel);
  return std::ranges::all_of(classes, [](int64_t each) { return each == 1; }) &&
         std::ranges::all_of(kernel.epilogue.views, in_line);
}

double conv_operand_bytes(const Convolution& kernel) {
  int64_t image = kernel.x.shape.front() * kernel.x.shape.back();
  for (size_t d = 0; d < spatial_rank(kernel); ++d) {
    const int64_t in = kernel.x.shape[1 + d];
    image *= kernel.transposed ? in : std::min(in, kernel.out[1 + d] * kernel.w.shape[1 + d]);
  }
  return static_cast<double>(image * size_bytes(kernel.x.dtype) +
                             numel(kernel.w.shape) * size_bytes(kernel.w.dtype));
}

Contraction conv_product(const Convolution& kernel) {
  const size_t rank = spatial_rank(kernel);
  const auto classes = conv_classes(kernel);
  const int64_t channels = kernel.x.shape.back() / kernel.groups;
  const int64_t results = kernel.out.back() / kernel.groups;
  int64_t batches = kernel.groups, pixels = kernel.out[0], k = channels;
  for (size_t d = 0; d < rank; ++d) {
    batches *= classes[d];
    pixels *= up(kernel.out[1 + d], classes[d]);
    k *= kernel.transposed ? up(kernel.w.shape[1 + d], classes[d] / std::gcd(classes[d], kernel.dilation[d]))
                           : kernel.w.shape[1 + d];
  }
  Contraction out;
  const View& x = kernel.x;
  const View& w = kernel.w;
  const auto step = [&kernel](int64_t stride) { return kernel.groups == 1 ? 0 : stride; };
  out.a = operand(x, rank + 1, pixels, channels, k, batches, step(channels * x.stride.back()));
  const size_t at = kernel.transposed ? 0 : rank + 1;  // of the filter's channels
  out.b = operand(w, at, results, channels, k, batches,
                  step(kernel.transposed ? channels * w.stride[0] : results * w.stride[0]));
  out.math = kernel.math;
  out.accumulate = kernel.accumulate;
  out.epilogue = kernel.epilogue;
  const bool line = pixels_in_line(kernel);
  for (View& view : out.epilogue.views) view = of_epilogue(view, out, classes, kernel.groups, line);
  return out;
}

bool placed_by_pixels(const Convolution& kernel) {
  return !pixels_in_line(kernel) || std::ranges::any_of(kernel.epilogue.views, [](const View& view) {
    return view.shape.back() != 1 && view.stride.back() > 1;
  });
}

Contraction conv3_product(const Convolution& kernel) {
  Contraction out = conv_product(kernel);
  if (!placed_by_pixels(kernel)) return out;
  for (View& view : out.epilogue.views) {
    if (view.stride[1] == 0 && (view.stride[2] <= 1 || view.shape[2] == 1)) continue;
    view.offset = 0;
    view.stride = {out.m() * out.n(), out.n(), 1};
  }
  return out;
}

Product::Product(const Launch& launch) {
  kernel_ = std::get_if<Contraction>(&launch.kernel);
  if (const auto* conv = std::get_if<Convolution>(&launch.kernel)) {
    made_ = conv_product(*conv);
    kernel_ = &*made_;
  }
}

}  // namespace uc
