// The device code of uc_slices.cuh on the CPU, for many shapes: every element gets the sum of its slices, in
// every batch; what is combined over rows and columns holds each element once; nothing is written beside the
// results. Data are small integers, so that sums are exact whatever their order.
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "on_cpu.h"
// After what makes it host code.
#include "uc_slices_host.h"

namespace {

using uc_element::Combined;
using uc_element::List;
using uc_element::Load;
using uc_element::Store;

constexpr float kCanary = -7777;

// Views: 0 a row, 1 a column, 2 a matrix (f16), 3 a number a batch; 4 the result, 5 it in f16, transposed in
// memory; 6 its sums over columns, 7 its largest of each column.
struct Expression {
  static void at(const uc_element::Place& place, float acc, float row, float column, float matrix,
                 float number, float& result, __half& half, float& over_columns, float& largest) {
    result = acc + row + 2 * column + 4 * matrix + 8 * number + 0.5f * float(place.row() % 2);
    half = __float2half_rn(acc);
    over_columns = result;
    largest = result;
  }
};
constexpr int kViews = 8;

template <int Width, bool AllBatches>
using AdditionOf = uc_slices::Addition<
    float, Expression, kViews,
    List<Load<0, float, Width>, Load<1, float, 0>, Load<2, __half, Width>, Load<3, float, 0>>,
    List<Store<4, float, Width>, Store<5, __half, 1>>,
    List<Combined<6, float, uc_element::Plus, false, false>,
         Combined<7, __half, uc_element::Largest, true, AllBatches>>>;

struct Case {
  int64_t l, m, n, k, tile;
  int64_t asked;
};

class Problem {
 public:
  explicit Problem(const Case& given, int width) : given_(given) {
    std::mt19937 random(7);
    const auto fill = [&random](auto& values, size_t count) {
      values.resize(count);
      for (auto& value : values)
        value = static_cast<std::decay_t<decltype(value)>>(static_cast<float>(int(random() % 9) - 4));
    };
    const auto [l, m, n] = std::array{size_t(given.l), size_t(given.m), size_t(given.n)};
    pitch_ = width == 1 ? given.n + 3 : (given.n + 3) / 4 * 4;
    fill(row_, n + 4);
    fill(column_, m);
    fill(matrix_, l * m * size_t(pitch_));
    fill(number_, l);
    result_.assign(l * m * size_t(pitch_), kCanary);
    half_.assign(l * m * n, __half(kCanary));
    over_columns_.assign(l * m + 8, kCanary);
    largest_.assign(l * n + 8, __half(kCanary));
    x_.l = given.l;
    x_.m = given.m;
    x_.n = given.n;
    x_.k = given.k;
    x_.split = int32_t(given.asked);
    x_.sms = 132;
    const auto set = [this](int i, void* data, int64_t l0, int64_t m0, int64_t n0) {
      x_.view[i] = {data, {l0, m0, n0}};
    };
    const int64_t plane = given.m * pitch_;
    set(0, row_.data(), 0, 0, 1);
    set(1, column_.data(), 0, 1, 0);
    set(2, matrix_.data(), plane, pitch_, 1);
    set(3, number_.data(), 1, 0, 0);
    set(4, result_.data(), plane, pitch_, 1);
    set(5, half_.data(), given.m * given.n, 1, given.m);
    set(6, over_columns_.data(), given.m, 1, 0);
  }

  template <class Addition>
  void run(bool all_batches) {
    x_.view[7] = {largest_.data(), {all_batches ? 0 : given_.n, 0, 1}};
    const uc_slices::Cut cut = uc_slices::cut(given_.k, x_.split, given_.tile);
    slices_ = cut.slices;
    EXPECT_LE(slices_, given_.asked);
    EXPECT_GE(int64_t(cut.slices) * cut.tiles * given_.tile, given_.k);
    EXPECT_LT(int64_t(cut.slices - 1) * cut.tiles * given_.tile, given_.k);
    const int64_t bytes = uc_slices::scratch_bytes<Addition>(&x_, slices_);
    scratch_ = static_cast<float*>(std::aligned_alloc(256, size_t(bytes) + 256));
    for (int64_t i = 0; i < (bytes + 256) / 4; ++i) scratch_[i] = std::nanf("");
    x_.scratch = scratch_;
    fill_slices();
    for (const bool combine : {false, true}) {
      typename Addition::Params params;
      uck_geometry geometry;
      ASSERT_EQ((uc_slices::prepare<Addition, kViews>(&x_, slices_, combine, true, &params, &geometry)), 0);
      on_cpu::launch(geometry.grid[0], [&params, combine] {
        if (combine) {
          Addition::Combine::run(params);
        } else {
          Addition::run(params);
        }
      });
    }
    for (int64_t i = bytes / 4; i < (bytes + 256) / 4; ++i) EXPECT_TRUE(std::isnan(scratch_[i]));
    expect(all_batches);
    std::free(scratch_);
  }

 private:
  void fill_slices() {
    std::mt19937 random(11);
    const uck_gemm product = uc_slices::product(&x_);
    for (int64_t plane = 0; plane < given_.l * slices_; ++plane) {
      for (int64_t m = 0; m < given_.m; ++m) {
        for (int64_t n = 0; n < given_.n; ++n)
          static_cast<float*>(
              product.view[0].data)[plane * product.view[0].stride[0] + m * product.view[0].stride[1] + n] =
              float(int(random() % 17) - 8);
      }
    }
  }

