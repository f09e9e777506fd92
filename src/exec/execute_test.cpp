// What language.md says about types and rounding, with values worked out by hand.
#include "exec/execute.h"

#include <cmath>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "exec/multiply.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

Program program(const std::string& source) {
  DiagSink diags;
  const ast::File tree = parse(source, diags);
  Program out = resolve(catalog(), tree, diags);
  EXPECT_FALSE(diags.has_errors()) << render_text(diags.sorted(), source, "test.uc");
  return out;
}

HostTensor tensor(DType dtype, const Shape& shape, const std::vector<double>& values) {
  HostTensor out = HostTensor::zeros(dtype, shape);
  for (size_t i = 0; i < values.size(); ++i) out.set(static_cast<int64_t>(i), values[i]);
  return out;
}

std::vector<double> values(const HostTensor& from) {
  std::vector<double> out;
  for (int64_t i = 0; i < from.count(); ++i) out.push_back(from.at(i));
  return out;
}

std::vector<HostTensor> run(const std::string& source, const std::vector<HostTensor>& inputs,
                            const std::vector<HostTensor>& params = {},
                            const std::vector<double>& scalars = {}) {
  auto out = execute(catalog(), program("target sm_90a\nprecision f16\n" + source), inputs, params, scalars);
  EXPECT_TRUE(out.has_value()) << out.error().message;
  return out ? *out : std::vector<HostTensor>{};
}

TEST(Execute, RoundsAtTheStoreOnly) {
  // 300^2 exceeds f16, but nothing is rounded before the step's own store.
  const auto x = tensor(DType::f16, {2}, {300, 1});
  EXPECT_EQ(values(run("input x: f16[2]\ny = x * x * 0.25\nreturn y\n", {x})[0]),
            (std::vector<double>{22496, 0.25}));
  EXPECT_TRUE(std::isinf(run("input x: f16[2]\ny = to(x * x, f16) * 0.25\nreturn y\n", {x})[0].at(0)));
}

// C++ and torch leave these conversions to the machine; here they have a meaning (ir/dtype.h).
TEST(Execute, FloatsThatNoIntegerHoldsBecomeTheNearest) {
  const auto x = tensor(DType::f32, {5}, {NAN, INFINITY, -INFINITY, 1e30, -3.7});
  const auto y = run("input x: f32[5]\ny = to(x, i64)\nz = to(x, i8)\nreturn y, z\n", {x});
  EXPECT_EQ(std::get<std::vector<int64_t>>(y[0].data),
            (std::vector<int64_t>{0, INT64_MAX, INT64_MIN, INT64_MAX, -3}));
  EXPECT_EQ(values(y[1]), (std::vector<double>{0, -1, 0, -1, -3}));  // the low bits of those
}

TEST(Execute, NumbersThatNoIntegerHoldsFillTensorsOfIntegers) {
  const auto x = tensor(DType::i64, {1}, {5});
  const auto y =
      run("input x: i64[1]\ny = pad(x, [1, 0], value=1e30)\nz = full([1], -inf, i64)\n"
          "w = pad(to(x, i8), [1, 0], value=300) >> to(i8)\nreturn y, z, w\n",
          {x});
  EXPECT_EQ(std::get<std::vector<int64_t>>(y[0].data), (std::vector<int64_t>{INT64_MAX, 5}));
  EXPECT_EQ(std::get<std::vector<int64_t>>(y[1].data), (std::vector<int64_t>{INT64_MIN}));
  EXPECT_EQ(values(y[2]), (std::vector<double>{44, 5}));
}

TEST(Execute, ClassesAndOffsetsBeyondTheDataAreReadWhole) {
  HostTensor far = HostTensor::zeros(DType::i64, {1});
  std::get<std::vector<int64_t>>(far.data)[0] = INT64_MAX;
  const auto x = tensor(DType::f32, {1, 2}, {1, 2});
  const auto loss = run("input x: f32[1, 2]\ninput t: i64[1]\ny = cross_entropy(x, t)\nreturn y\n", {x, far});
  EXPECT_TRUE(std::isnan(loss[0].at(0)));
  const auto w = tensor(DType::f32, {1, 2, 1}, {3, 4});
  const auto rows =
      run("input x: f32[1, 2]\ninput w: f32[1, 2, 1]\ninput t: i64[1]\ny = grouped_gemm(x, w, t)\nreturn y\n",
          {x, w, far});
  EXPECT_EQ(values(rows[0]), (std::vector<double>{11}));
}

TEST(Execute, AnInnerToRoundsAndGoesOnInF32) {
  const auto x = tensor(DType::f32, {1}, {2049});
  const auto y = run("input x: f32[1]\ny = to(x, f16) >> add(0.5) >> to(f32)\nreturn y\n", {x});
  EXPECT_EQ(y[0].dtype, DType::f32);
  EXPECT_EQ(y[0].at(0), 2048.5);
}

