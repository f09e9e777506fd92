// Operands of convolutions with their channels last: the meaning stays, and so do the results' layouts.
#include "rewrites/testing.h"

namespace uc::rewrites {
namespace {

using namespace testing;

constexpr std::string_view kNetwork =
    "target sm_90a\nprecision tf32\ninput x: f32[2, 6, 9, 8]\nparam W: f32[4, 6, 3, 3]\nparam b: f32[4]\n"
    "param V: f32[4, 5, 2, 2]\nc = conv2d(x, W, padding=1) >> bias(b) >> relu()\n"
    "y = conv_transpose2d(c, V, stride=2)\nreturn y\n";

TEST(ChannelsLast, CopiesInputsAndFilters) {
  const Program before = program(std::string(kNetwork));
  const Program after = exhaust("channels-last", before);
  const std::string text = print(catalog(), after);
  EXPECT_NE(text.find("to(x, nhwc)"), std::string::npos) << text;
  EXPECT_NE(text.find("to(W, nhwc)"), std::string::npos) << text;
  EXPECT_NE(text.find("to(permute(V, [1, 0, 2, 3]), nhwc)"), std::string::npos) << text;
  for (const Step& step : after.steps) {
    if (!step.main || after[step.main].spec->family != "conv") continue;
    EXPECT_EQ(after[after[step.main].in[0]].stride[1], 1) << text;
  }
  EXPECT_EQ(after[after.results[0]].stride, before[before.results[0]].stride) << text;
  EXPECT_LT(distance(run(after, 3), run(before, 3)), 1e-6) << text;
}

TEST(ChannelsLast, AConversionThatIsThereTakesTheLayout) {
  const Program before = program(
      "target sm_90a\nprecision f16\ninput x: f32[2, 6, 9, 8]\nparam W: f16[4, 6, 3, 3] @nhwc\n"
      "h = to(x, f16)\ny = conv2d(h, W)\nreturn y\n");
  const Program after = exhaust("channels-last", before);
  EXPECT_EQ(after.steps.size(), before.steps.size());
  EXPECT_NE(print(catalog(), after).find("to(x, f16, nhwc)"), std::string::npos) << print(catalog(), after);
  EXPECT_EQ(after[after.results[0]].stride, before[before.results[0]].stride);
}

TEST(ChannelsLast, FiltersOfSingleChannelsLieSideBySide) {
  const Program before = program(
      "target sm_90a\ninput x: f16[2, 16, 9, 8] @nhwc\nparam W: f16[16, 1, 3, 2]\n"
      "y = conv2d(x, W, groups=16)\nreturn y\n");
  const Program after = exhaust("channels-last", before);
  const std::string text = print(catalog(), after);
  EXPECT_NE(text.find("to(permute(W, [2, 3, 1, 0]), row)"), std::string::npos) << text;
  const Value& filters = after[after[after.steps.back().main].in[1]];
  EXPECT_EQ(filters.shape, (Shape{16, 1, 3, 2})) << text;
  EXPECT_EQ(filters.stride[0], 1) << text;
  EXPECT_LT(distance(run(after, 3), run(before, 3)), 1e-6) << text;
}

TEST(ChannelsLast, LeavesWhatIsAsItShouldBe) {
  const std::string good =
      "target sm_90a\ninput x: f16[2, 8, 9, 8] @nhwc\nparam W: f16[8, 8, 3, 3] @nhwc\nparam D: f16[8, 1, 3, "
      "3] @strides(1, 8, 24, 8)\n"
      "a = conv2d(x, W)\ny = conv2d(a, D, groups=8)\nreturn y\n";
  EXPECT_TRUE(row("channels-last").find(program(good), context(Precision::f16)).empty());
}

}  // namespace
}  // namespace uc::rewrites
