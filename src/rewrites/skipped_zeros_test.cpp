#include <gmock/gmock.h>

#include "rewrites/testing.h"

namespace uc::rewrites {
namespace {

using namespace testing;

constexpr const char* kHead =
    "target sm_90a\nprecision f16\ninput a: f16[512, 512] @upper\ninput b: f16[512, 512] @upper\ninput c: "
    "f16[512, 512]\n";

std::string text(const Program& of) { return print(catalog(), of); }
Program with(const std::string& steps) { return program(kHead + steps); }
size_t sites(const std::string& steps) {
  return row("skip-zeros").find(with(steps), context(Precision::f16)).size();
}

TEST(SkipZeros, IsProposedWhereATriangleIs) {
  const Program after = exhaust("skip-zeros", with("y = gemm(a, b) >> triu()\nreturn y\n"));
  EXPECT_EQ(text(after), text(with("y = gemm(a, b).skip(zeros) >> triu()\nreturn y\n")));
  EXPECT_EQ(sites("y = gemm(c, b)\nreturn y\n"), 1U);
  EXPECT_EQ(sites("y = gemm(transpose(a), c)\nreturn y\n"), 1U);
  EXPECT_EQ(sites("y = gemm(c, c) >> tril()\nreturn y\n"), 1U);
}

TEST(SkipZeros, IsNotProposedWhereNothingIsZero) {
  EXPECT_EQ(sites("y = gemm(c, c)\nreturn y\n"), 0U);
  EXPECT_EQ(sites("z, y = gemm(c, c) >> store(f16) >> triu()\nreturn z, y\n"), 0U);
  EXPECT_EQ(sites("y = gemm(a, b).skip(zeros)\nreturn y\n"), 0U);
}

TEST(SkipZeros, DropsKnobsThatDoNotGoWithIt) {
  const Program after =
      exhaust("skip-zeros",
              with("y = gemm(a, b).tile(128x128x64).cluster(2x1).schedule(pingpong).swizzle(2)\nreturn y\n"));
  EXPECT_EQ(text(after), text(with("y = gemm(a, b).tile(128x128x64).cluster(2x1).skip(zeros)\nreturn y\n")));
}

}  // namespace
}  // namespace uc::rewrites
