// Named dimensions: what they make legal, what they refuse, and that a program runs at the sizes it is given.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/resolve.h"
#include "check/testing_rows.h"
#include "diag/render.h"
#include "exec/execute.h"
#include "exec/random.h"
#include "syntax/parser.h"
#include "syntax/print.h"

namespace uc {
namespace {

using testing_rows::catalog;

Program resolved(const std::string& source, DiagSink& diags) {
  return resolve(catalog(), parse(source, diags), diags);
}

std::vector<std::string> ids(const std::string& source) {
  DiagSink diags;
  resolved(source, diags);
  std::vector<std::string> out;
  for (const Diag& diag : diags.sorted()) {
    if (diag.severity != Severity::error) continue;
    out.push_back(diag.id);
    EXPECT_FALSE(diag.help.empty()) << render_text(diags.sorted(), source, "a.uc");
  }
  return out;
}

using Ids = std::vector<std::string>;

constexpr const char* kProgram =
    "target sm_90a\ndim m = 8..64 step 8\ndim n = 1..16\ninput x: f32[m, 4]\ninput w: f32[4, 2*n]\ninput v: "
    "f32[2*n]\n"
    "y = gemm(x, w) >> add(v)\nt = reshape(y, [m, n, 2])\nz = total(t, dim=2)\nreturn y, z\n";

TEST(NamedDims, ProductsBeyondEveryIntegerAreNoSizes) {
  const std::string source =
      "target sm_90a\ndim N = 1..4294967297\ninput x: f32[4294967296*N, 4]\ny = relu(x)\nreturn y\n";
  EXPECT_EQ(ids(source), std::vector<std::string>{"UC1114"});
}

// An integer argument holds 64 bits, and 10 ** 30 does not fit.
TEST(Numbers, BeyondTheIntegersAreFloats) {
  for (const char* most : {"10 ** 30", "10 ** 18 * 100", "999999999999999999 + 10 ** 18"}) {
    DiagSink diags;
    const Program program = resolved(
        fmt::format("target sm_90a\ninput x: f32[4]\ny = clamp(x, max={})\nreturn y\n", most), diags);
    ASSERT_FALSE(diags.has_errors()) << most;
    const AttrValue* max = program.ops.back().attrs.find("max");
    ASSERT_NE(max, nullptr);
    const double* number = std::get_if<double>(max);
    ASSERT_NE(number, nullptr) << most;
    EXPECT_GT(*number, 1e18);
  }
}

TEST(NamedDims, ProgramRunsAtTheSizesOfItsInputs) {
  DiagSink diags;
  const Program program = resolved(kProgram, diags);
  ASSERT_FALSE(diags.has_errors()) << render_text(diags.sorted(), kProgram, "a.uc");
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{8, 1}, {16, 5}, {64, 16}}) {
    const std::vector<HostTensor> in{random_tensor(DType::f32, {m, 4}, 1),
                                     random_tensor(DType::f32, {4, 2 * n}, 2),
                                     random_tensor(DType::f32, {2 * n}, 3)};
    const auto out = execute(catalog(), program, in, {});
    ASSERT_TRUE(out.has_value()) << out.error().message;
    const std::string fixed = fmt::format(
        "target sm_90a\ninput x: f32[{0}, 4]\ninput w: f32[4, {1}]\ninput v: f32[{1}]\ny = gemm(x, w) >> "
        "add(v)\n"
        "t = reshape(y, [{0}, {2}, 2])\nz = total(t, dim=2)\nreturn y, z\n",
        m, 2 * n, n);
    DiagSink plain;
    const Program same = resolved(fixed, plain);
    ASSERT_FALSE(plain.has_errors()) << render_text(plain.sorted(), fixed, "a.uc");
    const auto expected = execute(catalog(), same, in, {});
    ASSERT_TRUE(expected.has_value());
    for (size_t i = 0; i < 2; ++i) {
      ASSERT_EQ((*out)[i].shape, (*expected)[i].shape);
      for (int64_t k = 0; k < (*out)[i].count(); ++k) ASSERT_EQ((*out)[i].at(k), (*expected)[i].at(k));
    }
  }
}

