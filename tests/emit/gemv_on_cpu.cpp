// The device code of uc_gemv.cuh on the CPU, for many shapes and layouts: every element is its product, once,
// and nothing is written beside the result. Data are small integers, so that sums are exact whatever their
// order.
#include <array>
#include <gtest/gtest.h>
#include <random>

#include "on_cpu.h"
// After what makes it host code.
#include "uc_gemv_host.h"

namespace {

using uc_element::List;

struct Expression {
  template <class Accumulator>
  static void at(const uc_element::Place& place, Accumulator acc, float row, float& result) {
    result = float(acc) + row + 0.5f * float(place.m % 2) + 0.25f * float(place.n % 2);
  }
};
constexpr int kViews = 2;
constexpr float kCanary = -7777;

template <class Element, class Accumulator, bool LongIsA, bool AlongK, int V, int Lines, int Short,
          bool YVector>
using KernelOf = uc_gemv::Kernel<Element, Accumulator, uc_gemv::AsTheyAre, LongIsA, AlongK, V, Lines, Short,
                                 YVector, Expression, kViews, List<uc_element::Load<0, float, 1>>,
                                 List<uc_element::Store<1, float, 1>>>;

struct Case {
  int64_t l, lines, shorts, k, split;
};

// An operand whose other stride is padded by `pad` elements.
template <class Element>
struct Matrix {
  std::vector<Element> values;
  uck_view view{};
  Matrix(int64_t l, int64_t lines, int64_t k, bool along_k, int64_t pad, unsigned seed) {
    const int64_t pitch = (along_k ? k : lines) + pad;
    const int64_t plane = pitch * (along_k ? lines : k);
    std::mt19937 random(seed);
    values.resize(size_t(l * plane));
    for (Element& x : values) x = Element(int(random() % 7) - 3);
    view = {values.data(), {plane, along_k ? pitch : 1, along_k ? 1 : pitch}};
  }
  float at(int64_t l, int64_t line, int64_t k) const {
    return float(values[size_t(l * view.stride[0] + line * view.stride[1] + k * view.stride[2])]);
  }
};

template <class Element, class Kernel>
void run(const Case& given, int64_t pad, bool y_along_k) {
  const Matrix<Element> x(given.l, given.lines, given.k, Kernel::kAlongK, pad, 3);
  const Matrix<Element> y(given.l, given.shorts, given.k, y_along_k, pad, 5);
  uck_gemm gemm{};
  gemm.l = given.l;
  gemm.m = Kernel::LongIsA ? given.lines : given.shorts;
  gemm.n = Kernel::LongIsA ? given.shorts : given.lines;
  gemm.k = given.k;
  gemm.split = int32_t(given.split);
  gemm.a = Kernel::LongIsA ? x.view : y.view;
  gemm.b = Kernel::LongIsA ? y.view : x.view;
  const int64_t slices = uc_slices::cut(given.k, given.split, uc_gemv::kTile).slices;
  std::vector<float> row(size_t(gemm.n));
  for (size_t i = 0; i < row.size(); ++i) row[i] = float(i % 5);
  std::vector<float> result(size_t(given.l * slices * gemm.m * gemm.n) + 64, kCanary);
  gemm.view[0] = {row.data(), {0, 0, 1}};
  gemm.view[1] = {result.data(), {gemm.m * gemm.n, gemm.n, 1}};
  typename Kernel::Params params;
  uck_geometry geometry;
  ASSERT_EQ((uc_gemv::prepare<Kernel, kViews>(&gemm, true, false, &params, &geometry)), 0);
  on_cpu::launch(geometry.grid[0], [&params] { Kernel::run(params); });
  const int64_t slice = params.slice;
  for (int64_t plane = 0; plane < given.l * slices; ++plane) {
    const int64_t l = plane / slices, begin = plane % slices * slice, end = std::min(given.k, begin + slice);
    for (int64_t m = 0; m < gemm.m; ++m) {
      for (int64_t n = 0; n < gemm.n; ++n) {
        float want = row[size_t(n)] + 0.5f * float(m % 2) + 0.25f * float(n % 2);
        for (int64_t k = begin; k < end; ++k)
          want += Kernel::LongIsA ? x.at(l, m, k) * y.at(l, n, k) : x.at(l, n, k) * y.at(l, m, k);
        ASSERT_EQ(result[size_t((plane * gemm.m + m) * gemm.n + n)], want) << plane << " " << m << " " << n;
      }
    }
  }
  for (size_t i = result.size() - 64; i < result.size(); ++i) ASSERT_EQ(result[i], kCanary);
}

TEST(Gemv, AlongK) {
  for (const Case& each : {Case{1, 37, 1, 1000, 1}, Case{1, 5, 3, 4096, 4}, Case{2, 19, 4, 200, 3}}) {
    run<__half, KernelOf<__half, float, false, true, 8, 4, 4, true>>(each, 8, true);
    run<__half, KernelOf<__half, float, true, true, 8, 4, 4, true>>(each, 8, true);
    run<float, KernelOf<float, float, false, true, 1, 4, 4, false>>(each, 3, true);
    run<float, KernelOf<float, float, true, true, 4, 4, 4, false>>(each, 4, false);
  }
}

TEST(Gemv, AlongLines) {
  for (const Case& each : {Case{1, 136, 1, 100, 1}, Case{1, 8, 4, 700, 5}, Case{2, 72, 3, 64, 1}}) {
    run<__half, KernelOf<__half, float, false, false, 8, 8, 4, false>>(each, 8, true);
    run<__half, KernelOf<__half, float, true, false, 2, 2, 4, false>>(each, 8, false);
    run<float, KernelOf<float, float, false, false, 4, 4, 4, false>>(each, 4, true);
  }
}

TEST(Gemv, EightAtOnceInManyRounds) {
  run<__half, KernelOf<__half, float, false, true, 8, 4, 8, true>>({1, 21, 8, 512, 2}, 0, true);
  run<__half, KernelOf<__half, float, false, false, 8, 8, 8, false>>({1, 80, 8, 96, 1}, 0, true);
  run<__half, KernelOf<__half, float, false, true, 8, 4, 1, true>>({1, 6, 1, 8192, 1}, 0, true);
}

TEST(Gemv, Integers) {
  run<int8_t, KernelOf<int8_t, int32_t, false, true, 16, 4, 2, true>>({1, 33, 2, 1600, 2}, 16, true);
  run<int8_t, KernelOf<int8_t, int32_t, false, false, 16, 16, 2, false>>({1, 48, 2, 130, 1}, 16, true);
}

TEST(Gemv, RoundsToTf32) {
  EXPECT_EQ(uc_gemv::AsTf32::of(1.0f), 1.0f);
  EXPECT_EQ(uc_gemv::AsTf32::of(1.0f + 1.0f / 4096), 1.0f);
  EXPECT_EQ(uc_gemv::AsTf32::of(1.0f + 1.0f / 2048), 1.0f);  // half way, to even
  EXPECT_EQ(uc_gemv::AsTf32::of(1.0f + 3.0f / 2048), 1.0f + 2.0f / 1024);
  EXPECT_EQ(uc_gemv::AsTf32::of(-1.0f - 1.5f / 2048), -1.0f - 1.0f / 1024);
  EXPECT_EQ(uc_gemv::AsTf32::of(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(uc_gemv::AsTf32::of(std::nanf(""))));
}

}  // namespace
