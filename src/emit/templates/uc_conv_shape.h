// Which elements of a convolution's input and filter meet in an element of its result, in plain C++: kernels, their host
// halves and tests on the CPU ask the same functions.
#ifndef UC_CONV_SHAPE_H
#define UC_CONV_SHAPE_H
#include <stdint.h>

#include "uc_kernel_args.h"

#if !defined(UC_FN)
#if defined(__CUDACC__)
#define UC_FN __host__ __device__ __forceinline__
#else
#define UC_FN inline
#endif
#endif

// Division by a number that is not known before the launch, exact for 0 <= n < 2^31: n * magic / 2^p with magic =
// ceil(2^p / divisor), 2^p the least power >= 2^31 * divisor (Granlund and Montgomery, PLDI 1994).
struct uc_divider {
  int32_t divisor;
  uint32_t magic;
  int32_t shift;
  static UC_FN uc_divider of(int32_t divisor) {
    int log = 0;
    while ((int64_t(1) << log) < divisor) ++log;
    const uint64_t power = uint64_t(1) << (31 + log);
    return {divisor, uint32_t((power + uint64_t(divisor) - 1) / uint64_t(divisor)), log - 1};
  }
  UC_FN int32_t divide(int32_t n) const {
    return divisor == 1 ? n : int32_t(uint32_t((uint64_t(uint32_t(n)) * magic) >> 32) >> shift);
  }
};

// Of one dimension, the results that meet the same taps of the filter: out0, out0 + out_step, ... Result j of them and
// tap t (of `taps`, at filter0 + t * filter_step) read the input at in0 + j * in_step + t * in_tap. An ordinary
// convolution has one such class; a transposed one with stride s has s of them, each an ordinary convolution of stride
// 1 with a part of the filter.
struct uc_stretch {
  int32_t out0, out_step;
  int32_t in0, in_step, in_tap;
  int32_t filter0, filter_step, taps;
};

UC_FN int32_t uc_classes(const uck_window& window, bool transposed) { return transposed ? window.stride : 1; }

// Results of a class; of some classes the last one may lie outside.
UC_FN int32_t uc_class_results(const uck_window& window, bool transposed) {
  const int32_t classes = uc_classes(window, transposed);
  return (window.out + classes - 1) / classes;
}

UC_FN int32_t uc_common_divisor(int32_t a, int32_t b) {
  while (b != 0) {
    const int32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

UC_FN uc_stretch uc_plain_stretch(const uck_window& window) {
  return {0, 1, -window.padding, window.stride, window.dilation, 0, 1, window.filter};
}

// Element f of the filter reaches result o from input i where i * stride + f * dilation = o + padding. Of class
// `first`, o = first + j * stride, so f * dilation = first + padding modulo the stride: every filter_step-th f, if any.
UC_FN uc_stretch uc_transposed_stretch(const uck_window& window, int32_t first) {
  const int32_t stride = window.stride, wanted = (first + window.padding) % stride;
  const int32_t step = stride / uc_common_divisor(stride, window.dilation);
  int32_t filter = 0;
  while (filter < step && filter * window.dilation % stride != wanted) ++filter;
  const int32_t taps =
      filter < step && filter < window.filter ? (window.filter - 1 - filter) / step + 1 : 0;
  const int32_t ahead = first + window.padding - filter * window.dilation;  // a multiple of the stride when taps != 0
  return {first, stride, ahead / stride, 1, -(step * window.dilation / stride), filter, step, taps};
}

UC_FN uc_stretch uc_stretch_of(const uck_window& window, bool transposed, int32_t first) {
  return transposed ? uc_transposed_stretch(window, first) : uc_plain_stretch(window);
}

// The most taps that a class has.
UC_FN int32_t uc_most_taps(const uck_window& window, bool transposed) {
  if (!transposed) return window.filter;
  const int32_t step = window.stride / uc_common_divisor(window.stride, window.dilation);
  return (window.filter + step - 1) / step;
}
#endif