// What is stored is x / scale, kept within the type and rounded; what it counts as is that times scale.
TEST(Execute, ScaledF8IsStoredDividedAndCountsMultiplied) {
  const auto x = tensor(DType::f16, {2, 2}, {1, 8, -2000, 3});
  const auto s = tensor(DType::f32, {2, 1}, {0.5, 4});
  const auto y =
      run("input x: f16[2, 2]\ninput s: f32[2, 1]\nq = to(x, f8e4m3, scale=s)\nr = to(q, f32)\n"
          "z = to(x, f32) >> to(f8e4m3, scale=0.5) >> to(f32)\nreturn q, r, z\n",
          {x, s});
  EXPECT_EQ(values(y[0]), (std::vector<double>{2, 16, -448, 0.75}));
  EXPECT_EQ(values(y[1]), (std::vector<double>{1, 8, -1792, 3}));
  EXPECT_EQ(values(y[2]), (std::vector<double>{1, 8, -224, 3}));
}

TEST(Execute, ScalesOfRowsColumnsAndBlocksAreMultipliedIntoProducts) {
  const auto a = tensor(DType::f16, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto w = tensor(DType::f16, {2, 4}, {2, 2, 4, 4, 1, 1, 2, 2});
  const auto rows = tensor(DType::f32, {2, 1}, {0.5, 2});
  const auto blocks = tensor(DType::f32, {2, 2}, {0.5, 2, 1, 4});
  const auto y =
      run("input a: f16[2, 4]\ninput w: f16[2, 4]\ninput r: f32[2, 1]\ninput b: f32[2, 2]\n"
          "p = to(a, f8e4m3, scale=r)\nq = to(w, f8e4m3, scale=b)\ny = linear(p, q) >> to(f32)\n"
          "t = to(transpose(w), f8e4m3, scale=transpose(b))\nz = gemm(p, t) >> to(f32)\nreturn y, z, q\n",
          {a, w, rows, blocks});
  EXPECT_EQ(values(y[0]), (std::vector<double>{34, 17, 82, 41}));  // all of it is exact
  EXPECT_EQ(values(y[1]), values(y[0]));
  EXPECT_EQ(values(y[2]), (std::vector<double>{4, 4, 2, 2, 1, 1, 0.5, 0.5}));
}

TEST(Execute, StoreRoundsItsCopyAndTheChainGoesOnUnrounded) {
  const auto x = tensor(DType::f32, {1}, {2049});
  const auto y = run("input x: f32[1]\ns, y = abs(x) >> store(f16) >> sub(2048)\nreturn s, y\n", {x});
  EXPECT_EQ(y[0].dtype, DType::f16);
  EXPECT_EQ(y[0].at(0), 2048);
  EXPECT_EQ(y[1].dtype, DType::f32);
  EXPECT_EQ(y[1].at(0), 1);
}

TEST(Execute, LiteralsDoNotPromote) {
  const auto x = tensor(DType::f16, {1}, {1});
  const auto y = run("input x: f16[1]\ny = x * 3.14159\nreturn y\n", {x});
  EXPECT_EQ(y[0].dtype, DType::f16);
  EXPECT_EQ(y[0].at(0), 3.140625);
}

TEST(Execute, ADivisionOfIntegersIsF32) {
  const auto x = tensor(DType::i32, {2}, {7, -7});
  const auto y = run("input x: i32[2]\ny = x / 2\nz = x * 3 + 1\nw = x < 0.5\nreturn y, z, w\n", {x});
  EXPECT_EQ(y[0].dtype, DType::f32);
  EXPECT_EQ(values(y[0]), (std::vector<double>{3.5, -3.5}));
  EXPECT_EQ(y[1].dtype, DType::i32);
  EXPECT_EQ(values(y[1]), (std::vector<double>{22, -20}));
  EXPECT_EQ(y[2].dtype, DType::boolean);
  EXPECT_EQ(values(y[2]), (std::vector<double>{0, 1}));
}

TEST(Execute, IntegersWrapWhereTheyAreStored) {
  const auto x = tensor(DType::i32, {1}, {2147483647});
  const auto y = run("input x: i32[1]\ny = x + 1\nz = (x + 1) / 2\nb = to(x, i8)\nreturn y, z, b\n", {x});
  EXPECT_EQ(y[0].at(0), -2147483648.0);
  EXPECT_EQ(y[1].at(0), 1073741824.0);
  EXPECT_EQ(y[2].at(0), -1);
}

TEST(Execute, AnF64OperandMakesTheStepF64) {
  const auto x = tensor(DType::f64, {1}, {1.0});
  const auto z = tensor(DType::f32, {1}, {1e-12});
  const auto y = run("input x: f64[1]\ninput z: f32[1]\ny = x + z\nreturn y\n", {x, z});
  EXPECT_EQ(y[0].dtype, DType::f64);
  EXPECT_EQ(y[0].at(0), 1.0 + static_cast<double>(1e-12F));
}

TEST(Execute, ViewsReadThroughStrides) {
  const auto x = tensor(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const std::string view = "v = transpose(x)\nw = reshape(v, [3, 2, 1])\ny = w * 1\nreturn y\n";
  for (const char* declared :
       {"input x: f32[2, 3]\n", "input x: f32[2, 3] @col\n", "input x: f32[2, 3] @strides(5, 1)\n"}) {
    const auto y = run(declared + view, {x});
    EXPECT_EQ(y[0].shape, (Shape{3, 2, 1})) << declared;
    EXPECT_EQ(values(y[0]), (std::vector<double>{1, 4, 2, 5, 3, 6})) << declared;
  }
}

TEST(Execute, GemmBroadcastsItsBatch) {
  const auto a = tensor(DType::f16, {2, 1, 2}, {1, 2, 3, 4});
  const auto b = tensor(DType::f16, {2, 2}, {1, 10, 100, 1000});
  const auto y = run(
      "input a: f16[2, 1, 2]\ninput b: f16[2, 2]\ny = gemm(a, b)\nz = linear(a, b)\nreturn y, z\n", {a, b});
  EXPECT_EQ(y[0].shape, (Shape{2, 1, 2}));
  EXPECT_EQ(values(y[0]), (std::vector<double>{201, 2010, 403, 4030}));
  EXPECT_EQ(values(y[1]), (std::vector<double>{21, 2100, 43, 4300}));
}

TEST(Execute, TheAccumulatorIsNotRoundedBeforeTheEpilogue) {
  const auto a = tensor(DType::f16, {1, 2}, {256, 1});
  const auto b = tensor(DType::f16, {2, 1}, {256, 1});
  const auto y =
      run("input a: f16[1, 2]\ninput b: f16[2, 1]\ny = gemm(a, b) >> sub(65536)\nreturn y\n", {a, b});
  EXPECT_EQ(y[0].dtype, DType::f16);
  EXPECT_EQ(y[0].at(0), 1);
}

TEST(Execute, Tf32RoundsOperandsToTenBits) {
  EXPECT_EQ(round_tf32(1.0F + 0x1p-11F), 1.0F + 0x1p-10F);  // ties away from zero
  EXPECT_EQ(round_tf32(1.0F + 0x1p-12F), 1.0F);
  EXPECT_EQ(round_tf32(-1.0F - 0x1p-11F), -1.0F - 0x1p-10F);
  const auto a = tensor(DType::f32, {1, 1}, {1.0 + 0x1p-12});
  const auto one = tensor(DType::f32, {1, 1}, {1.0});
  const std::string source = "input a: f32[1, 1]\ninput b: f32[1, 1]\n";
  EXPECT_EQ(run(source + "y = gemm(a, b).math(tf32)\nreturn y\n", {a, one})[0].at(0), 1.0);
  EXPECT_EQ(run(source + "y = gemm(a, b)\nreturn y\n", {a, one})[0].at(0),
            1.0);  // auto: the fastest that is allowed
  const Program strict = program("target sm_90a\n" + source + "y = gemm(a, b)\nreturn y\n");
  EXPECT_EQ(execute(catalog(), strict, std::vector{a, one}, {})->front().at(0), 1.0 + 0x1p-12);
}

TEST(Execute, NaNGoesThroughMinimumMaximumAndRelu) {
  const auto x = tensor(DType::f32, {2}, {NAN, -1});
  const auto y =
      run("input x: f32[2]\na = minimum(x, 0)\nb = maximum(0, x)\nc = relu(x)\nd = clamp(x, 0, 1)\nreturn a, "
          "b, c, d\n",
          {x});
  for (const HostTensor& each : y) EXPECT_TRUE(std::isnan(each.at(0)));
  EXPECT_EQ(y[0].at(1), -1);
  EXPECT_EQ(y[1].at(1), 0);
}

TEST(Execute, ParamsAndScalarsAndPrepack) {
  const auto x = tensor(DType::f32, {1, 2}, {1, 2});
  const auto w = tensor(DType::f32, {2, 2}, {1, 2, 3, 4});
  const auto y =
      run("input x: f32[1, 2]\nparam W: f32[2, 2]\nscalar s: f32\nxh = to(x, f16)\n"
          "y = linear(xh, prepack(W, f16)) >> mul(s) >> to(f32)\nreturn y\n",
          {x}, {w}, {0.5});
  EXPECT_EQ(values(y[0]), (std::vector<double>{2.5, 5.5}));
}

TEST(Execute, SaysWhatDoesNotFit) {
  const Program one = program("target sm_90a\ninput x: f32[2]\ny = x * 2\nreturn y\n");
  const auto none = execute(catalog(), one, {}, {});
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().message.find("0 inputs for a program with 1"), std::string::npos)
      << none.error().message;
  const std::vector<HostTensor> wrong{tensor(DType::f32, {3}, {})};
  const auto shape = execute(catalog(), one, wrong, {});
  ASSERT_FALSE(shape.has_value());
  EXPECT_NE(shape.error().message.find("`x` is f32[3], and the program declares f32[2]"), std::string::npos)
      << shape.error().message;
  const Program large = program("target sm_90a\ninput x: f32[1048576, 1048576]\ny = x * 2\nreturn y\n");
  const auto memory = execute(catalog(), large, {}, {});
  ASSERT_FALSE(memory.has_value());
  EXPECT_FALSE(memory.error().help.empty());
}

}  // namespace
}  // namespace uc
