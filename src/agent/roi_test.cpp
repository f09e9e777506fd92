#include "agent/roi.h"

#include <gtest/gtest.h>

namespace uc {
namespace {

// By hand from ROI(h) = S^(1 + max(0, log10(g / 5))) / (R_impl R_perf).
TEST(Roi, FollowsTheFormula) {
  EXPECT_DOUBLE_EQ(roi(2.0, 1.0, 1, 1), 2.0);  // below g = 5 the exponent is 1
  EXPECT_DOUBLE_EQ(roi(2.0, 5.0, 1, 1), 2.0);
  EXPECT_DOUBLE_EQ(roi(2.0, 50.0, 1, 1), 4.0);   // log10(10) = 1: squared
  EXPECT_DOUBLE_EQ(roi(2.0, 500.0, 2, 4), 1.0);  // cubed, over 8
  EXPECT_DOUBLE_EQ(roi(1.5, 2.0, 3, 1), 0.5);
}

TEST(Roi, ClampsRisksAndBearsOddGaps) {
  EXPECT_DOUBLE_EQ(roi(3.0, 1.0, 0, 9), roi(3.0, 1.0, 1, 5));
  EXPECT_DOUBLE_EQ(roi(3.0, 0.0, 1, 1), 3.0);
  EXPECT_DOUBLE_EQ(roi(-1.0, 1.0, 1, 1), 0.0);
}

TEST(Roi, ASweepOfOneGainsNothingAndMoreGainMore) {
  EXPECT_DOUBLE_EQ(expected_sweep_gain(1), 1.0);
  EXPECT_GT(expected_sweep_gain(8), 1.05);
  EXPECT_LT(expected_sweep_gain(8), 1.25);
  EXPECT_GT(expected_sweep_gain(16), expected_sweep_gain(8));
}

}  // namespace
}  // namespace uc
