// Which parts of K tiles of triangular products go over, for many sizes: nothing that is not zero is left
// out, nothing that is zero is gone over at either end, and every tile is some block's.
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>

#include "uc_skip_range.h"

namespace {

struct Sizes {
  int64_t m, n, k;
  int32_t tile_m, tile_n, tile_k;
};

bool kept(bool from, bool to, int64_t row, int64_t column) {
  return (!from || column >= row) && (!to || column <= row);
}

// Whether some product of the tile of K is not zero and is used, by going over all of them.
bool matters(const uc_skip_bands& b, const Sizes& s, int64_t m0, int64_t n0, int64_t k0) {
  for (int64_t m = m0; m < m0 + s.tile_m; ++m) {
    for (int64_t n = n0; n < n0 + s.tile_n; ++n) {
      if (!kept(b.d_from, b.d_to, m, n)) continue;
      for (int64_t k = k0; k < std::min(k0 + s.tile_k, s.k); ++k) {
        if (kept(b.a_from, b.a_to, m, k) && kept(b.b_from, b.b_to, n, k)) return true;
      }
    }
  }
  return false;
}

TEST(SkipRange, HoldsWhatIsNotZeroAndBeginsAndEndsWithIt) {
  std::mt19937 random(11);
  const auto below = [&random](int64_t limit) { return int64_t(random() % uint64_t(limit)); };
  for (int round = 0; round < 400; ++round) {
    uc_skip_bands b{};
    for (bool* each : {&b.a_from, &b.a_to, &b.b_from, &b.b_to, &b.d_from, &b.d_to}) *each = random() % 3 == 0;
    const Sizes s{1 + below(40),          1 + below(40),          1 + below(40),
                  int32_t(4 << below(2)), int32_t(4 << below(3)), int32_t(2 << below(4))};
    const int32_t tiles = int32_t((s.k + s.tile_k - 1) / s.tile_k);
    for (int64_t m = 0; m < s.m; m += s.tile_m) {
      for (int64_t n = 0; n < s.n; n += s.tile_n) {
        const uc_skip_range range = uc_skip_needed(b, m, m + s.tile_m, n, n + s.tile_n, s.tile_k, tiles);
        // A kernel asks for the start without knowing how long K is.
        EXPECT_EQ(range.start, uc_skip_needed(b, m, m + s.tile_m, n, n + s.tile_n, s.tile_k, 1 << 24).start);
        ASSERT_GE(range.count, 1);
        for (int32_t at = 0; at < tiles; ++at) {
          const bool inside = at >= range.start && at < range.start + range.count;
          const bool needed = matters(b, s, m, n, int64_t(at) * s.tile_k);
          EXPECT_TRUE(inside || !needed) << "tile " << m << ", " << n << ", " << at;
          const bool edge = at == range.start || at == range.start + range.count - 1;
          // With a kept triangle a tile on the diagonal may have less than its corners say.
          if (inside && edge && range.count > 1 && !b.d_from && !b.d_to)
            EXPECT_TRUE(needed) << "tile " << m << ", " << n << ", " << at;
        }
      }
    }
  }
}

TEST(SkipOrder, GivesEveryTileOnceAndTheLongestFirst) {
  const auto order = std::make_unique<uc_skip_order>();
  for (const auto& [m, n, batch] :
       {std::array<int64_t, 3>{1000, 1000, 1}, {4096, 4096, 1}, {130, 700, 3}, {16384, 16384, 1}}) {
    const uc_skip_bands upper{true, false, false, true, false, false};
    order->fill(upper, m, n, m, batch, 128, 256, 64);
    for (const int64_t slots : {1, 7, 66, 132}) {
      std::set<int64_t> seen;
      for (int64_t slot = 0; slot < slots; ++slot) {
        int64_t wave = 0;
        for (int64_t at; (at = order->at(slot, wave, slots)) >= 0; ++wave) {
          EXPECT_TRUE(seen.insert(at).second) << "twice";
          EXPECT_LT(at, order->count);
        }
        EXPECT_LT(order->at(slot, wave + 1, slots), 0) << "a block stops at its first tile that is none";
      }
      EXPECT_EQ(int64_t(seen.size()), (m + 127) / 128 * ((n + 255) / 256) * batch);
    }
    if (order->count > uc_skip_order::kMost) continue;
    const auto count = [&](int64_t index) {
      const int64_t row = index / order->columns % order->rows * 128, column = index % order->columns * 256;
      return uc_skip_needed(upper, row, row + 128, column, column + 256, 64, int32_t((m + 63) / 64)).count;
    };
    const int64_t level = (m + 63) / 64 / uc_skip_order::kLevels + 1;
    for (int32_t i = 1; i < order->count; ++i)
      EXPECT_LE(count(order->place[i]), count(order->place[i - 1]) + level);
  }
}

}  // namespace
