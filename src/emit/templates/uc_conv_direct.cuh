// Convolutions one tap after another, without tensor cores and without CUTLASS: what is bound by memory (depthwise, few
// channels), and what implicit GEMM refuses. Plain C++ but for the numbers of blocks and threads.
#ifndef UC_CONV_DIRECT_CUH
#define UC_CONV_DIRECT_CUH
#include "uc_conv_shape.h"
#include "uc_math.cuh"
#include "uc_round.cuh"

namespace uc_direct {

constexpr int kThreads = 256;

template <class... T>
struct List {};

// A tensor of the epilogue, of which W neighbouring channels are moved at once.
template <int Index_, class T_, int W_>
struct Tensor {
  using T = T_;
  static constexpr int Index = Index_, W = W_;
};

// Strides: image, three dimensions, channel.
struct Strided {
  void* data;
  int64_t stride[5];
};

struct Place {
  int image, at[3], channel;
  UC_FN int64_t in(int64_t const (&stride)[5]) const {
    return image * stride[0] + at[0] * stride[1] + at[1] * stride[2] + at[2] * stride[3] + channel * stride[4];
  }
};

// V channels of one pixel. What is moved as one word is contiguous and aligned to it.
template <class Tensor, int V>
struct Held {
  using T = typename Tensor::T;
  uc_pack<T, V> value;
  UC_FN void read(Strided const& from, Place const& place) {
    T const* base = static_cast<T const*>(from.data) + place.in(from.stride);
    if (Tensor::W == V) {
      value = *reinterpret_cast<uc_pack<T, V> const*>(base);
    } else {
#pragma unroll
      for (int i = 0; i < V; ++i) value.at[i] = base[i * from.stride[4]];
    }
  }
  UC_FN void write(Strided const& into, Place const& place) const {
    T* base = static_cast<T*>(into.data) + place.in(into.stride);
    if (Tensor::W == V) {
      *reinterpret_cast<uc_pack<T, V>*>(base) = value;
    } else {
#pragma unroll
      for (int i = 0; i < V; ++i) base[i * into.stride[4]] = value.at[i];
    }
  }
};
template <class Tensor, int V>
struct Leaf {
  Held<Tensor, V> held;
};
template <int V, class... Tensors>
struct Leaves : Leaf<Tensors, V>... {};

// The expression of the epilogue at V channels of a pixel.
template <class Expression, int V, class Loads, class Stores>
struct Epilogue;
template <class Expression, int V, class... Loads, class... Stores>
struct Epilogue<Expression, V, List<Loads...>, List<Stores...>> {
  template <class Sum>
  static UC_FN void at(Strided const* views, Place const& place, Sum const (&sums)[V]) {
    Leaves<V, Loads...> loads;
    Leaves<V, Stores...> stores;
    (loads.Leaf<Loads, V>::held.read(views[Loads::Index], place), ...);
#pragma unroll
    for (int i = 0; i < V; ++i)
      Expression::at(sums[i], uc_load(loads.Leaf<Loads, V>::held.value.at[i])...,
                     stores.Leaf<Stores, V>::held.value.at[i]...);
    (stores.Leaf<Stores, V>::held.write(views[Stores::Index], place), ...);
  }
};

template <int Views>
struct Params {
  uck_window window[3];
  int images, groups, channels, results;  // channels and results of a group
  int units;                              // of an image: what a thread computes in one turn
  uc_divider vectors, across, tiles;      // of channels; along the last dimension; along the one before
  Strided x, w;                           // w: result of a group, three dimensions, channel of a group
  int64_t next_group;                     // of w
  Strided view[Views];
};

// Where unit `u` of an image begins: V channels and P places along the second dimension. Neighbouring threads are
// neighbours in channels, or along the last dimension.
template <int V, int P, bool ChannelsFirst, int Views>
UC_FN Place place_of(Params<Views> const& x, int image, int u) {
  Place out;
  out.image = image;
  int rest = u;
  const auto take = [&rest](uc_divider const& by) {
    const int next = by.divide(rest), here = rest - next * by.divisor;
    rest = next;
    return here;
  };
  if (!ChannelsFirst) out.channel = take(x.vectors) * V;
  out.at[2] = take(x.across);
  out.at[1] = take(x.tiles) * P;
  if (ChannelsFirst) {
    const int plane = x.window[0].out;
    out.at[0] = rest % plane;
    out.channel = rest / plane * V;
  } else {
    out.at[0] = rest;
  }
  return out;
}

// Filters of F0 x F1 x F2 taps, with stride S and dilation D along the second dimension: a thread computes P results
// along it for V channels, and reads each element of the input once for all of them. V > 1: every channel is a group.
// WX, WW: elements of the input and of the filter that are moved as one word, V or 1.
template <class T, class Sum, int V, int P, int WX, int WW, int F0, int F1, int F2, int S, int D, bool ChannelsFirst,
          int Views, class Epilogue>
struct Tiled {
  using Params = uc_direct::Params<Views>;
  static constexpr int kVector = V, kPlaces = P;
  static constexpr int kReach = (P - 1) * S + (F1 - 1) * D + 1;

