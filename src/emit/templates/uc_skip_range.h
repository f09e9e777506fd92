// Which tiles of K a tile of the result needs where operands are triangular, and in which order such tiles are given to
// blocks; plain C++.
#ifndef UC_SKIP_RANGE_H
#define UC_SKIP_RANGE_H
#include <stdint.h>

#if !defined(UC_FN)
#if defined(__CUDACC__)
#define UC_FN __host__ __device__ __forceinline__
#else
#define UC_FN inline
#endif
#endif

// A matrix is zero (D: not used) but where its column is at least its row (from), and at most its row (to). A is [M, K],
// B is [N, K], D is [M, N].
struct uc_skip_bands {
  bool a_from, a_to, b_from, b_to, d_from, d_to;
};

struct uc_skip_range {
  int32_t start, count;  // tiles of K; at least one, so that accumulators are written
};

// Rows m to m_end of A meet rows n to n_end of B; `tiles` of K there are.
UC_FN uc_skip_range uc_skip_needed(uc_skip_bands bands, int64_t m, int64_t m_end, int64_t n, int64_t n_end,
                                        int32_t tile_k, int32_t tiles) {
  int64_t start = 0, end = tiles;
  const auto later = [&start](int64_t at) { start = at > start ? at : start; };
  const auto sooner = [&end](int64_t at) { end = at < end ? at : end; };
  if (bands.a_from) later(m / tile_k);
  if (bands.b_from) later(n / tile_k);
  if (bands.a_to) sooner((m_end + tile_k - 1) / tile_k);
  if (bands.b_to) sooner((n_end + tile_k - 1) / tile_k);
  const bool unused = (bands.d_from && n_end <= m) || (bands.d_to && m_end <= n);
  if (unused || end < start + 1) end = start + 1;
  return {int32_t(start), int32_t(end - start)};
}

// Tiles (clusters of them) of a product by falling number of tiles of K, roughly, so that the longest are begun first;
// beyond kMost in their own order. What lies close together stays close together.
struct uc_skip_order {
  static constexpr int kMost = 2048, kLevels = 16;
  int32_t rows, columns, count;  // of clusters; count over all matrices of the batch
  uint16_t place[kMost];

  // A wave of blocks is followed by one in the opposite order: who had the longest tile gets the shortest.
  UC_FN int64_t at(int64_t slot, int64_t wave, int64_t slots) const {
    const int64_t position = wave * slots + (wave % 2 == 0 ? slot : slots - 1 - slot);
    if (position >= count) return -1;
    return count > kMost ? position : place[position];
  }

  void fill(uc_skip_bands bands, int64_t m, int64_t n, int64_t k, int64_t batch, int64_t tile_m, int64_t tile_n,
            int32_t tile_k) {
    rows = int32_t((m + tile_m - 1) / tile_m);
    columns = int32_t((n + tile_n - 1) / tile_n);
    const int64_t all = int64_t(rows) * columns * batch;
    count = int32_t(all);
    if (all > kMost) return;
    const int32_t tiles = int32_t((k + tile_k - 1) / tile_k);
    int32_t first[kLevels + 1] = {};
    const auto level = [&](int64_t index) {
      const int64_t row = index / columns % rows, column = index % columns;
      const uc_skip_range range = uc_skip_needed(bands, row * tile_m, (row + 1) * tile_m, column * tile_n,
                                                 (column + 1) * tile_n, tile_k, tiles);
      const int64_t all_of_k = tiles < 1 ? 1 : tiles;
      const int64_t of = (int64_t(range.count) * kLevels - 1) / all_of_k;
      return kLevels - 1 - int(of < kLevels ? of : kLevels - 1);
    };
    for (int64_t i = 0; i < all; ++i) ++first[level(i) + 1];
    for (int l = 0; l < kLevels; ++l) first[l + 1] += first[l];
    for (int64_t i = 0; i < all; ++i) place[first[level(i)]++] = uint16_t(i);
  }
};
#endif