TEST(NamedDims, ExecutionRefusesWhatTheProgramDoesNotDeclare) {
  DiagSink diags;
  const Program program = resolved(kProgram, diags);
  const auto message = [&](int64_t m, int64_t n2, int64_t v) {
    const std::vector<HostTensor> in{HostTensor::zeros(DType::f32, {m, 4}),
                                     HostTensor::zeros(DType::f32, {4, n2}),
                                     HostTensor::zeros(DType::f32, {v})};
    const auto out = execute(catalog(), program, in, {});
    return out ? std::string() : out.error().message;
  };
  EXPECT_EQ(message(8, 4, 4), "");
  EXPECT_NE(message(12, 4, 4).find("8..64 step 8"), std::string::npos) << "the step";
  EXPECT_NE(message(72, 4, 4).find("8..64 step 8"), std::string::npos) << "the range";
  EXPECT_NE(message(8, 5, 5).find("2 * n"), std::string::npos) << "the factor";
  EXPECT_NE(message(8, 4, 6).find("`n` is 3"), std::string::npos) << "two tensors that disagree";
}

TEST(NamedDims, EqualityIsByName) {
  const std::string head =
      "target sm_90a\ndim m = 1..64\ndim n = 1..64\ninput x: f32[m, 4]\ninput y: f32[n, 4]\n";
  EXPECT_EQ(ids(head + "z = x + y\nreturn z\n"), Ids{"UC1118"});
  EXPECT_EQ(ids(head + "z = map(x * 2)\nw = y * 2\nreturn z, w\n"), Ids{});
  EXPECT_EQ(ids("target sm_90a\ndim m = 64..64\ninput x: f32[m]\ninput y: f32[64]\nz = x + y\nreturn z\n"),
            Ids{"UC1118"});
  EXPECT_EQ(ids("target sm_90a\ndim m = 1..64\ninput x: f32[m]\ninput y: f32[m]\nz = x + y\nreturn z\n"),
            Ids{});
  EXPECT_EQ(
      ids("target sm_90a\ndim m = 1..64\ninput x: f32[m, 4]\nz = reshape(x, [64, 4])\nw = relu(z)\nreturn "
          "w\n"),
      Ids{"UC1118"});
  EXPECT_EQ(
      ids("target sm_90a\ndim m = 1..64\ninput x: f32[m, 4]\nz = reshape(x, [4*m])\nw = relu(z)\nreturn w\n"),
      Ids{});
}

TEST(NamedDims, DeclarationsAreChecked) {
  EXPECT_EQ(ids("target sm_90a\ndim m = 1..64\ninput x: f32[4]\nz = relu(x)\nreturn z\n"), Ids{"UC1117"});
  EXPECT_EQ(ids("target sm_90a\ninput x: f32[m]\nz = relu(x)\nreturn z\n"), Ids{"UC1101"});
  EXPECT_EQ(ids("target sm_90a\ndim m = 1..64\ndim m = 1..8\ninput x: f32[m]\nz = relu(x)\nreturn z\n"),
            Ids{"UC1103"});
  EXPECT_EQ(ids("target sm_90a\ndim m = 1..64\ninput x: f32[m]\nz = x * m\nreturn z\n"), Ids{"UC1124"});
  EXPECT_EQ(ids("target sm_90a\ndim m = 1..64\ninput x: f32[m, 4] @strides(8, 1)\nz = relu(x)\nreturn z\n"),
            Ids{"UC1108"});
}

TEST(NamedDims, TextKeepsTheNames) {
  DiagSink diags;
  const std::string once = print(catalog(), resolved(kProgram, diags));
  EXPECT_NE(once.find("dim m = 8..64 step 8"), std::string::npos) << once;
  EXPECT_NE(once.find("f32[4, 2*n]"), std::string::npos) << once;
  EXPECT_NE(once.find("[m, n, 2]"), std::string::npos) << once;
  EXPECT_EQ(print(catalog(), resolved(once, diags)), once);
  EXPECT_FALSE(diags.has_errors());
}

}  // namespace
}  // namespace uc
