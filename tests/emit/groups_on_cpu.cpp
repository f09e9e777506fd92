// Where tiles of groups of rows begin, for many ends: each row is in one tile of its own group for every
// column of tiles.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

#include "uc_groups_walk.h"

namespace {

using Shape = uc_groups_shape<int32_t>;

// The group of each row; `count` where there is none.
std::vector<int32_t> groups_of(const std::vector<int32_t>& ends, int32_t rows) {
  std::vector<int32_t> out(size_t(rows), int32_t(ends.size()));
  int32_t begin = 0;
  for (size_t g = 0; g < ends.size(); ++g) {
    const int32_t end = std::clamp(ends[g], begin, rows);
    for (; begin < end; ++begin) out[size_t(begin)] = int32_t(g);
  }
  return out;
}

void check(const std::vector<int32_t>& ends, int32_t rows, int32_t tile, int32_t columns, int64_t blocks) {
  const Shape shape{ends.data(), int32_t(ends.size()), rows, tile, columns};
  const std::vector<int32_t> groups = groups_of(ends, rows);
  std::map<std::pair<int32_t, int32_t>, int> seen;  // (row, column)
  for (int64_t block = 0; block < blocks; ++block) {
    uc_groups_walk walk;
    for (int64_t at = block; walk.to(shape, at); at += blocks) {
      const uc_groups_place place = walk.place(shape, at);
      ASSERT_LT(place.row, rows);
      ASSERT_LT(place.column, columns);
      ASSERT_EQ(place.group, groups[size_t(place.row)]);
      for (int32_t row = place.row; row < std::min(rows, place.row + tile); ++row) {
        if (groups[size_t(row)] == place.group) ++seen[{row, place.column}];
      }
    }
  }
  EXPECT_EQ(seen.size(), size_t(rows) * size_t(columns));
  for (const auto& [where, times] : seen) EXPECT_EQ(times, 1) << where.first << ", " << where.second;
}

TEST(Groups, EveryRowIsInOneTileOfItsGroup) {
  check({4, 4, 9}, 9, 4, 2, 3);            // an empty one
  check({5}, 12, 4, 1, 2);                 // rows of no group
  check({0, 0, 0}, 7, 4, 3, 5);            // nothing but these
  check({9, 3, 20, -4, 50}, 30, 8, 2, 4);  // ends that decrease and pass the last row
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<int32_t> ends(1 + random() % 90);
    const int32_t rows = 1 + int32_t(random() % 300);
    for (int32_t& end : ends) end = int32_t(random() % uint32_t(rows + 9)) - 4;
    if (random() % 4 != 0) std::ranges::sort(ends);
    check(ends, rows, 1 + int32_t(random() % 40), 1 + int32_t(random() % 3), 1 + int64_t(random() % 20));
  }
}

}  // namespace
