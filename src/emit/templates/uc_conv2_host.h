// Host half of convolutions on CUTLASS 2: sizes, strides and memory of one launch as parameters of its kernels.
#ifndef UC_CONV2_HOST_H
#define UC_CONV2_HOST_H
#include "uc_conv2.cuh"
#include "uc_gemm2_host.h"

namespace uc2 {

// Sizes of the product: rows are pixels, of every group and class.
template <int Rank, bool Transposed>
struct ConvSizes {
  int64_t pixels = 0, classes = 1, taps = 1;
  explicit ConvSizes(const uck_conv& c) : pixels(c.images) {
    for (int d = 3 - Rank; d < 3; ++d) {
      pixels *= uc_class_results(c.window[d], Transposed);
      classes *= uc_classes(c.window[d], Transposed);
      taps *= uc_most_taps(c.window[d], Transposed);
    }
  }
  int64_t batches(const uck_conv& c) const { return c.groups * classes; }
  int64_t k(const uck_conv& c) const { return taps * c.channels; }
};

template <class Accumulator, int Rank, bool Transposed>
int64_t conv_scratch_bytes(const uck_gemm* x) {
  const ConvSizes<Rank, Transposed> sizes(*x->conv);
  return sizes.batches(*x->conv) * parts_of(x) * sizes.pixels * x->conv->results * int64_t(sizeof(Accumulator));
}

template <int Rank>
Planes<Rank> planes_of(const uck_view& view, int64_t group) {
  Planes<Rank> out{view.stride[0], {}, view.stride[4], group};
  for (int d = 0; d < Rank; ++d) out.at[d] = view.stride[4 - Rank + d];
  return out;
}

template <int Rank>
Pixels<Rank> pixels_of(const uck_conv& c, bool transposed) {
  Pixels<Rank> out{};
  out.images = int(c.images);
  for (int d = 0; d < Rank; ++d)
    out.results[d] = uc_divider::of(uc_class_results(c.window[3 - Rank + d], transposed));
  return out;
}

template <int Rank, bool Transposed>
Sweep<Rank> sweep_of(const uck_gemm* x) {
  const uck_conv& c = *x->conv;
  Sweep<Rank> out{};
  out.walk.channels = uc_divider::of(int(c.channels));
  out.walk.end = int(c.channels);
  out.pixels = pixels_of<Rank>(c, Transposed);
  out.input = planes_of<Rank>(x->a, c.channels * x->a.stride[4]);
  out.filter = planes_of<Rank>(x->b, Transposed ? c.channels * x->b.stride[4] : c.results * x->b.stride[0]);
  out.filters = int(c.results);
  for (int d = 0; d < Rank; ++d) {
    const uck_window& window = c.window[3 - Rank + d];
    out.stretch[d] = uc_stretch_of(window, Transposed, 0);
    out.walk.taps[d] = uc_divider::of(window.filter);
    out.walk.end *= window.filter;
    out.in[d] = window.in;
  }
  return out;
}

// Of a view of the epilogue, by pixels that lie one behind another or by any.
template <bool Exchanged>
struct PlaceViews {
  const uck_gemm* x;
  int pixels, channels;
  int64_t group(const uck_view& v) const { return x->conv->results * v.stride[4]; }
  // The stride from pixel to pixel is that of the last dimension that has more than one.
  int64_t pixel(const uck_view& v) const {
    for (int d = 2; d >= 0; --d) {
      if (x->conv->window[d].out > 1) return v.stride[1 + d];
    }
    return v.stride[0];
  }
  template <int N>
  void fill(View (&into)[N], Matrix& where) const {
    where = Exchanged ? Matrix{channels, pixels} : Matrix{pixels, channels};
    for (int i = 0; i < N; ++i) {
      const uck_view& v = x->view[i];
      into[i] = {v.data, group(v), Exchanged ? v.stride[4] : pixel(v), Exchanged ? pixel(v) : v.stride[4]};
    }
  }
  template <int N, int Rank, bool Transposed>
  void fill(PixelView<Rank> (&into)[N], Pixelwise<Rank, Transposed, Exchanged>& where) const {
    where.pixels = pixels_of<Rank>(*x->conv, Transposed);
    where.channels = channels;
    int classes = 1;
    for (int d = 0; d < Rank; ++d) {
      const uck_window& window = x->conv->window[3 - Rank + d];
      where.first[d] = uc_divider::of(uc_classes(window, Transposed));
      where.extent[d] = window.out;
      classes *= uc_classes(window, Transposed);
    }
    where.classes = uc_divider::of(classes);
    for (int i = 0; i < N; ++i) {
      const uck_view& v = x->view[i];
      into[i] = {v.data, group(v), v.stride[0], {}, v.stride[4]};
      for (int d = 0; d < Rank; ++d) into[i].at[d] = v.stride[4 - Rank + d];
    }
  }
};

template <class Kernel>
int prepare_conv(const uck_gemm* x, void* params, uck_geometry* geometry) {
  using Shape = typename Kernel::Shape;
  const uck_conv& c = *x->conv;
  const ConvSizes<Kernel::Rank, Kernel::Transposed> sizes(c);
  const int64_t m = Kernel::Exchanged ? c.results : sizes.pixels, n = Kernel::Exchanged ? sizes.pixels : c.results;
  const int64_t tiles_m = up(m, Shape::kM), tiles_n = up(n, Shape::kN);
  const int64_t parts = Kernel::InParts ? parts_of(x) : 1;
  const int64_t blocks = tiles_m * tiles_n * sizes.batches(c) * parts;
  if (blocks > kMostBlocks || sizes.pixels > kMostBlocks) return 1;

  auto& p = *new (params) typename Kernel::Params{};
  p.sweep = sweep_of<Kernel::Rank, Kernel::Transposed>(x);
  for (int d = 0; d < Kernel::Rank; ++d) p.window[d] = c.window[3 - Kernel::Rank + d];
  p.input = static_cast<typename Kernel::Element*>(x->a.data);
  p.filter = static_cast<typename Kernel::Element*>(x->b.data);
  p.classes = int(sizes.classes);
  p.parts = int(parts);
  p.part = int(up(up(sizes.k(c), Shape::kK), parts) * Shape::kK);
  const bool along_m = x->raster == 0 ? tiles_m >= tiles_n : (x->raster == 1) != Kernel::Exchanged;
  p.order = {int(tiles_m), int(tiles_n), x->swizzle > 0 ? x->swizzle : 1, along_m};
  p.epilogue.rows = int(m);
  p.epilogue.columns = int(n);
  if constexpr (Kernel::InParts) {
    p.epilogue.where = {int(m), int(n)};
    p.epilogue.view[0] = {x->scratch, m * n, n, 1};
  } else {
    PlaceViews<Kernel::Exchanged>{x, int(sizes.pixels), int(c.results)}.fill(p.epilogue.view, p.epilogue.where);
  }
  set_geometry(geometry, blocks, Kernel::kThreads, sizeof(typename Kernel::SharedStorage));
  return 0;
}

template <class Kernel, class Reduction>
int prepare_conv_reduction(const uck_gemm* x, void* params, uck_geometry* geometry) {
  const uck_conv& c = *x->conv;
  const ConvSizes<Kernel::Rank, Kernel::Transposed> sizes(c);
  auto& p = *new (params) typename Reduction::Params{};
  PlaceViews<Kernel::Exchanged>{x, int(sizes.pixels), int(c.results)}.fill(p.view, p.where);
  p.parts = static_cast<decltype(p.parts)>(x->scratch);
  p.elements = sizes.batches(c) * sizes.pixels * c.results;
  p.rows = int(Kernel::Exchanged ? c.results : sizes.pixels);
  p.columns = int(Kernel::Exchanged ? sizes.pixels : c.results);
  p.count = int(parts_of(x));
  const int64_t blocks = up(p.elements, Reduction::kThreads), most = int64_t(x->sms) * 32;
  set_geometry(geometry, blocks < most ? blocks : most, Reduction::kThreads, 0);
  return 0;
}

}  // namespace uc2
#endif
