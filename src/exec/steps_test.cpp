// Steps and chains: several results, row-wise and reducing operators, what is refused and what is proposed
// instead.
#include <gmock/gmock.h>
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

struct Resolved {
  Program program;
  DiagSink diags;
};

Resolved resolved(const std::string& source) {
  Resolved out;
  out.program = resolve(catalog(), parse(source, out.diags), out.diags);
  return out;
}

std::string text(const DiagSink& diags, const std::string& source) {
  return source + render_text(diags.sorted(), source, "a.uc");
}

std::vector<HostTensor> values(const Program& program) {
  const auto data = [&program](const std::vector<ValueId>& ids) {
    std::vector<HostTensor> out;
    for (const ValueId id : ids)
      out.push_back(random_tensor(program[id].dtype, program[id].shape, out.size() + 1));
    return out;
  };
  auto out = execute(catalog(), program, data(program.inputs), data(program.params));
  EXPECT_TRUE(out.has_value()) << (out ? "" : out.error().message);
  return out ? *out : std::vector<HostTensor>();
}

void expect_same(const std::string& one, const std::string& other) {
  const Resolved a = resolved(one);
  const Resolved b = resolved(other);
  ASSERT_FALSE(a.diags.has_errors()) << text(a.diags, one);
  ASSERT_FALSE(b.diags.has_errors()) << text(b.diags, other);
  const auto x = values(a.program);
  const auto y = values(b.program);
  ASSERT_EQ(x.size(), y.size()) << one;
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(x[i].shape, y[i].shape) << one;
    ASSERT_EQ(x[i].dtype, y[i].dtype) << one;
    for (int64_t k = 0; k < x[i].count(); ++k) ASSERT_EQ(x[i].at(k), y[i].at(k)) << one << "result " << i;
  }
}

constexpr const char* kHead =
    "target sm_90a\ninput x: f32[6, 8]\ninput y: f32[6, 8]\ninput a: f32[6, 4]\ninput b: f32[4, 8]\n"
    "param W: f32[8, 4]\n";

struct Pair {
  const char* one;    // with fusion
  const char* other;  // the same in plain steps
  const char* result;
};

class Fused : public ::testing::TestWithParam<Pair> {};

TEST_P(Fused, MeansWhatSingleStepsMean) {
  const Pair& pair = GetParam();
  const std::string one = std::string(kHead) + pair.one + "\nreturn " + pair.result + "\n";
  expect_same(one, std::string(kHead) + pair.other + "\nreturn " + pair.result + "\n");
}

TEST_P(Fused, PrintsAsItReads) {
  const std::string source = std::string(kHead) + GetParam().one + "\nreturn " + GetParam().result + "\n";
  const std::string once = print(catalog(), resolved(source).program);
  const Resolved again = resolved(once);
  ASSERT_FALSE(again.diags.has_errors()) << text(again.diags, once);
  EXPECT_EQ(print(catalog(), again.program), once);
  EXPECT_EQ(again.program.steps.size(), resolved(source).program.steps.size()) << once;
  expect_same(source, once);
}

