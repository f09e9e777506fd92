// The product that a convolution stands for: sizes, alignments and which result lies in line, worked out by
// hand.
#include "plan/conv_product.h"

#include <gtest/gtest.h>

#include "plan/direct_conv.h"
#include "plan/gemm2_choices.h"

namespace uc {
namespace {

View dense(Shape shape, DType type = DType::f16) {
  View out;
  out.dtype = type;
  out.shape = std::move(shape);
  out.stride.assign(out.shape.size(), 1);
  for (size_t d = out.shape.size() - 1; d-- > 0;) out.stride[d] = out.stride[d + 1] * out.shape[d + 1];
  return out;
}

// [N, H, W, C] over memory of [N, C, H, W].
View channels_first(const Shape& shape, DType type = DType::f16) {
  View out = dense(shape, type);
  const int64_t pixels = shape[1] * shape[2];
  out.stride = {pixels * shape[3], shape[2], 1, pixels};
  return out;
}

Convolution image(int64_t channels, int64_t results, int64_t size, int64_t filter) {
  Convolution out;
  out.x = dense({2, size, size, channels});
  out.w = dense({results, filter, filter, channels});
  out.stride = out.dilation = {1, 1};
  out.padding = {filter / 2, filter / 2};
  out.output_padding = {0, 0};
  out.math = Math::f16;
  out.out = {2, size, size, results};
  out.epilogue.nodes.push_back({.kind = Node::Kind::running});
  out.epilogue.views.push_back(dense(out.out));
  out.epilogue.effects.push_back({NodeId(0), 0});
  return out;
}

TEST(ConvProduct, CountsPixelsChannelsAndTaps) {
  const Contraction product = conv_product(image(64, 128, 14, 3));
  EXPECT_EQ(product.batch(), 1);
  EXPECT_EQ(product.m(), 2 * 14 * 14);
  EXPECT_EQ(product.n(), 128);
  EXPECT_EQ(product.k(), 9 * 64);
}

// Three channels times eight taps are 24 elements, and still no two of a pixel are aligned to more than one.
TEST(ConvProduct, AlignmentIsThatOfChannels) {
  EXPECT_EQ(gemm2_alignment(conv_product(image(64, 128, 14, 3)).a, 0), 8);
  EXPECT_EQ(gemm2_alignment(conv_product(image(12, 128, 14, 3)).a, 0), 4);
  Convolution three = image(3, 16, 16, 2);
  EXPECT_EQ(gemm2_alignment(conv_product(three).a, 0), 1);
  three.x.shape[3] = three.w.shape[3] = 8;  // eight of a pitch of three
  EXPECT_EQ(gemm2_alignment(conv_product(three).a, 0), 1);
  Convolution first = image(64, 128, 14, 3);
  first.x = channels_first(first.x.shape);
  EXPECT_EQ(gemm2_alignment(conv_product(first).a, 0), 1);
}

TEST(ConvProduct, GroupsAreBatches) {
  Convolution groups = image(64, 96, 14, 3);
  groups.groups = 4;
  groups.w = dense({96, 3, 3, 16});
  const Contraction product = conv_product(groups);
  EXPECT_EQ(product.batch(), 4);
  EXPECT_EQ(product.n(), 24);
  EXPECT_EQ(product.k(), 9 * 16);
  EXPECT_EQ(product.a.stride[0], 16);
  EXPECT_EQ(product.b.stride[0], 24 * 9 * 16);
  EXPECT_EQ(product.epilogue.views[0].stride, (Strides{24, 96, 1}));
}

// Channels first: 7 x 6 pixels of a channel are neighbours, so two of them move at once, but not four.
TEST(ConvProduct, ResultsWithChannelsFirstAreColumns) {
  Convolution first = image(64, 128, 6, 3);
  first.x = dense({2, 7, 6, 64});
  first.out = {2, 7, 6, 128};
  first.epilogue.views[0] = channels_first(first.out);
  EXPECT_FALSE(pixels_in_line(first));
  const Contraction product = conv_product(first);
  EXPECT_TRUE(gemm2_transposed(product));
  EXPECT_EQ(gemm2_width(product.epilogue.views[0], 1), 2);
  EXPECT_TRUE(pixels_in_line(image(64, 128, 6, 3)));
}

// Stride 2 in both directions: four classes, of which the largest of a filter of 3 x 3 meets 2 x 2 taps. An
// odd extent has one place more in the first class.
TEST(ConvProduct, TransposedOnesFallIntoClasses) {
  Convolution back = image(64, 32, 8, 3);
  back.transposed = true;
  back.stride = {2, 2};
  back.w = dense({64, 3, 3, 32});
  back.out = {2, 15, 16, 32};
  back.epilogue.views[0] = dense(back.out);
  const Contraction product = conv_product(back);
  EXPECT_EQ(product.batch(), 4);
  EXPECT_EQ(product.m(), 2 * 8 * 8);
  EXPECT_EQ(product.k(), 2 * 2 * 64);
  EXPECT_FALSE(pixels_in_line(back));
  EXPECT_EQ(gemm2_alignment(product.b, 0), 1);  // filters lie by results
}

TEST(DirectConv, DepthwiseThreadsHaveSixteenBytesOfChannels) {
  Convolution kernel = image(64, 64, 14, 3);
  kernel.groups = 64;
  kernel.w = dense({64, 3, 3, 1});
  EXPECT_TRUE(depthwise(kernel));
  EXPECT_TRUE(direct_conv(kernel).tiled);
  EXPECT_EQ(direct_conv(kernel).vector, 8);
  EXPECT_EQ(direct_conv(kernel).places, 4);
  kernel.epilogue.views[0] = channels_first(kernel.out);
  EXPECT_TRUE(direct_conv(kernel).channels_first);
  EXPECT_EQ(direct_conv(kernel).vector, 1);
}

}  // namespace
}  // namespace uc
