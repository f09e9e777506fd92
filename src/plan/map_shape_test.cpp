// How pointwise launches go over memory: dimensions that are one, accesses, and boxes that are turned.
#include "plan/map_shape.h"

#include <gtest/gtest.h>

namespace uc {
namespace {

Strides permuted(const Shape& shape, const std::vector<size_t>& outermost_first) {
  Strides out(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    out[outermost_first[i]] = step;
    step *= shape[outermost_first[i]];
  }
  return out;
}

// A copy between tensors whose dimensions lie in these orders.
Map::Body copy(const Shape& shape, DType from_type, const Strides& from, DType to_type, const Strides& to) {
  Map::Body out;
  out.domain = shape;
  out.scalar.views = {{ValueId(0), from_type, shape, from, 0}, {ValueId(1), to_type, shape, to, 0}};
  Node node;
  node.kind = Node::Kind::tensor;
  out.scalar.nodes = {node};
  out.scalar.effects = {{NodeId(0), 1}};
  return out;
}

Map::Body to_last(const Shape& shape, DType type) {
  return copy(shape, type, row_major(shape), type, permuted(shape, {0, 2, 3, 1}));
}

TEST(MapShape, DimensionsAreOrderedAsTheResultLiesAndMerged) {
  const Shape shape{2, 8, 4, 6};
  const Strides last = permuted(shape, {0, 2, 3, 1});
  const CollapsedBody same = collapse(copy(shape, DType::f32, last, DType::f32, last), 0);
  EXPECT_EQ(same.shape, (Shape{2 * 8 * 4 * 6}));
  EXPECT_EQ(same.vector, 4);
  EXPECT_FALSE(same.tile);
  const CollapsedBody turned = collapse(to_last(shape, DType::f32), 0);
  EXPECT_EQ(turned.shape, (Shape{2, 24, 8}));
  EXPECT_EQ(turned.stride[0], (Strides{192, 1, 24}));
  EXPECT_EQ(turned.stride[1], (Strides{192, 8, 1}));
  // A pixel's height counts in steps of the width, which is innermost of what is merged.
  EXPECT_EQ(turned.place[2].dim, 1U);
  EXPECT_EQ(turned.place[2].inner, 6);
  EXPECT_EQ(turned.place[3].inner, 1);
  EXPECT_EQ(turned.place[1].dim, 2U);
}

TEST(MapShape, WhatLiesOtherwiseIsTurnedInBoxes) {
  const CollapsedBody large = collapse(to_last({64, 256, 56, 56}, DType::f32), 0);
  ASSERT_TRUE(large.tile);
  EXPECT_EQ(large.tile->across, 1U);
  EXPECT_EQ(large.tile->rows, 64);
  EXPECT_EQ(large.tile->columns, 32);
  EXPECT_EQ(large.tile->batches, 1);
  ASSERT_EQ(large.tile->turned.size(), 1U);
  EXPECT_EQ(large.tile->turned[0].vector, 4);
  EXPECT_EQ(large.vector, 4);
  // Rows of 33 words: an odd number.
  EXPECT_EQ(large.tile->shared_bytes, 64 * 33 * 4);
  EXPECT_EQ(map_blocks(large, 256), 64 * (3136 / 64) * (256 / 32));
  EXPECT_EQ(tile_text(large), "turned 64 x 32");
}

TEST(MapShape, ShortEndsAreMadeUpForByLongBoxes) {
  const CollapsedBody three = collapse(to_last({4, 3, 256, 256}, DType::f32), 0);
  ASSERT_TRUE(three.tile);
  EXPECT_EQ(three.tile->columns, 3);
  EXPECT_GE(three.tile->rows, 1024);
  EXPECT_TRUE(three.tile->flat);  // pixels of three lie densely: vectors go over them
  EXPECT_EQ(three.vector, 4);
  const Shape shape{4, 256, 256, 3};
  const CollapsedBody back =
      collapse(copy(shape, DType::f16, row_major(shape), DType::f16, permuted(shape, {0, 3, 1, 2})), 0);
  ASSERT_TRUE(back.tile);
  EXPECT_EQ(back.tile->rows, 3);
  EXPECT_TRUE(back.tile->turned[0].flat);
  EXPECT_EQ(back.tile->turned[0].vector, 8);
  // Both ends short: a block has many of them.
  const Shape small{1000, 4, 8};
  const CollapsedBody many =
      collapse(copy(small, DType::f32, permuted(small, {0, 2, 1}), DType::f32, row_major(small)), 0);
  ASSERT_TRUE(many.tile);
  EXPECT_EQ(many.tile->batches, 4096 / 32);
}

TEST(MapShape, SharedMemoryHoldsEveryBox) {
  for (const DType type : {DType::i8, DType::f16, DType::f32, DType::f64}) {
    for (const int64_t channels : {2, 3, 5, 31, 64, 97, 1000}) {
      for (const int64_t pixels : {2, 3, 7, 33, 64, 500, 100000}) {
        const CollapsedBody body = collapse(to_last({3, channels, pixels, 1}, type), 0);
        ASSERT_TRUE(body.tile);
        const MapTile& tile = *body.tile;
        EXPECT_LE(tile.shared_bytes, 48 * 1024);
        EXPECT_GE(tile.shared_bytes, tile.batches * tile.rows * tile.columns * size_bytes(type));
        EXPECT_LE(tile.rows, pixels);
        EXPECT_LE(tile.columns, channels);
        EXPECT_EQ(tile.rows * tile.columns % body.vector, 0) << channels << " " << pixels;
        EXPECT_GE(map_blocks(body, 256) * tile.batches * tile.rows * tile.columns, numel(body.shape));
      }
    }
  }
}

TEST(MapShape, OddExtentsAndSlicesNarrowAccesses) {
  Map::Body body = to_last({2, 64, 8, 8}, DType::f32);
  body.scalar.views[0].offset = 2;
  EXPECT_EQ(collapse(body, 0).tile->turned[0].vector, 2);
  EXPECT_EQ(collapse(body, 0).vector, 4);
  EXPECT_EQ(collapse(body, 2).vector, 2);
  EXPECT_EQ(collapse(to_last({2, 67, 8, 8}, DType::f32), 0).vector, 4);  // rows of 67, written as one
  EXPECT_EQ(collapse(to_last({2, 259, 7, 7}, DType::f32), 0).vector, 1);
}

TEST(MapShape, SectorsThatAreReadForAnElementCount) {
  const CollapsedBody turned = collapse(to_last({2, 64, 8, 8}, DType::f32), 0);
  EXPECT_EQ(map_waste(turned, to_last({2, 64, 8, 8}, DType::f32), 0), 1);
  // Every second element, and every hundredth: half a sector, and a sector of 8 elements for each.
  const Shape line{1000};
  EXPECT_EQ(map_waste(collapse(copy(line, DType::f32, {2}, DType::f32, {1}), 0),
                      copy(line, DType::f32, {2}, DType::f32, {1}), 0),
            2);
  EXPECT_EQ(map_waste(collapse(copy(line, DType::f32, {100}, DType::f32, {1}), 0),
                      copy(line, DType::f32, {100}, DType::f32, {1}), 0),
            8);
}

}  // namespace
}  // namespace uc