INSTANTIATE_TEST_SUITE_P(
    Steps, Fused,
    ::testing::Values(
        Pair{"s = gemm(a, b) >> share()", "g = gemm(a, b)\ns = share(g)", "s"},
        Pair{"s = gemm(a, b) >> relu() >> share() >> mul(2)",
             "g = gemm(a, b)\nr = relu(g)\nh = share(r)\ns = h * 2", "s"},
        Pair{"s = gemm(a, b) >> total(dim=1)", "g = gemm(a, b)\ns = total(g, dim=1)", "s"},
        Pair{"s = gemm(a, b) >> total(it * it, dim=0)", "g = gemm(a, b)\nh = g * g\ns = total(h, dim=0)",
             "s"},
        Pair{"s, q = gemm(a, b) >> relu() >> total(it, it * it, dim=1)",
             "g = gemm(a, b)\nr = relu(g)\nh = r * r\ns = total(r, dim=1)\nq = total(h, dim=1)", "s, q"},
        Pair{"g, s, q = gemm(a, b) >> store(f32) >> total(it, it * it, dim=1) >> mul(0.5)",
             "g = gemm(a, b)\nh = g * g\ns1 = total(g, dim=1)\nq1 = total(h, dim=1)\ns = s1 * 0.5\nq = q1 * "
             "0.5",
             "g, s, q"},
        Pair{"s, q = total(x, x * x, dim=1)", "h = x * x\ns = total(x, dim=1)\nq = total(h, dim=1)", "s, q"},
        Pair{"s = total(x * y, dim=0, keepdim=true)", "h = x * y\ns = total(h, dim=0, keepdim=true)", "s"},
        Pair{"s, d = map(x + y, x - y)", "s = x + y\nd = x - y", "s, d"},
        Pair{"s, d = map(x + y, x - y) >> relu()", "s1 = x + y\nd1 = x - y\ns = relu(s1)\nd = relu(d1)",
             "s, d"},
        Pair{"s, d = map(x + y, a * 2)", "s = x + y\nd = a * 2", "s, d"},
        Pair{"g, q = gemm(a, b) >> map(it, it * it)", "g = gemm(a, b)\nq = g * g", "g, q"},
        Pair{"p, q = gemm(a, b) >> map(it + x, it * y)", "g = gemm(a, b)\np = g + x\nq = g * y", "p, q"},
        Pair{"p, q = to(x, a, f32, col) >> mul(3)", "p1, q1 = to(x, a, f32, col)\np = p1 * 3\nq = q1 * 3",
             "p, q"},
        Pair{"l, m = extremes(x * 2) >> relu()",
             "h = x * 2\nl1, m1 = extremes(h)\nl = relu(l1)\nm = relu(m1)", "l, m"},
        Pair{"l, m = gemm(a, b) >> extremes()", "g = gemm(a, b)\nl, m = extremes(g)", "l, m"},
        Pair{"s = share(relu(x) + y)", "h = relu(x) + y\ns = share(h)", "s"},
        Pair{"s = share(transpose(x))", "t = to(transpose(x), row)\ns = share(t)", "s"},
        Pair{"s = x * prepack(transpose(to(total(W, dim=1, keepdim=true), f32) * 2))",
             "r = total(W, dim=1, keepdim=true)\nr2 = r * 2\ns = x * transpose(r2)", "s"}));

struct Refusal {
  const char* step;
  const char* id;
  const char* result = "z";
};

class Refused : public ::testing::TestWithParam<Refusal> {};

std::string with_edit(const std::string& source, const Diag& diag) {
  std::string out = source;
  const Span place = diag.replaced();
  out.replace(place.begin, place.end - place.begin, diag.replacement);
  return out;
}

TEST_P(Refused, WithItsOwnIdAndAProgramThatIsAccepted) {
  const Refusal& refusal = GetParam();
  std::string source = std::string(kHead) + refusal.step + "\nreturn " + refusal.result + "\n";
  Resolved now = resolved(source);
  ASSERT_TRUE(now.diags.has_errors()) << source;
  EXPECT_EQ(now.diags.sorted().front().id, refusal.id) << text(now.diags, source);
  for (int round = 0; now.diags.has_errors() && round < 6; ++round) {
    const Diag diag = now.diags.sorted().front();
    ASSERT_FALSE(diag.replacement.empty()) << text(now.diags, source);
    EXPECT_NE(diag.help.find(diag.replacement), std::string::npos) << "the help shows the edit";
    source = with_edit(source, diag);
    now = resolved(source);
  }
  ASSERT_FALSE(now.diags.has_errors()) << text(now.diags, source);
  values(now.program);
}

INSTANTIATE_TEST_SUITE_P(
    Steps, Refused,
    ::testing::Values(Refusal{"z = relu(gemm(a, b))", "UC1401"},
                      Refusal{"z = share(gemm(a, b)) >> mul(2)", "UC1401"},
                      Refusal{"z = share(x) + share(y)", "UC1401"}, Refusal{"z = gemm(a * 2, b)", "UC1402"},
                      Refusal{"z = gemm(to(a, f32), to(b, f32))", "UC1402"},
                      Refusal{"z = gemm(a, transpose(transpose(b * 2)))", "UC1402"},
                      Refusal{"z = gemm(x, W * 2 + W).tile(128x128x32) >> relu()", "UC1402"},
                      Refusal{"z = gemm(a, transpose(W + 1)) >> relu()", "UC1402"},
                      Refusal{"z = share(transpose(x * 2))", "UC1409"},
                      Refusal{"z = relu(transpose(x + y)) + 1", "UC1409"},
                      Refusal{"z = gemm(a, b) >> transpose()", "UC1403"},
                      Refusal{"z = gemm(a, b) >> relu() >> gemm(W) >> mul(2)", "UC1403"},
                      Refusal{"g, z = gemm(a, b) >> store(f32) >> transpose() >> relu()", "UC1403", "g, z"},
                      Refusal{"z = total(x, dim=0) >> add(y)", "UC1411"},
                      Refusal{"z = total(x, dim=0) >> map(it * y + x) >> relu()", "UC1411"},
                      Refusal{"z = transpose(x) >> relu()", "UC1412"},
                      Refusal{"z = gemm(a, b) >> mul(share(x))", "UC1401"}));

