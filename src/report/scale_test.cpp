#include "report/scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/axes.h"
#include "report/labels.h"

namespace uc {
namespace {

using testing::ElementsAre;

std::vector<double> labelled(const LogScale& scale) {
  std::vector<double> out;
  for (const Tick& each : scale.ticks()) {
    if (each.major) out.push_back(each.value);
  }
  return out;
}

TEST(LogScale, EqualRatiosAreEquallyFar) {
  const LogScale scale(1, 10000, 0, 400);  // 100 a decade
  EXPECT_DOUBLE_EQ(scale(1), 0);
  EXPECT_DOUBLE_EQ(scale(100), 200);
  EXPECT_NEAR(scale(2), 30.103, 1e-3);  // log10(2)
  EXPECT_NEAR(scale(5000), 369.897, 1e-3);
  EXPECT_NEAR(scale(0.1), -100, 1e-9);
  EXPECT_NEAR(scale.at(250), 316.2278, 1e-3);  // 10^2.5
}

TEST(LogScale, RunsBackwardsForHeights) {
  const LogScale scale(10, 1000, 300, 100);
  EXPECT_DOUBLE_EQ(scale(10), 300);
  EXPECT_DOUBLE_EQ(scale(100), 200);
  EXPECT_DOUBLE_EQ(scale(1000), 100);
}

TEST(LogScale, ManyDecadesAreLabelledAtPowersOfTen) {
  const LogScale scale(1, 1000, 0, 1);
  EXPECT_THAT(labelled(scale), ElementsAre(1, 10, 100, 1000));
  EXPECT_EQ(scale.ticks().size(), 28u);  // 9 a decade and the end
}

TEST(LogScale, FewDecadesAreLabelledAtOneTwoFive) {
  EXPECT_THAT(labelled(LogScale(20, 500, 0, 1)), ElementsAre(20, 50, 100, 200, 500));
  EXPECT_THAT(labelled(LogScale(0.2, 1, 0, 1)), ElementsAre(0.2, 0.5, 1));
}

TEST(LogScale, EndsAreKeptDespiteRounding) {
  EXPECT_THAT(labelled(LogScale(1e-6, 1e-3, 0, 1)),
              ElementsAre(testing::DoubleEq(1e-6), testing::DoubleEq(1e-5), testing::DoubleEq(1e-4),
                          testing::DoubleEq(1e-3)));
}

TEST(NiceRange, MovesOutwardToOneTwoFive) {
  const Range range = nice_range({3.1, 7, 4300}, 10);
  EXPECT_DOUBLE_EQ(range.low, 2);
  EXPECT_DOUBLE_EQ(range.high, 5000);
  const Range exact = nice_range({2, 5000}, 10);
  EXPECT_DOUBLE_EQ(exact.low, 2);
  EXPECT_DOUBLE_EQ(exact.high, 5000);
}

TEST(NiceRange, ASinglePointGetsRoom) {
  const Range range = nice_range({42}, 100);
  EXPECT_LE(range.low, 42);
  EXPECT_GE(range.high, 42);
  EXPECT_GE(range.high / range.low, 99.999);
}

TEST(NiceRange, NothingAndZerosHaveARangeToo) {
  EXPECT_DOUBLE_EQ(nice_range({}, 100).low, 1);
  EXPECT_DOUBLE_EQ(nice_range({0, 0}, 100).high, 100);
}

TEST(Frame, ALineLeavesAtTheNearerEdge) {
  const svg::Frame frame{LogScale(1, 100, 0, 200), LogScale(1, 1000, 300, 0)};
  const svg::Point diagonal = frame.exit({1, 1}, {10, 10});  // reaches 100 at the right edge
  EXPECT_DOUBLE_EQ(diagonal.x, 200);
  EXPECT_NEAR(diagonal.y, 100, 1e-9);
  const svg::Point steep = frame.exit({1, 100}, {10, 1000});  // reaches 1000 where x is 10
  EXPECT_NEAR(steep.x, 100, 1e-9);
  EXPECT_DOUBLE_EQ(steep.y, 0);
}

TEST(Labels, NeverCoverOneAnotherAndAreLeftOutWithoutRoom) {
  svg::LabelPlacer labels({0, 0, 100, 30});
  labels.block_point({50, 15}, 4);
  size_t placed = 0;
  for (int i = 0; i < 20; ++i) placed += labels.place({50, 15}, 6, "label", 10, "").has_value() ? 1 : 0;
  EXPECT_GE(placed, 2u);
  EXPECT_LE(placed, 6u);
}

}  // namespace
}  // namespace uc
