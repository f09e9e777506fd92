#include "ops/detail/cuda_signature.h"

#include <gtest/gtest.h>

namespace uc::ops {
namespace {

constexpr std::string_view kKernel = "extern \"C\" __global__ void f(const float* x, float* y) {}\n";

void expect_kernel(const std::string& source) {
  const CudaSignature found = parse_cuda_signature(source);
  ASSERT_EQ(found.problem, "") << source;
  EXPECT_EQ(found.name, "f") << source;
  ASSERT_EQ(found.parameters.size(), 2U) << source;
  EXPECT_EQ(found.parameters[0].type, "float") << source;
  EXPECT_EQ(found.parameters[0].name, "x") << source;
  EXPECT_TRUE(found.parameters[0].is_const) << source;
  EXPECT_EQ(found.parameters[1].name, "y") << source;
}

TEST(CudaSignature, DigitSeparatorsOpenNoLiteral) {
  for (const char* number : {"1'000", "1'000'000", "0x1'ffff", "0b1'0", "1.5'0e3", ".1'5f", "10'000ull"})
    expect_kernel(std::string("constexpr auto n = ") + number + ";\n" + std::string(kKernel));
}

TEST(CudaSignature, CharactersAreNotLookedInto) {
  for (const char* character : {"'\"'", "'\\''", "L'\"'", "u8'('", "'a'"})
    expect_kernel(std::string("constexpr auto c = ") + character + ";\n" + std::string(kKernel));
}

TEST(CudaSignature, RawStringsEndAtTheirDelimiter) {
  for (const char* text : {R"x(R"(")")x", R"x(R"(__global__ \)")x", R"x(R"ab()" __global__ )ab")x",
                           R"x(LR"(')")x", R"x(u8R"(/*)")x", R"x("\"__global__")x"})
    expect_kernel(std::string("const auto* s = ") + text + ";\n" + std::string(kKernel));
}

// A name that ends in R is no prefix: the string has escapes.
TEST(CudaSignature, OtherNamesBeforeAStringArePlain) {
  expect_kernel("#define FOR\nconst char* s = FOR\"(\\\"\";\n" + std::string(kKernel));
}

TEST(CudaSignature, LiteralsWithoutAnEndHideTheRest) {
  for (const char* open : {"R\"(", "R\"x(a)\"", "\"abc", "\"abc\\", "'", "/* "}) {
    EXPECT_NE(parse_cuda_signature(open + std::string(kKernel)).problem, "") << open;
    EXPECT_EQ(parse_cuda_signature(std::string(kKernel) + open).problem, "") << open;
  }
}

}  // namespace
}  // namespace uc::ops