  static UC_FN void run(Params const& x, int block, int blocks, int thread, int first_image, int images) {
    for (int image = first_image; image < x.images; image += images)
      for (int64_t u = int64_t(block) * kThreads + thread; u < x.units; u += int64_t(blocks) * kThreads)
        unit(x, place_of<V, P, ChannelsFirst>(x, image, int(u)));
  }

 private:
  using Pack = uc_pack<T, V>;

  static UC_FN void unit(Params const& x, Place place) {
    Sum sums[P][V];
#pragma unroll
    for (int p = 0; p < P; ++p)
#pragma unroll
      for (int i = 0; i < V; ++i) sums[p][i] = Sum(0);
    const int group = place.channel / x.results;
    T const* input = static_cast<T const*>(x.x.data) + place.image * x.x.stride[0];
    T const* filter = static_cast<T const*>(x.w.data) + group * x.next_group +
                      (place.channel - group * x.results) * x.w.stride[0];
    for (int c = 0; c < x.channels; ++c)
      channel(x, place, input + (group * int64_t(x.channels) + c) * x.x.stride[4], filter + c * x.w.stride[4], sums);
#pragma unroll
    for (int p = 0; p < P; ++p) {
      Place here = place;
      here.at[1] += p;
      if (here.at[1] < x.window[1].out) Epilogue::at(x.view, here, sums[p]);
    }
  }

  static UC_FN void channel(Params const& x, Place const& place, T const* input, T const* filter, Sum (&sums)[P][V]) {
    const int y = place.at[1] * S - x.window[1].padding;
#pragma unroll
    for (int f0 = 0; f0 < F0; ++f0) {
      const int z = place.at[0] * x.window[0].stride - x.window[0].padding + f0 * x.window[0].dilation;
#pragma unroll
      for (int f2 = 0; f2 < F2; ++f2) {
        const int across = place.at[2] * x.window[2].stride - x.window[2].padding + f2 * x.window[2].dilation;
        const int in0 = within(z, x.window[0].in), in2 = within(across, x.window[2].in);
        line(x, y, z == in0 && across == in2, input + in0 * x.x.stride[1] + in2 * x.x.stride[3],
             filter + f0 * x.w.stride[1] + f2 * x.w.stride[3], sums);
      }
    }
  }

  // The nearest element that there is.
  static UC_FN int within(int at, int extent) { return at < 0 ? 0 : at < extent ? at : extent - 1; }

