#include "emit/size_formula.h"

#include <gtest/gtest.h>

namespace uc {
namespace {

template <class F>
std::optional<SizeFormula> fitted(const SizeGrid& grid, F f) {
  std::vector<int64_t> values;
  for (const auto& point : grid.points()) values.push_back(f(point));
  return SizeFormula::through(grid, values);
}

using Sizes = std::vector<int64_t>;

TEST(SizeFormula, FindsWhatValuesAreMadeOf) {
  const SizeGrid grid{{{16, 24, 40}, {8, 24, 56}}};
  const auto constant = fitted(grid, [](const Sizes&) { return 4096; });
  EXPECT_EQ(constant->text(), "4096");
  EXPECT_EQ(fitted(grid, [](const Sizes&) { return 0; })->text(), "0");
  EXPECT_EQ(fitted(grid, [](const Sizes& d) { return d[0]; })->text(), "d[0]");
  EXPECT_EQ(fitted(grid, [](const Sizes& d) { return 64 * d[0] * d[1] + 128; })->text(),
            "64 * d[0] * d[1] + 128");
  EXPECT_EQ(fitted(grid, [](const Sizes& d) { return d[0] - d[1]; })->text(), "d[0] - d[1]");
  EXPECT_EQ(fitted(grid, [](const Sizes& d) { return d[0] * d[0] * 3 / 8; })->text(),
            "(3 * d[0] * d[0]) / 8");
}

TEST(SizeFormula, HoldsElsewhere) {
  const SizeGrid grid{{{1000, 1008, 1024}, {2, 3, 4}, {640}}};
  const auto formula =
      fitted(grid, [](const Sizes& d) { return d[0] * d[1] * d[1] * 5 + d[0] * d[2] / 8 - 7; });
  ASSERT_TRUE(formula);
  EXPECT_EQ(formula->at({8192, 77, 640}), 8192LL * 77 * 77 * 5 + 8192 * 640 / 8 - 7);
  EXPECT_EQ(formula->at({INT64_MAX / 2, 77, 640}), std::nullopt);
}

TEST(SizeFormula, IsNotFoundForWhatIsNone) {
  const SizeGrid grid{{{16, 24, 40}}};
  const auto rounded = fitted(grid, [](const Sizes& d) { return (d[0] + 9) / 10 * 10; });
  EXPECT_FALSE(rounded && rounded->at({17}) == 20);  // any polynomial through three points is wrong between
  const auto halved = fitted(grid, [](const Sizes& d) { return d[0] / 8; });
  EXPECT_EQ(halved->at({17}), std::nullopt);  // something would be left over
}

}  // namespace
}  // namespace uc