std::vector<std::string> ids(const std::string& step, const std::string& result = "z") {
  std::vector<std::string> out;
  for (const Diag& diag : resolved(kHead + step + "\nreturn " + result + "\n").diags.sorted()) {
    if (diag.severity == Severity::error) out.push_back(diag.id);
    EXPECT_FALSE(diag.help.empty()) << step;
  }
  return out;
}

using Ids = std::vector<std::string>;

TEST(Steps, SeveralValuesHaveOneMeaningOrNone) {
  EXPECT_EQ(ids("z, w = extremes(x) >> share()", "z, w"), Ids{"UC1407"});
  EXPECT_EQ(ids("z, w = extremes(x) >> store(f32)", "z, w"), Ids{"UC1407"});
  EXPECT_EQ(ids("z, w = extremes(x) >> map(it * 2)", "z, w"), Ids{"UC1407"});
  EXPECT_EQ(ids("z, w = extremes(x) >> mul(it)", "z, w"), Ids{"UC1406"});
  EXPECT_EQ(ids("z = relu(extremes(x))"), Ids{"UC1407"});
  EXPECT_EQ(ids("z, w = gemm(a, b) >> map(it * 2, it)", "z, w"), Ids{"UC1405"});
  EXPECT_EQ(ids("z, w = gemm(a, b) >> map(it, it)", "z, w"), Ids{"UC1407"});
  EXPECT_EQ(ids("z, w = map(x, x * 2)", "z, w"), Ids{"UC1405"});
  EXPECT_EQ(ids("z = map()"), Ids{"UC1122"});
  EXPECT_EQ(ids("z = total(x, 1, true, 2)"), Ids{"UC1121"});
  EXPECT_EQ(ids("z, w = map(x * 2, y * 2) >> relu() >> add(1)", "z, w"), Ids{});
}

TEST(Steps, TwoDeclarationsBindDifferentParameters) {
  const std::string head = "target sm_90a\ninput x: f32[4]\nparam v: f32[4] = \"fc.weight\"\n";
  const std::string rest = "z = x + v + w\nreturn z\n";
  const Resolved twice = resolved(head + "param w: f32[4] = \"fc.weight\"\n" + rest);
  ASSERT_EQ(twice.diags.sorted().size(), 1U);
  EXPECT_EQ(twice.diags.sorted()[0].id, "UC1115");
  EXPECT_FALSE(resolved(head + "param w: f32[4] = \"fc.bias\"\n" + rest).diags.has_errors());
}

TEST(Steps, ChannelsArePaddedInMemoryOnly) {
  const std::string source =
      "target sm_90a\nprecision f16\ninput x: f32[2, 3, 4, 5]\nh = to(x, f16, channels=4)\ny = relu(h) >> "
      "to(f32, "
      "nchw)\nreturn h, y\n";
  const Resolved one = resolved(source);
  ASSERT_FALSE(one.diags.has_errors()) << text(one.diags, source);
  const Value& h = one.program[one.program.results[0]];
  EXPECT_EQ(h.shape, (Shape{2, 3, 4, 5}));
  EXPECT_EQ(h.stride, (Strides{80, 1, 20, 4}));
  EXPECT_EQ(one.program[one.program.results[1]].stride, row_major({2, 3, 4, 5}));
  values(one.program);
  for (const char* bad : {"channels=0", "channels=4, pitch=8", "row, channels=4"}) {
    const Resolved refused = resolved("target sm_90a\ninput x: f16[2, 3, 4, 5]\nh = to(x, f16, " +
                                      std::string(bad) + ")\nreturn h\n");
    ASSERT_EQ(refused.diags.sorted().size(), 1U) << bad;
    EXPECT_EQ(refused.diags.sorted()[0].id, "UC1214");
  }
}

}  // namespace
}  // namespace uc