  // The taps along the second dimension. No branch stands between the loads, so that all of them are in flight at
  // once: outside of the input its nearest element is read, and zero is taken. With V > 1 the filter of the next channel is that of the next group.
  static UC_FN void line(Params const& x, int y, bool inside, T const* input, T const* filter, Sum (&sums)[P][V]) {
    Pack values[kReach], weights[F1];
#pragma unroll
    for (int j = 0; j < kReach; ++j) {
      if (!used(j)) continue;
      values[j] = read<WX>(input + within(y + j, x.window[1].in) * x.x.stride[2], x.x.stride[4]);
    }
#pragma unroll
    for (int f = 0; f < F1; ++f) weights[f] = read<WW>(filter + f * x.w.stride[2], x.next_group);
#pragma unroll
    for (int j = 0; j < kReach; ++j) {
      if (!used(j)) continue;
      if (!inside || unsigned(y + j) >= unsigned(x.window[1].in)) values[j] = zeros();
#pragma unroll
      for (int p = 0; p < P; ++p) {
        const int ahead = j - p * S;
        if (ahead < 0 || ahead % D != 0 || ahead / D >= F1) continue;
#pragma unroll
        for (int i = 0; i < V; ++i)
          sums[p][i] += Sum(uc_load(values[j].at[i])) * Sum(uc_load(weights[ahead / D].at[i]));
      }
    }
  }
  static constexpr UC_FN bool used(int j) {
    for (int p = 0; p < P; ++p) {
      const int ahead = j - p * S;
      if (ahead >= 0 && ahead % D == 0 && ahead / D < F1) return true;
    }
    return false;
  }
  static UC_FN Pack zeros() {
    Pack out;
#pragma unroll
    for (int i = 0; i < V; ++i) out.at[i] = T(0.0f);
    return out;
  }
  template <int Width>
  static UC_FN Pack read(T const* from, int64_t stride) {
    if (Width == V) return *reinterpret_cast<Pack const*>(from);
    Pack out;
#pragma unroll
    for (int i = 0; i < V; ++i) out.at[i] = from[i * stride];
    return out;
  }
};

// Any convolution: one result a turn of a thread.
template <class T, class Sum, bool Transposed, bool ChannelsFirst, int Views, class Epilogue>
struct General {
  using Params = uc_direct::Params<Views>;
  static constexpr int kVector = 1, kPlaces = 1;

  static UC_FN void run(Params const& x, int block, int blocks, int thread, int first_image, int images) {
    for (int image = first_image; image < x.images; image += images)
      for (int64_t u = int64_t(block) * kThreads + thread; u < x.units; u += int64_t(blocks) * kThreads)
        unit(x, place_of<1, 1, ChannelsFirst>(x, image, int(u)));
  }

 private:
  struct Taps {
    int in, in_tap, filter, filter_step, count;
  };
  static UC_FN Taps taps_of(uck_window const& window, int at) {
    const int first = Transposed ? at % window.stride : 0;
    const uc_stretch stretch = uc_stretch_of(window, Transposed, first);
    const int number = Transposed ? at / window.stride : at;
    return {stretch.in0 + number * stretch.in_step, stretch.in_tap, stretch.filter0, stretch.filter_step, stretch.taps};
  }

  static UC_FN void unit(Params const& x, Place const& place) {
    const int group = place.channel / x.results;
    T const* input = static_cast<T const*>(x.x.data) + place.image * x.x.stride[0] +
                     group * int64_t(x.channels) * x.x.stride[4];
    T const* filter = static_cast<T const*>(x.w.data) + group * x.next_group +
                      (place.channel - group * x.results) * x.w.stride[0];
    const Taps taps[3] = {taps_of(x.window[0], place.at[0]), taps_of(x.window[1], place.at[1]),
                          taps_of(x.window[2], place.at[2])};
    Sum sums[1] = {Sum(0)};
    for (int a = 0; a < taps[0].count; ++a) {
      const int z = taps[0].in + a * taps[0].in_tap;
      if (unsigned(z) >= unsigned(x.window[0].in)) continue;
      for (int b = 0; b < taps[1].count; ++b) {
        const int y = taps[1].in + b * taps[1].in_tap;
        if (unsigned(y) >= unsigned(x.window[1].in)) continue;
        for (int c = 0; c < taps[2].count; ++c) {
          const int across = taps[2].in + c * taps[2].in_tap;
          if (unsigned(across) >= unsigned(x.window[2].in)) continue;
          T const* from = input + z * x.x.stride[1] + y * x.x.stride[2] + across * x.x.stride[3];
          T const* by = filter + (taps[0].filter + a * taps[0].filter_step) * x.w.stride[1] +
                        (taps[1].filter + b * taps[1].filter_step) * x.w.stride[2] +
                        (taps[2].filter + c * taps[2].filter_step) * x.w.stride[3];
          for (int i = 0; i < x.channels; ++i)
            sums[0] += Sum(uc_load(from[i * x.x.stride[4]])) * Sum(uc_load(by[i * x.w.stride[4]]));
        }
      }
    }
    Epilogue::at(x.view, place, sums);
  }
};

}  // namespace uc_direct
#endif
