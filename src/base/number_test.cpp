#include "base/number.h"

#include <gtest/gtest.h>

namespace uc {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Number, FloatsBecomeIntegersTowardZero) {
  EXPECT_EQ(to_integer(2.9), 2);
  EXPECT_EQ(to_integer(-2.9), -2);
  EXPECT_EQ(to_integer(9.007199254740992e15), 9'007'199'254'740'992);
}

TEST(Number, WhatNoIntegerHoldsBecomesTheNearest) {
  EXPECT_EQ(to_integer(1e30), INT64_MAX);
  EXPECT_EQ(to_integer(0x1p63), INT64_MAX);
  EXPECT_EQ(to_integer(kInfinity), INT64_MAX);
  EXPECT_EQ(to_integer(-1e30), INT64_MIN);
  EXPECT_EQ(to_integer(-0x1p63), INT64_MIN);
  EXPECT_EQ(to_integer(-kInfinity), INT64_MIN);
  EXPECT_EQ(to_integer(kNan), 0);
}

TEST(Number, ElementsKeepWhatTheirTypeHolds) {
  EXPECT_EQ(element_as<float>(int64_t{7}), 7.0F);
  EXPECT_EQ(element_as<int64_t>(-7.5F), -7);
  EXPECT_EQ(element_as<double>(0.1), 0.1);
}

}  // namespace
}  // namespace uc
