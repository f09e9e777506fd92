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

// An image as a tensor map describes it: dimensions from the fastest on (channels, the image's from the last, images).
// Windows begin between `lower` and, counted from the last element, `upper`, and are `step` apart.
template <int Rank>
struct uc_im2col_box {
  uint64_t shape[5], stride[4];  // strides in bytes, of all but the first
  int lower[3], upper[3];
  uint32_t step[5];
};
template <int Rank>
uc_im2col_box<Rank> uc_im2col_box_of(uc_im2col_image const& image, int element_bytes) {
  uck_conv const& c = image.conv;
  uc_im2col_box<Rank> out{};
  out.shape[0] = uint64_t(c.channels * c.groups);
  for (uint32_t& each : out.step) each = 1;
  for (int i = 0; i < Rank; ++i) {
    uck_window const& window = c.window[2 - i];
    out.shape[1 + i] = uint64_t(window.in);
    out.stride[i] = uint64_t(image.stride[3 - i]) * element_bytes;
    out.step[1 + i] = uint32_t(window.stride);
    out.lower[i] = -window.padding;
    out.upper[i] = (window.out - 1) * window.stride - window.padding - (window.in - 1);
  }
  out.shape[1 + Rank] = uint64_t(c.images);
  out.stride[Rank] = uint64_t(image.stride[0]) * element_bytes;
  return out;
}

// Where tiles of pixels begin, and which tap and channel a tile of K is.
template <int Rank>
struct uc_im2col_walk {
  uc_divider results[Rank];       // extents of the result
  uc_divider depth, taps[Rank];   // tiles of K in a tap; taps[0] is not used
  int stride[Rank], padding[Rank], dilation[Rank], channels;  // channels: of a tile

  struct Start {
    int image, at[Rank];
  };
  struct Tap {
    int channel;
    uint16_t offset[Rank];
  };
  static UC_FN uc_im2col_walk of(uck_conv const& c, int channels) {
    uc_im2col_walk out{};
    for (int d = 0; d < Rank; ++d) {
      uck_window const& window = c.window[3 - Rank + d];
      out.results[d] = uc_divider::of(window.out);
      out.taps[d] = uc_divider::of(window.filter);
      out.stride[d] = window.stride;
      out.padding[d] = window.padding;
      out.dilation[d] = window.dilation;
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
      out.at[d] = (pixel - next * results[d].divisor) * stride[d] - padding[d];
      pixel = next;
    }
    out.image = pixel;
    return out;
  }
  UC_FN Tap tap(int tile) const {
    int rest = depth.divide(tile);
    Tap out;
    out.channel = (tile - rest * depth.divisor) * channels;
    UC_UNROLL
    for (int d = Rank - 1; d >= 0; --d) {
      const int next = d == 0 ? 0 : taps[d].divide(rest);
      out.offset[d] = uint16_t((rest - next * taps[d].divisor) * dilation[d]);
      rest = next;
    }
    return out;
  }
};

#endif
