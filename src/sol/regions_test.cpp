// How many elements views name together: against sets of addresses.
#include "sol/regions.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace uc::sol {
namespace {

Value memory(Shape shape) {
  Value out;
  out.shape = std::move(shape);
  out.stride = row_major(out.shape);
  return out;
}

Value cut(Value view, size_t dim, int64_t start, int64_t count, int64_t step = 1) {
  view.offset += start * view.stride[dim];
  view.shape[dim] = count;
  view.stride[dim] *= step;
  return view;
}

void addresses(const Value& view, std::set<int64_t>& into) {
  std::vector<int64_t> at(view.shape.size(), 0);
  for (int64_t i = 0; i < numel(view.shape); ++i) {
    int64_t rest = i;
    int64_t address = view.offset;
    for (size_t d = view.shape.size(); d-- > 0; rest /= view.shape[d])
      address += rest % view.shape[d] * view.stride[d];
    into.insert(address);
  }
}

double by_hand(const std::vector<Value>& views) {
  std::set<int64_t> all;
  for (const Value& view : views) addresses(view, all);
  return static_cast<double>(all.size());
}

double counted(const Value& root, const std::vector<Value>& views) {
  std::vector<const Value*> pointers;
  for (const Value& view : views) pointers.push_back(&view);
  return distinct_elements(root, pointers);
}

TEST(Regions, OverlappingSlicesAreCountedOnce) {
  // Rows 0-5 and 4-9 of ten rows of 8: all 80 elements; 0-3 and 2-5: six rows.
  const Value x = memory({10, 8});
  EXPECT_EQ(counted(x, {cut(x, 0, 0, 6), cut(x, 0, 4, 6)}), 80);
  EXPECT_EQ(counted(x, {cut(x, 0, 0, 4), cut(x, 0, 2, 4)}), 48);
  // A row and a column meet in one element: 8 + 10 - 1.
  EXPECT_EQ(counted(x, {cut(x, 0, 3, 1), cut(x, 1, 5, 1)}), 17);
}

TEST(Regions, BroadcastAndReversedDimensionsNameTheSameElements) {
  Value x = memory({4, 6});
  Value wide = x;
  wide.shape = {5, 4, 6};
  wide.stride = {0, 6, 1};
  EXPECT_EQ(distinct_elements(wide), 24);
  Value back = cut(x, 1, 5, 3, -1);  // columns 5, 4, 3
  EXPECT_EQ(counted(x, {back, cut(x, 1, 3, 3)}), 12);
  EXPECT_EQ(counted(x, {back, cut(x, 1, 0, 3)}), 24);
}

TEST(Regions, SplitMergedAndStridedDimensions) {
  // 4 x 12 seen as 4 x 3 x 4: its middle part and the whole's columns 4-7 are the same.
  const Value x = memory({4, 12});
  Value split = x;
  split.shape = {4, 3, 4};
  split.stride = {12, 4, 1};
  EXPECT_EQ(counted(x, {cut(split, 1, 1, 1), cut(split, 2, 0, 2)}),
            by_hand({cut(split, 1, 1, 1), cut(split, 2, 0, 2)}));
  // Even columns with odd ones: everything.
  EXPECT_EQ(counted(x, {cut(x, 1, 0, 6, 2), cut(x, 1, 1, 6, 2)}), 48);
}

TEST(Regions, SlidingWindowsAreNotCountedTwice) {
  // Eight windows of three, one apart, of ten elements: at most ten.
  Value windows = memory({10});
  windows.shape = {8, 3};
  windows.stride = {1, 1};
  EXPECT_LE(distinct_elements(windows), 10);
  EXPECT_GE(distinct_elements(windows), 8);
}

// Never more than a set of addresses has, and exact for slices of the memory's own dimensions.
TEST(Regions, RandomViewsAgainstSets) {
  std::mt19937 random(5);
  const auto below = [&](int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    const Value x = memory({1 + below(6), 1 + below(6), 1 + below(8)});
    const bool stepped = round % 2 == 1;
    std::vector<Value> views;
    for (int64_t i = 0; i <= below(4); ++i) {
      Value view = x;
      for (size_t d = 0; d < 3; ++d) {
        const int64_t start = below(x.shape[d]);
        const int64_t step = stepped ? 1 + below(3) : 1;
        view = cut(view, d, start, 1 + below((x.shape[d] - start + step - 1) / step), step);
      }
      if (below(2) == 1) {
        std::swap(view.shape[0], view.shape[2]);
        std::swap(view.stride[0], view.stride[2]);
      }
      views.push_back(view);
    }
    const double exact = by_hand(views);
    if (stepped) {
      EXPECT_LE(counted(x, views), exact);
    } else {
      EXPECT_EQ(counted(x, views), exact);
    }
  }
}

TEST(Regions, ThousandsOfSlicesTakeNoTime) {
  // 512 time steps of a sequence, each read alone: the whole.
  const Value x = memory({512, 10, 128});
  std::vector<Value> views;
  for (int64_t t = 0; t < 512; ++t) views.push_back(cut(x, 0, t, 1));
  EXPECT_EQ(counted(x, views), 512.0 * 10 * 128);
}

}  // namespace
}  // namespace uc::sol