  void expect(bool all_batches) {
    const uck_gemm product = uc_slices::product(&x_);
    std::vector<float> largest(size_t(given_.l * given_.n), -INFINITY);
    for (int64_t l = 0; l < given_.l; ++l) {
      for (int64_t m = 0; m < given_.m; ++m) {
        float over_columns = 0;
        for (int64_t n = 0; n < given_.n; ++n) {
          float acc = 0;
          for (int64_t s = 0; s < slices_; ++s)
            acc +=
                scratch_[(l * slices_ + s) * product.view[0].stride[0] + m * product.view[0].stride[1] + n];
          const size_t at = size_t((l * given_.m + m) * pitch_ + n);
          const float want = acc + row_[size_t(n)] + 2 * column_[size_t(m)] + 4 * __half2float(matrix_[at]) +
                             8 * number_[size_t(l)] + 0.5f * float((l * given_.m + m) % 2);
          ASSERT_EQ(result_[at], want) << l << " " << m << " " << n;
          ASSERT_EQ(__half2float(half_[size_t((l * given_.n + n) * given_.m + m)]), acc);
          over_columns += want;
          float& most = largest[size_t((all_batches ? 0 : l) * given_.n + n)];
          most = std::max(most, want);
        }
        for (int64_t n = given_.n; n < pitch_; ++n)
          ASSERT_EQ(result_[size_t((l * given_.m + m) * pitch_ + n)], kCanary);
        ASSERT_EQ(over_columns_[size_t(l * given_.m + m)], over_columns);
      }
    }
    const int64_t made = (all_batches ? 1 : given_.l) * given_.n;
    for (int64_t i = 0; i < made; ++i)
      ASSERT_EQ(__half2float(largest_[size_t(i)]), __half2float(__float2half_rn(largest[size_t(i)])));
    ASSERT_EQ(__half2float(largest_[size_t(made)]), __half2float(__half(kCanary)));
    ASSERT_EQ(over_columns_[size_t(given_.l * given_.m)], kCanary);
  }

  Case given_;
  int64_t pitch_ = 0;
  int slices_ = 0;
  uck_gemm x_{};
  float* scratch_ = nullptr;
  std::vector<float> row_, column_, number_, result_, over_columns_;
  std::vector<__half> matrix_, half_, largest_;
};

// Odd widths, single rows and columns, several tiles along both, more slices than groups of threads.
constexpr Case kCases[]{{1, 1, 1, 64, 64, 1},      {1, 1, 300, 640, 64, 9},  {2, 37, 5, 1000, 64, 3},
                        {1, 300, 1, 1024, 32, 4},  {3, 5, 130, 4096, 64, 7}, {2, 70, 129, 100, 64, 2},
                        {1, 16, 16, 8192, 64, 33}, {1, 260, 12, 64, 64, 1}};

TEST(Slices, AreAddedElementByElement) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(testing::Message() << each.l << "x" << each.m << "x" << each.n << " in " << each.asked);
    Problem(each, 1).run<AdditionOf<1, false>>(false);
  }
}

TEST(Slices, AreAddedFourNeighboursAtOnce) {
  for (const Case& each :
       {Case{1, 7, 132, 1024, 64, 5}, Case{2, 3, 64, 512, 64, 8}, Case{1, 90, 4, 256, 64, 4}})
    Problem(each, 4).run<AdditionOf<4, false>>(false);
}

TEST(Slices, CombineAllBatches) { Problem({3, 20, 40, 640, 64, 4}, 1).run<AdditionOf<1, true>>(true); }

// Without anything to combine, threads that rows and columns leave over add slices side by side.
using Plain = uc_slices::Addition<float, Expression, kViews, List<>, List<>, List<>>;
TEST(Slices, ThreadsThatAreLeftOverShareSlices) {
  uck_gemm x{};
  x.l = 1;
  x.m = x.n = 16;
  const uc_slices::Tiling many = uc_slices::tiling(&x, 64, false);
  EXPECT_EQ(many.log_n, 2);
  EXPECT_EQ(many.log_m, 0);  // 64 groups
  const uc_slices::Tiling few = uc_slices::tiling(&x, 2, false);
  EXPECT_EQ(few.log_n + few.log_m, 6);
  x.m = x.n = 8192;
  const uc_slices::Tiling large = uc_slices::tiling(&x, 4, false);
  EXPECT_EQ(large.log_n + large.log_m, 8);
  EXPECT_EQ(large.tiles_n * large.tiles_m, 64 * 1024);
}

TEST(Slices, AreNeverEmpty) {
  EXPECT_EQ(uc_slices::cut(640, 8, 64).slices, 5);  // two tiles each
  EXPECT_EQ(uc_slices::cut(640, 10, 64).slices, 10);
  EXPECT_EQ(uc_slices::cut(1, 4, 64).slices, 1);
  EXPECT_EQ(uc_slices::cut(4097, 2, 64).tiles, 33);
  EXPECT_EQ(uc_slices::cut(4096, 0, 64).slices, 1);
}

}  // namespace
