// Where TMA's windows over an image lie, in plain C++: what its tensor map says, where a tile of pixels begins and which tap
// a tile of K is.
#ifndef UC_IM2COL_SHAPE_H
#define UC_IM2COL_SHAPE_H
#include "uc_conv_shape.h"

#if defined(__CUDACC__)
#define UC_UNROLL _Pragma("unroll")
#else
#define UC_UNROLL
#endif

// Sizes and memory of the image; the last two (Volume: three) dimensions of a uck_conv.
struct uc_im2col_image {
  void const* data;
  int64_t stride[5];  // image, three dimensions, channel; elements
  uck_conv conv;
};

// Of one dimension, the windows of all classes of a transposed convolution: result j of a class, tap t, read the input at
// lower + j + shift + t * in_tap, with shift + t * in_tap >= 0.
UC_FN int32_t uc_lowest_window(const uck_window& window) {
  int32_t lowest = 0;
  bool any = false;
  for (int32_t first = 0; first < window.stride; ++first) {
    const uc_stretch each = uc_transposed_stretch(window, first);
    const int32_t last = each.in0 + (each.taps - 1) * each.in_tap;
    if (each.taps == 0 || (any && last >= lowest)) continue;
    lowest = last;
    any = true;
  }
  return lowest;
}

// An image as a tensor map describes it: dimensions from the fastest on (channels, the image's from the last, images).
// Windows begin between `lower` and, counted from the last element, `upper`, and are `step` apart.
template <int Rank>
struct uc_im2col_box {
  uint64_t shape[5], stride[4];  // strides in bytes, of all but the first
  int lower[3], upper[3];
  uint32_t step[5];
};
template <int Rank>
uc_im2col_box<Rank> uc_im2col_box_of(uc_im2col_image const& image, int element_bytes, bool transposed) {
  uck_conv const& c = image.conv;
  uc_im2col_box<Rank> out{};
  out.shape[0] = uint64_t(c.channels * c.groups);
  for (uint32_t& each : out.step) each = 1;
  for (int i = 0; i < Rank; ++i) {
    uck_window const& window = c.window[2 - i];
    const int stride = transposed ? 1 : window.stride;
    out.shape[1 + i] = uint64_t(window.in);
    out.stride[i] = uint64_t(image.stride[3 - i]) * element_bytes;
    out.step[1 + i] = uint32_t(stride);
    out.lower[i] = transposed ? uc_lowest_window(window) : -window.padding;
    out.upper[i] = (uc_class_results(window, transposed) - 1) * stride + out.lower[i] - (window.in - 1);
  }
  out.shape[1 + Rank] = uint64_t(c.images);
  out.stride[Rank] = uint64_t(image.stride[0]) * element_bytes;
  return out;
}

// Where tiles of pixels begin, and which tap and channel a tile of K is.
template <int Rank, bool Transposed>
struct uc_im2col_walk {
  uc_divider results[Rank];      // extents of the result, or of a class of it
  uc_divider depth, taps[Rank];  // tiles of K in a tap; the most taps that a class has; taps[0] is not used
  uck_window window[Rank];
  int lower[Rank], channels;  // channels: of a tile

  struct Start {
    int image, at[Rank];
  };
  struct Tap {
    int channel;
    uint16_t offset[Rank];
    int filter;  // tile of K of the filters; behind the last one where a class has no such tap
  };
  // What taps of a class read, in each dimension: see uc_stretch.
  struct Class {
    int taps[Rank], shift[Rank], in_tap[Rank], filter0[Rank], filter_step[Rank];
  };
  static UC_FN uc_im2col_walk of(uck_conv const& c, int channels) {
    uc_im2col_walk out{};
    for (int d = 0; d < Rank; ++d) {
      out.window[d] = c.window[3 - Rank + d];
      out.results[d] = uc_divider::of(uc_class_results(out.window[d], Transposed));
      out.taps[d] = uc_divider::of(uc_most_taps(out.window[d], Transposed));
      out.lower[d] = Transposed ? uc_lowest_window(out.window[d]) : -out.window[d].padding;
    }
    out.depth = uc_divider::of(int(c.channels) / channels);
    out.channels = channels;
    return out;
  }
  UC_FN Start start(int pixel) const {
    Start out;
    UC_UNROLL
    for (int d = Rank - 1; d >= 0; --d) {
      const int next = results[d].divide(pixel);
      out.at[d] = (pixel - next * results[d].divisor) * (Transposed ? 1 : window[d].stride) + lower[d];
      pixel = next;
    }
    out.image = pixel;
    return out;
  }
  // Classes are counted along the last dimension first.
  UC_FN Class class_of(int number) const {
    Class out;
    UC_UNROLL
    for (int d = Rank - 1; d >= 0; --d) {
      const int classes = uc_classes(window[d], Transposed), next = number / classes;
      const uc_stretch stretch = uc_stretch_of(window[d], Transposed, number - next * classes);
      out.taps[d] = stretch.taps;
      out.shift[d] = stretch.in0 - lower[d];
      out.in_tap[d] = stretch.in_tap;
      out.filter0[d] = stretch.filter0;
      out.filter_step[d] = stretch.filter_step;
      number = next;
    }
    return out;
  }
  UC_FN Tap tap(Class const& of, int tile) const {
    int rest = depth.divide(tile), filter = 0, filters = 1;
    const int line = tile - rest * depth.divisor;
    bool there = true;
    Tap out;
    UC_UNROLL
    for (int d = Rank - 1; d >= 0; --d) {
      const int next = d == 0 ? 0 : taps[d].divide(rest);
      const int t = rest - next * taps[d].divisor;
      there = there && t < of.taps[d];
      out.offset[d] = uint16_t(there ? of.shift[d] + t * of.in_tap[d] : 0);
      filter += (of.filter0[d] + t * of.filter_step[d]) * filters;
      filters *= window[d].filter;
      rest = next;
    }
    // What lies outside is read as zero, of both operands.
    out.channel = (there ? line : depth.divisor) * channels;
    out.filter = there ? filter * depth.divisor + line : filters * depth.divisor;
    return out;
  }
};

// Where elements of the result lie, by class and pixel.
template <int Rank, bool Transposed>
struct uc_pixel_walk {
  uc_divider results[Rank];
  int classes[Rank], extent[Rank], images;

  struct At {
    int image, at[Rank];
    bool inside;
  };
  static UC_FN uc_pixel_walk of(uck_conv const& c) {
    uc_pixel_walk out{};
    for (int d = 0; d < Rank; ++d) {
      uck_window const& window = c.window[3 - Rank + d];
      out.results[d] = uc_divider::of(uc_class_results(window, Transposed));
      out.classes[d] = uc_classes(window, Transposed);
      out.extent[d] = window.out;
    }
    out.images = int(c.images);
    return out;
  }
  UC_FN At at(int number, int pixel) const {
    At out;
    out.inside = true;
    UC_UNROLL
    for (int d = Rank - 1; d >= 0; --d) {
      const int next = results[d].divide(pixel);
      out.at[d] = pixel - next * results[d].divisor;
      if (Transposed) {
        const int before = number / classes[d];
        out.at[d] = out.at[d] * classes[d] + number - before * classes[d];
        out.inside = out.inside && out.at[d] < extent[d];
        number = before;
      }
      pixel = next;
    }
    out.image = pixel;
    out.inside = out.inside && pixel < images;
    return out;
  }
};

#endif
