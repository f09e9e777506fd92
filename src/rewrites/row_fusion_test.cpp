#include <gmock/gmock.h>

#include "rewrites/testing.h"

namespace uc::rewrites {
namespace {

using namespace testing;

constexpr const char* kHead = "target sm_90a\nprecision tf32\n\ninput x: f32[6, 32]\nparam b: f32[32]\n\n";

std::string text(const Program& of) { return print(catalog(), of); }

void expect(std::string_view id, const std::string& before, const std::string& after) {
  const Program from = program(kHead + before);
  const Program changed = exhaust(id, from);
  EXPECT_EQ(text(changed), text(program(kHead + after))) << id;
  EXPECT_EQ(distance(run(changed, 1), run(from, 1)), 0) << "the same bits";
}

TEST(FuseBehindRows, TakesAChainIn) {
  expect("fuse-behind-rows", "t = softmax(x)\nu = leaky_relu(t)\ny = u * 2.0\nreturn y\n",
         "y = softmax(x) >> leaky_relu() >> mul(2.0)\nreturn y\n");
  expect("fuse-behind-rows", "t = sum(x, dim=1)\ny = sqrt(abs(t))\nreturn y\n",
         "y = sum(x, dim=1) >> map(sqrt(abs(it)))\nreturn y\n");
}

TEST(FuseBehindRows, LeavesWhatOthersReadAndWhatBroadcasts) {
  for (const char* steps : {"t = softmax(x)\ny = relu(t)\nreturn t, y\n",
                            "t = sum(x, dim=1, keepdim=true)\ny = x - t\nreturn y\n"}) {
    EXPECT_TRUE(
        row("fuse-behind-rows").find(program(std::string(kHead) + steps), context(Precision::f16)).empty())
        << steps;
  }
}

TEST(FuseBeforeRows, ComputesInside) {
  expect("fuse-before-rows", "t = x * 0.125\ny = softmax(t)\nreturn y\n",
         "y = softmax(x * 0.125)\nreturn y\n");
  expect("fuse-before-rows", "t = relu(x) >> add(b)\ny = layer_norm(t, b, b) >> silu()\nreturn y\n",
         "y = layer_norm(relu(x) + b, b, b) >> silu()\nreturn y\n");
}

TEST(FuseBeforeRows, KeepsTheRoundingOfMemory) {
  const std::string before =
      "target sm_90a\ninput x: f16[6, 32]\nt = x * 0.3\ny = sum(t, dim=1) >> to(f32)\nreturn y\n";
  const Program fused = exhaust("fuse-before-rows", program(before));
  EXPECT_EQ(fused.steps.size(), 1U);
  EXPECT_THAT(text(fused), ::testing::HasSubstr("sum(to(x * 0.3, f16), dim=1)"));
  EXPECT_EQ(distance(run(fused, 1), run(program(before), 1)), 0);
}

TEST(FuseBeforeRows, LeavesWhatOthersRead) {
  for (const char* steps :
       {"t = relu(x)\ny = softmax(t)\nreturn t, y\n", "t = relu(x)\ny = softmax(t) >> mul(t)\nreturn y\n"}) {
    EXPECT_TRUE(
        row("fuse-before-rows").find(program(std::string(kHead) + steps), context(Precision::f16)).empty())
        << steps;
  }
}

// ---- behind products

constexpr const char* kProduct =
    "target sm_90a\nprecision f16\n\ninput x: f16[6, 32]\nparam w: f16[64, 32]\nparam b: f32[64]\n\n";

std::string behind(const std::string& steps) {
  const Program from = program(kProduct + steps);
  const Program changed = exhaust("fuse-rows-behind-product", from);
  EXPECT_EQ(distance(run(changed, 1), run(from, 1)), 0) << "the same bits";
  const std::string after = text(changed);
  return after.substr(after.find("y = "));
}

TEST(FuseRowsBehindProduct, TakesTheNormAndItsChain) {
  EXPECT_EQ(behind("t = linear(x, w) >> bias(b) >> to(f32)\ny = softmax(t) >> mul(2.0)\nreturn y\n"),
            "y = linear(x, w) >> bias(b) >> to(f32) >> softmax() >> mul(2.0)\nreturn y\n");
  EXPECT_EQ(behind("t = linear(x, w) >> to(f32)\ny = group_norm(t, 4, b, b) >> silu()\nreturn y\n"),
            "y = linear(x, w) >> to(f32) >> group_norm(4, b, b) >> silu()\nreturn y\n");
  EXPECT_EQ(behind("t = linear(x, w) >> to(f32)\ny = logsumexp(t, dim=1)\nreturn y\n"),
            "y = linear(x, w) >> to(f32) >> logsumexp(dim=1)\nreturn y\n");
}

TEST(FuseRowsBehindProduct, KeepsTheRoundingOfMemory) {
  EXPECT_EQ(behind("t = linear(x, w)\ny = softmax(t)\nreturn y\n"),
            "y = linear(x, w) >> to(f16) >> softmax()\nreturn y\n");
}

TEST(FuseRowsBehindProduct, TileAndClusterAreChosenAnew) {
  EXPECT_EQ(
      behind(
          "t = linear(x, w).tile(128x256x64).cluster(2x1).align(16) >> to(f32)\ny = softmax(t)\nreturn y\n"),
      "y = linear(x, w).align(16) >> to(f32) >> softmax()\nreturn y\n");
}

TEST(FuseRowsBehindProduct, LeavesWhatNoClusterHoldsAndWhatOthersRead) {
  for (const char* steps : {
           "t = linear(x, w)\ny = softmax(t)\nreturn t, y\n",
           "t = linear(x, w)\ny = softmax(t) >> mul(t)\nreturn y\n",
           "t = linear(x, w)\ny = softmax(t, dim=0)\nreturn y\n",
           "t = linear(x, w)\ny = group_norm(t, 16)\nreturn y\n",
           "t = linear(x, w)\ny = sum(t, dim=1)\nreturn y\n",
       }) {
    EXPECT_TRUE(row("fuse-rows-behind-product")
                    .find(program(std::string(kProduct) + steps), context(Precision::f16))
                    .empty())
        << steps;
  }
  const std::string wide =
      "target sm_90a\ninput x: f16[8, 32]\nparam w: f16[8192, 32]\nt = linear(x, w)\ny = softmax(t)\nreturn "
      "y\n";
  EXPECT_TRUE(row("fuse-rows-behind-product").find(program(wide), context(Precision::f16)).empty());
}

}  // namespace
}  // namespace uc::rewrites
