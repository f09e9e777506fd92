#pragma once
// Why: kernels of convolutions are tried on the CPU, each kind in a program of its own, on the same problems.
#include <stdint.h>
#include <stdio.h>
#include <vector>

#include "uc_kernel_args.h"

inline int failures = 0;
inline void expect(bool good, const char* what, long long at) {
  if (good) return;
  if (++failures < 20) printf("wrong: %s at %lld\n", what, at);
}

struct Expression {
  static void at(float sum, float bias, float residual, float& out) { out = sum + 8 * bias + 16 * residual; }
};

struct Problem {
  const char* what;
  uck_conv conv;
  bool transposed;
  bool channels_last = true;  ///< the input and the result; filters always are
  int split = 0;
};

inline uck_window window(int in, int filter, int stride, int before, int after, int dilation) {
  const int span = dilation * (filter - 1) + 1;
  return {in, filter, (in + before + after - span) / stride + 1, stride, before, dilation};
}
inline uck_window transposed_window(int in, int filter, int stride, int padding, int dilation, int extra) {
  return {in,     filter,  (in - 1) * stride - 2 * padding + dilation * (filter - 1) + 1 + extra,
          stride, padding, dilation};
}
constexpr uck_window kNone{1, 1, 1, 1, 0, 1};

// Values are small integers, so that sums are exact in f32, and in f16 as operands.
inline int made(int64_t index, int salt) {
  return int((index * 2654435761u + unsigned(salt) * 40503u) >> 7) % 7 - 3;
}

// Tensors of a problem: the input, filters, a bias along channels, a residual like the result, and the
// result.
template <class T>
struct Tensors {
  const Problem& p;
  std::vector<T> x, w;
  std::vector<float> bias, residual, out;
  uck_gemm gemm{};
  static constexpr float kCanary = -12345;

  explicit Tensors(const Problem& problem) : p(problem) {
    const uck_conv& c = p.conv;
    int64_t ins = 1, taps = 1, outs = 1;
    for (const uck_window& d : c.window) ins *= d.in, taps *= d.filter, outs *= d.out;
    fill(x, c.images * ins * c.channels * c.groups, 1);
    fill(w, c.groups * c.results * taps * c.channels, 2);
    fill(bias, c.groups * c.results, 3);
    fill(residual, c.images * outs * c.groups * c.results, 4);
    out.assign(residual.size(), kCanary);
    gemm.conv = &c;
    gemm.split = p.split;
    gemm.swizzle = 2;
    gemm.sms = 4;
    gemm.a = view(x.data(), c.channels * c.groups, &uck_window::in, p.channels_last);
    gemm.b = filters();
    gemm.view[0] = {bias.data(), {0, 0, 0, 0, 1}};
    gemm.view[1] = view(residual.data(), c.results * c.groups, &uck_window::out, true);
    gemm.view[2] = view(out.data(), c.results * c.groups, &uck_window::out, p.channels_last);
  }
  template <class U>
  static void fill(std::vector<U>& into, int64_t count, int salt) {
    for (int64_t i = 0; i < count; ++i) into.push_back(U(float(made(i, salt))));
  }
  template <class U>
  uck_view view(U* data, int64_t channels, int32_t uck_window::* extent, bool last) const {
    const uck_window* d = p.conv.window;
    const int64_t plane = int64_t(d[0].*extent) * d[1].*extent * d[2].*extent;
    const int64_t step = last ? channels : 1;
    return {data,
            {plane * channels, int64_t(d[1].*extent) * d[2].*extent * step, d[2].*extent * step, step,
             last ? 1 : plane}};
  }
  // [K, taps, C / groups], transposed [C, taps, K / groups] with C contiguous.
  uck_view filters() {
    const uck_conv& c = p.conv;
    const uck_window* d = c.window;
    const int64_t taps = int64_t(d[0].filter) * d[1].filter * d[2].filter;
    const int64_t depth = p.transposed ? c.channels * c.groups : c.channels;
    return {w.data(),
            {taps * depth, int64_t(d[1].filter) * d[2].filter * depth, d[2].filter * depth, depth, 1}};
  }

  // By the definition, from the input's side when transposed.
  std::vector<double> expected() const {
    const uck_conv& c = p.conv;
    const uck_window* d = c.window;
    std::vector<double> y(out.size(), 0);
    const auto visit = [&](auto&& body) {
      const int32_t uck_window::* swept = p.transposed ? &uck_window::in : &uck_window::out;
      for (int n = 0; n < c.images; ++n)
        for (int a = 0; a < d[0].*swept; ++a)
          for (int b = 0; b < d[1].*swept; ++b)
            for (int e = 0; e < d[2].*swept; ++e)
              for (int f = 0; f < d[0].filter; ++f)
                for (int g = 0; g < d[1].filter; ++g)
                  for (int h = 0; h < d[2].filter; ++h) {
                    const int at[3] = {a, b, e}, tap[3] = {f, g, h};
                    int other[3];
                    bool inside = true;
                    for (int i = 0; i < 3; ++i) {
                      other[i] = at[i] * d[i].stride - d[i].padding + tap[i] * d[i].dilation;
                      inside = inside && other[i] >= 0 && other[i] < (p.transposed ? d[i].out : d[i].in);
                    }
                    if (inside) body(n, p.transposed ? at : other, p.transposed ? other : at, tap);
                  }
    };
    visit([&](int n, const int* in, const int* result, const int* tap) {
      for (int64_t k = 0; k < c.results * c.groups; ++k)
        for (int64_t channel = 0; channel < c.channels; ++channel) {
          const int64_t group = k / c.results;
          const uck_view& b = gemm.b;
          const int64_t weight =
              tap[0] * b.stride[1] + tap[1] * b.stride[2] + tap[2] * b.stride[3] +
              (p.transposed ? (k % c.results) * b.stride[0] + (group * c.channels + channel)
                            : k * b.stride[0] + channel);
          y[index(gemm.view[2], n, result, k)] +=
              double(float(x[index(gemm.a, n, in, group * c.channels + channel)])) * double(float(w[weight]));
        }
    });
    for (int64_t n = 0; n < c.images; ++n)
      for (int a = 0; a < d[0].out; ++a)
        for (int b = 0; b < d[1].out; ++b)
          for (int e = 0; e < d[2].out; ++e)
            for (int64_t k = 0; k < c.results * c.groups; ++k) {
              const int at[3] = {a, b, e};
              y[index(gemm.view[2], n, at, k)] += 8 * bias[k] + 16 * residual[index(gemm.view[1], n, at, k)];
            }
    return y;
  }
  static size_t index(const uck_view& v, int64_t n, const int* at, int64_t channel) {
    return size_t(n * v.stride[0] + at[0] * v.stride[1] + at[1] * v.stride[2] + at[2] * v.stride[3] +
                  channel * v.stride[4]);
  }
  void check(const char* kernel) const {
    const std::vector<double> y = expected();
    int wrong = 0;
    for (size_t i = 0; i < y.size(); ++i) wrong += double(out[i]) != y[i];
    expect(wrong == 0, p.what, wrong);
    if (wrong != 0) printf("  with %s\n", kernel);
  }
};
