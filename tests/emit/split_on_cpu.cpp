// The device code of uc_split.cuh on the CPU: a thread a thread, blocks one after the other. Halves, factors,
// padding and the ends of scratch memory are looked at as the multiplication will read them.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "on_cpu.h"
// After what makes it host code.
#include "uc_split.cuh"

namespace {

constexpr int64_t kTileK = 64;
constexpr int kFirstView = 3;

struct Operand {
  std::vector<float> storage;
  float* data = nullptr;
  int64_t stride[3] = {};
  float at(int64_t l, int64_t line, int64_t k) const {
    return data[l * stride[0] + line * stride[1] + k * stride[2]];
  }
};

// Exponents within 20 of each other. `each`: a matrix for each of l, else one for all.
Operand operand(int64_t l, int64_t lines, int64_t k, bool along_k, bool each, unsigned seed) {
  std::mt19937 random(seed);
  Operand out;
  out.storage.resize(static_cast<size_t>(l * lines * k) + 4);
  for (float& x : out.storage)
    x = std::ldexp(std::normal_distribution<float>()(random),
                   std::uniform_int_distribution<int>(-10, 10)(random));
  out.data = out.storage.data();
  out.stride[0] = each ? lines * k : 0;
  out.stride[1] = along_k ? k : 1;
  out.stride[2] = along_k ? 1 : lines;
  return out;
}

float real(__half x) { return __half2float(x); }

void expect_split(const Operand& given, const uck_view& halves, const uck_view& factors, size_t dim,
                  int64_t l, int64_t lines, int64_t k, bool along_k, int64_t padded) {
  const int64_t part = along_k ? padded : padded * halves.stride[2];
  int wrong = 0;
  for (int64_t i = 0; i < l * lines; ++i) {
    const int64_t matrix = i / lines;
    const int64_t line = i % lines;
    double largest = 0;
    for (int64_t j = 0; j < k; ++j)
      largest = std::max(largest, std::abs(static_cast<double>(given.at(matrix, line, j))));
    const double factor =
        static_cast<const float*>(factors.data)[matrix * factors.stride[0] + line * factors.stride[dim]];
    for (int64_t j = 0; j < padded; ++j) {
      const auto* high = static_cast<const __half*>(halves.data) + matrix * halves.stride[0] +
                         line * halves.stride[1] + j * halves.stride[2];
      const double got =
          (static_cast<double>(real(high[0])) + static_cast<double>(real(high[part]))) * factor * factor;
      const double want = j < k ? static_cast<double>(given.at(matrix, line, j)) : 0;
      const double allowed = std::max(std::ldexp(std::abs(want), -23), std::ldexp(largest, -38));
      if (!(std::abs(got - want) <= (j < k ? allowed : 0)) && ++wrong < 4)
        ADD_FAILURE() << "line " << i << " k " << j << ": " << got << " for " << want;
    }
  }
  EXPECT_EQ(wrong, 0);
}

template <bool AAlongK, bool BAlongK>
void try_split(int64_t l, int64_t m, int64_t n, int64_t k, bool each_a, bool each_b) {
  SCOPED_TRACE(testing::Message() << l << " x " << m << " x " << n << " x " << k);
  const Operand a = operand(l, m, k, AAlongK, each_a, 1);
  const Operand b = operand(l, n, k, BAlongK, each_b, 2);
  uck_gemm x{};
  x.l = l, x.m = m, x.n = n, x.k = k, x.sms = 4;
  x.a.data = a.data, x.b.data = b.data;
  std::copy(a.stride, a.stride + 3, x.a.stride);
  std::copy(b.stride, b.stride + 3, x.b.stride);
  const auto bytes = static_cast<size_t>(uc_split_plans(x, AAlongK, BAlongK, kTileK).bytes);
  constexpr size_t kBeyond = 256;
  const std::unique_ptr<char, decltype(&std::free)> scratch(
      static_cast<char*>(std::aligned_alloc(256, bytes + kBeyond)), &std::free);
  std::memset(scratch.get(), 0xff, bytes + kBeyond);
  x.scratch = scratch.get();
  uc_split_params params;
  uck_geometry geometry;
  if (!AAlongK || !BAlongK) {
    uc_split_prepare(x, AAlongK, BAlongK, kTileK, true, &params, &geometry);
    on_cpu::launch(geometry.grid[0], [&] { uc_split_first<AAlongK, BAlongK>(params); });
  }
  uc_split_prepare(x, AAlongK, BAlongK, kTileK, false, &params, &geometry);
  on_cpu::launch(geometry.grid[0], [&] { uc_split_both<AAlongK, BAlongK>(params); });
  const uck_gemm y = uc_split_gemm(x, AAlongK, BAlongK, kTileK, kFirstView);
  EXPECT_EQ(y.k % (3 * kTileK), 0);
  expect_split(a, y.a, y.view[kFirstView], 1, l, m, k, AAlongK, y.k / 3);
  expect_split(b, y.b, y.view[kFirstView + 1], 2, l, n, k, BAlongK, y.k / 3);
  EXPECT_EQ(std::count(scratch.get() + bytes, scratch.get() + bytes + kBeyond, '\xff'),
            static_cast<ptrdiff_t>(kBeyond));
}

TEST(SplitOnCpu, KContiguous) {
  try_split<true, true>(1, 5, 3, 70, true, true);
  try_split<true, true>(1, 9, 4, 333, true, true);
  try_split<true, true>(1, 3, 2, 4100, true, true);   // several warps a line
  try_split<true, true>(1, 2, 1, 17000, true, true);  // longer than what is held
}

TEST(SplitOnCpu, LinesContiguous) {
  try_split<true, false>(1, 5, 130, 70, true, true);
  try_split<false, false>(1, 1, 3, 200, true, true);
  try_split<false, false>(1, 4, 4, 1, true, true);
  try_split<false, true>(1, 131, 3, 300, true, true);
}

// B split once, when weights are loaded, then A for each call: the same bytes as both together.
TEST(SplitOnCpu, KeepsWhatIsMadeOfB) {
  const Operand a = operand(1, 70, 130, true, true, 1);
  const Operand b = operand(1, 40, 130, false, true, 2);
  uck_gemm x{};
  x.l = 1, x.m = 70, x.n = 40, x.k = 130, x.sms = 4;
  x.a.data = a.data, x.b.data = b.data;
  std::copy(a.stride, a.stride + 3, x.a.stride);
  std::copy(b.stride, b.stride + 3, x.b.stride);
  x.keeps = 1;
  const uc_split_both_plans plans = uc_split_plans(x, true, false, kTileK);
  const auto memory = [](int64_t bytes) {
    return std::unique_ptr<char, decltype(&std::free)>(
        static_cast<char*>(std::aligned_alloc(256, static_cast<size_t>(bytes) + 256)), &std::free);
  };
  const auto scratch = memory(plans.bytes);
  const auto packed = memory(plans.packed);
  x.scratch = scratch.get();
  x.packed = packed.get();
  const auto run = [&x](bool loading) {
    uck_gemm now = x;
    now.loading = loading ? 1 : 0;
    if (loading) now.a.data = nullptr;
    uc_split_params params;
    uck_geometry geometry;
    for (const bool looks : {true, false}) {
      uc_split_prepare(now, true, false, kTileK, looks, &params, &geometry);
      on_cpu::launch(geometry.grid[0], [&] {
        if (looks) {
          uc_split_first<true, false>(params);
        } else {
          uc_split_both<true, false>(params);
        }
      });
    }
    return geometry.grid[0];
  };
  EXPECT_EQ(run(true), 1U * 2);  // one panel of lines, two stretches of K
  std::memset(scratch.get(), 0xff, static_cast<size_t>(plans.bytes));
  EXPECT_EQ(run(false), 9U);  // 70 rows, eight at once
  const uck_gemm y = uc_split_gemm(x, true, false, kTileK, kFirstView);
  expect_split(a, y.a, y.view[kFirstView], 1, 1, 70, 130, true, y.k / 3);
  expect_split(b, y.b, y.view[kFirstView + 1], 2, 1, 40, 130, false, y.k / 3);
}

TEST(SplitOnCpu, Batches) {
  try_split<false, true>(2, 77, 3, 130, true, false);
  try_split<true, false>(2, 4, 260, 130, false, true);
  try_split<false, false>(3, 131, 20, 75, true, true);
}

}  // namespace
