#include "ops/detail/convolve.h"

#include <algorithm>
#include <vector>

#include "exec/multiply.h"

namespace uc::ops {
namespace {

constexpr int64_t kMostColumns = int64_t{1} << 22;  ///< elements of the matrix of windows held at once

template <class T>
std::vector<T>& values(HostTensor& tensor) {
  return std::get<std::vector<T>>(tensor.data);
}
template <class T>
const std::vector<T>& values(const HostTensor& tensor) {
  return std::get<std::vector<T>>(tensor.data);
}

// Calls visit(row, position, element) for every tap of a channel and every position in [first, first + count)
// of `swept`, where the element (of a channel with extents `inside`) lies inside.
template <class Visit>
void each_tap(const Windows& w, const std::array<int64_t, 3>& swept, const std::array<int64_t, 3>& inside,
              int64_t first, int64_t count, const Visit& visit) {
  const int64_t plane = swept[1] * swept[2];
  for (int64_t tap = 0; tap < taps(w); ++tap) {
    const int64_t k0 = tap / (w[1].kernel * w[2].kernel) * w[0].dilation - w[0].before;
    const int64_t k1 = tap / w[2].kernel % w[1].kernel * w[1].dilation - w[1].before;
    const int64_t k2 = tap % w[2].kernel * w[2].dilation - w[2].before;
    for (int64_t at = first; at < first + count;) {
      const int64_t column = at % swept[2];
      const int64_t length = std::min(swept[2] - column, first + count - at);
      const int64_t i0 = at / plane * w[0].stride + k0;
      const int64_t i1 = at / swept[2] % swept[1] * w[1].stride + k1;
      if (i0 >= 0 && i0 < inside[0] && i1 >= 0 && i1 < inside[1]) {
        const int64_t base = (i0 * inside[1] + i1) * inside[2];
        int64_t i2 = column * w[2].stride + k2;
        for (int64_t j = 0; j < length; ++j, i2 += w[2].stride) {
          if (i2 >= 0 && i2 < inside[2]) visit(tap, at - first + j, base + i2);
        }
      }
      at += length;
    }
  }
}

std::array<int64_t, 3> in_extents(const Windows& w) { return {w[0].in, w[1].in, w[2].in}; }
std::array<int64_t, 3> out_extents(const Windows& w) { return {w[0].out, w[1].out, w[2].out}; }

template <class T>
HostTensor part(const HostTensor& of, int64_t from, Shape shape) {
  HostTensor out;
  out.dtype = of.dtype;
  const auto begin = values<T>(of).begin() + from;
  out.data = std::vector<T>(begin, begin + numel(shape));
  out.shape = std::move(shape);
  return out;
}

template <class T>
HostTensor filled(DType type, Shape shape) {
  HostTensor out;
  out.dtype = type;
  out.data = std::vector<T>(static_cast<size_t>(numel(shape)));
  out.shape = std::move(shape);
  return out;
}

template <class T>
void convolve_as(const HostTensor& x, const HostTensor& w, const ConvShape& s, Math math, HostTensor& out) {
  const int64_t depth = s.in_channels * taps(s.windows);
  const int64_t positions = outputs(s.windows);
  const int64_t chunk = std::clamp<int64_t>(kMostColumns / depth, 1, positions);
  const auto inside = in_extents(s.windows);
  for (int64_t g = 0; g < s.groups; ++g) {
    const HostTensor weights = part<T>(w, g * s.out_channels * depth, {s.out_channels, depth});
    for (int64_t n = 0; n < s.batch; ++n) {
      const int64_t channel = (n * s.groups + g) * s.in_channels;
      const int64_t target = (n * s.groups + g) * s.out_channels;
      for (int64_t first = 0; first < positions; first += chunk) {
        const int64_t count = std::min(chunk, positions - first);
        HostTensor columns = filled<T>(x.dtype, {depth, count});
        for (int64_t c = 0; c < s.in_channels; ++c) {
          const T* from = values<T>(x).data() + (channel + c) * inputs(s.windows);
          T* to = values<T>(columns).data() + c * taps(s.windows) * count;
          each_tap(s.windows, out_extents(s.windows), inside, first, count,
                   [&](int64_t tap, int64_t at, int64_t element) { to[tap * count + at] = from[element]; });
        }
        HostTensor product = filled<T>(out.dtype, {s.out_channels, count});
        multiply(weights, columns, false, math, product);
        for (int64_t o = 0; o < s.out_channels; ++o) {
          std::copy_n(values<T>(product).begin() + o * count, count,
                      values<T>(out).begin() + (target + o) * positions + first);
        }
      }
    }
  }
}

// The weights of group g, [C, O, taps], as [O taps, C].
template <class T>
HostTensor turned(const HostTensor& w, const ConvShape& s, int64_t g) {
  const int64_t rows = s.out_channels * taps(s.windows);
  HostTensor out = filled<T>(w.dtype, {rows, s.in_channels});
  for (int64_t c = 0; c < s.in_channels; ++c) {
    const T* from = values<T>(w).data() + (g * s.in_channels + c) * rows;
    for (int64_t r = 0; r < rows; ++r) values<T>(out)[static_cast<size_t>(r * s.in_channels + c)] = from[r];
  }
  return out;
}

template <class T>
void transposed_as(const HostTensor& x, const HostTensor& w, const ConvShape& s, Math math, HostTensor& out) {
  const int64_t rows = s.out_channels * taps(s.windows);
  const int64_t positions = inputs(s.windows);
  const int64_t chunk = std::clamp<int64_t>(kMostColumns / rows, 1, positions);
  const int64_t size = outputs(s.windows);
  for (int64_t g = 0; g < s.groups; ++g) {
    const HostTensor weights = turned<T>(w, s, g);
    for (int64_t n = 0; n < s.batch; ++n) {
      T* sums = values<T>(out).data() + (n * s.groups + g) * s.out_channels * size;  // all zero
      for (int64_t first = 0; first < positions; first += chunk) {
        const int64_t count = std::min(chunk, positions - first);
        HostTensor columns = filled<T>(x.dtype, {s.in_channels, count});
        for (int64_t c = 0; c < s.in_channels; ++c) {
          std::copy_n(values<T>(x).begin() + ((n * s.groups + g) * s.in_channels + c) * positions + first,
                      count, values<T>(columns).begin() + c * count);
        }
        HostTensor product = filled<T>(out.dtype, {rows, count});
        multiply(weights, columns, false, math, product);
        for (int64_t o = 0; o < s.out_channels; ++o) {
          const T* from = values<T>(product).data() + o * taps(s.windows) * count;
          T* to = sums + o * size;
          each_tap(s.windows, in_extents(s.windows), out_extents(s.windows), first, count,
                   [&](int64_t tap, int64_t at, int64_t element) { to[element] += from[tap * count + at]; });
        }
      }
    }
  }
}

// The operand in f64, after the rounding that `math` has.
HostTensor widened(const HostTensor& tensor, Math math) {
  HostTensor out = HostTensor::zeros(DType::f64, tensor.shape);
  const bool rounds = math == Math::tf32 && tensor.dtype == DType::f32;
  std::ranges::transform(values<float>(tensor), values<double>(out).begin(),
                         [rounds](float value) { return double{rounds ? round_tf32(value) : value}; });
  return out;
}

template <class Compute>
void in_own_type(const HostTensor& x, const HostTensor& w, Math math, HostTensor& out,
                 const Compute& compute) {
  if (!std::holds_alternative<std::vector<float>>(x.data)) return compute(x, w, math, out);
  HostTensor wide = HostTensor::zeros(DType::f64, out.shape);
  compute(widened(x, math), widened(w, math), Math::f64, wide);
  std::ranges::transform(values<double>(wide), values<float>(out).begin(),
                         [](double value) { return static_cast<float>(value); });
}

}  // namespace

void convolve(const HostTensor& x, const HostTensor& w, const ConvShape& shape, Math math, HostTensor& out) {
  in_own_type(x, w, math, out, [&shape](const auto& a, const auto& b, Math how, HostTensor& y) {
    if (std::holds_alternative<std::vector<double>>(a.data)) {
      convolve_as<double>(a, b, shape, how, y);
    } else {
      convolve_as<int64_t>(a, b, shape, how, y);
    }
  });
}

void convolve_transposed(const HostTensor& x, const HostTensor& w, const ConvShape& shape, Math math,
                         HostTensor& out) {
  in_own_type(x, w, math, out, [&shape](const auto& a, const auto& b, Math how, HostTensor& y) {
    if (std::holds_alternative<std::vector<double>>(a.data)) {
      transposed_as<double>(a, b, shape, how, y);
    } else {
      transposed_as<int64_t>(a, b, shape, how, y);
    }
  });
}

}  // namespace uc::ops
