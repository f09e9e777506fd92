#include "syntax/parser.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "diag/render.h"
#include "syntax/dump.h"

namespace uc {
namespace {

using ::testing::HasSubstr;

std::string tree(std::string_view source) {
  DiagSink diags;
  const ast::File file = parse(source, diags);
  return diags.has_errors() ? render_text(diags.sorted(), source, "test", {.concise = true}) : dump(file);
}

std::string expr(std::string_view source) { return tree("y = " + std::string(source) + "\n"); }

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(Parser, ReadsEveryStatement) {
  EXPECT_EQ(tree("target sm_90a\nprecision f16\nname mlp\n"), "target sm_90a\nprecision f16\nname mlp\n");
  EXPECT_EQ(tree("dim N = 1..8192\ndim M = 16..1024 step 16\n"), "dim N 1 8192 1\ndim M 16 1024 16\n");
  EXPECT_EQ(
      tree("input x: f32[4*N, 8, N] @nhwc @strides(8, 1)\nscalar s: f32\nparam W: f8e4m3[2] = \"a.b\"\n"),
      "input x: f32[4*N, 8, N] @nhwc() @strides(8, 1)\nscalar s: f32\nparam W: f8e4m3[2] = \"a.b\"\n");
  EXPECT_EQ(tree("a, b = f(x).tile(128x64, {64, auto}).k() >> g() >> map(it * 2)\nreturn a, b"),
            "step a, b = f(x) .tile(128x64, {64, auto}) .k() >> g() >> map((* it 2))\nreturn a, b\n");
}

TEST(Parser, PrecedenceAndAssociativity) {
  EXPECT_EQ(expr("a + b * c - d / e"), "step y = (- (+ a (* b c)) (/ d e))\n");
  EXPECT_EQ(expr("a - (b - c)"), "step y = (- a (- b c))\n");
  EXPECT_EQ(expr("-a ** -b ** c"), "step y = (- (** a (- (** b c))))\n");
  EXPECT_EQ(expr("(-a) ** 2"), "step y = (** (- a) 2)\n");
  EXPECT_EQ(expr("--a * 2"), "step y = (* (- (- a)) 2)\n");
  EXPECT_EQ(expr("a + 1 <= b * 2"), "step y = (<= (+ a 1) (* b 2))\n");
  EXPECT_EQ(expr("(a < b) * (b != c)"), "step y = (* (< a b) (!= b c))\n");
}

TEST(Parser, ArgumentsOfEveryKind) {
  EXPECT_EQ(expr("f()"), "step y = f()\n");
  EXPECT_EQ(expr("f(x, dim=-1, d=[2, [3, f16[4, 2*N]], []], out=f32[4])"),
            "step y = f(x, dim=(- 1), d=[2, [3, f16[4, 2*N]], []], out=f32[4])\n");
  EXPECT_EQ(expr("cuda(\"\"\"a \"b\"\n c\"\"\", name=\"k\")"),
            "step y = cuda(\"a \"b\"\n c\", name=\"k\")\n");
}

TEST(Parser, Numbers) {
  EXPECT_EQ(expr("f(0, 123456789012345678, 0.5, 1e-5, 1.5E+3)"),
            "step y = f(0, 123456789012345678, 0.5f, 1e-05f, 1500f)\n");
  EXPECT_EQ(expr("f(x, 2).tile(1x2x3)"), "step y = f(x, 2) .tile(1x2x3)\n");
}

TEST(Parser, KeywordsAreContextual) {
  EXPECT_EQ(tree("dim = f(input, dim=-1)\ninput, return = g(dim)\nreturn return, input\n"),
            "step dim = f(input, dim=(- 1))\nstep input, return = g(dim)\nreturn return, input\n");
  EXPECT_EQ(tree("input step: f32[dim]\ndim step = 1..2 step 1\n"), "input step: f32[dim]\ndim step 1 2 1\n");
}

TEST(Parser, NewlineRule) {
  const std::string one = "step y = f(x) .k(1) >> g() >> h()\nreturn y\n";
  EXPECT_EQ(tree("y = f(x).k(1) >> g() >> h()\nreturn y"), one);
  EXPECT_EQ(
      tree("y = f(\n\n x # in\n)\n\n# before a knob\n  .k(1)\n\n  >> g() >>\n# within\n\nh()\nreturn y"),
      one);
  EXPECT_EQ(tree("y = f(x)\r\n.k(1)>>g()\r\n>>h()\r\nreturn y\r\n"), one);
  EXPECT_EQ(tree("\xef\xbb\xbfy = f(\nx)\n"), "step y = f(x)\n");
  EXPECT_EQ(tree("y = x.k(1\n)\nreturn y"), "step y = x .k(1)\nreturn y\n");
  EXPECT_EQ(tree("\n\n  # nothing\n\n"), "");
  EXPECT_EQ(tree(""), "");
}

TEST(Parser, SpansPointIntoTheText) {
  const std::string source = "y = (a + bb) * f(x).tile(64x8) >> to(f16)";
  DiagSink diags;
  const ast::File file = parse(source, diags);
  const auto& step = std::get<ast::Step>(file.statements.at(0));
  const auto text = [&](Span span) { return source.substr(span.begin, span.end - span.begin); };
  EXPECT_EQ(text(step.span), source);
  EXPECT_EQ(text(step.expr->span), "(a + bb) * f(x)");
  EXPECT_EQ(text(step.expr->op_span), "*");
  EXPECT_EQ(text(step.expr->left->span), "(a + bb)");
  EXPECT_EQ(text(step.expr->right->call->args[0].span), "x");
  EXPECT_EQ(text(step.knobs[0].span), "tile(64x8)");
  EXPECT_EQ(text(step.knobs[0].settings[0].span), "64x8");
  EXPECT_EQ(text(step.chain[0].span), "to(f16)");
}

TEST(Parser, CommentsAreKept) {
  DiagSink diags;
  const ast::File file = parse("# one\ny = f(x)  # two \n", diags);
  ASSERT_EQ(file.comments.size(), 2U);
  EXPECT_EQ(file.comments[0].text, "# one");
  EXPECT_TRUE(file.comments[0].own_line);
  EXPECT_EQ(file.comments[1].text, "# two");
  EXPECT_FALSE(file.comments[1].own_line);
}

TEST(Parser, BrokenStatementsLeaveTheirNamesAndTheOthers) {
  DiagSink diags;
  const ast::File file = parse("a, b = f(x\nz = g(a)\ninput q: [2]\nreturn z\n", diags);
  EXPECT_EQ(diags.error_count(), 2U);
  EXPECT_EQ(dump(file), "step z = g(a)\nreturn z\n");
  std::vector<std::string> broken;
  for (const ast::Name& name : file.broken) broken.push_back(name.text);
  EXPECT_EQ(broken, (std::vector<std::string>{"a", "b", "q"}));
}

TEST(Parser, AStatementWithAnyErrorIsNotInTheTree) {
  const std::vector<std::string> broken{"y = f(x[0])", "y = f(0x10)", "y = f(x) >> relu", "y = f(x).tile(1.)",
                                        "y = f(x,\nz = g(y)\nq $"};
  for (const std::string& source : broken) {
    DiagSink diags;
    const ast::File file = parse(source + "\nv = h(y)\n", diags);
    EXPECT_EQ(dump(file), "step v = h(y)\n") << source;
    EXPECT_EQ(file.broken.at(0).text, "y") << source;
  }
  DiagSink diags;
  const ast::File swallowed = parse("y = f(x,\nz = g(y)\nreturn z\n", diags);
  EXPECT_EQ(swallowed.broken.back().text, "z");
}

TEST(Parser, DepthIsBounded) {
  const auto repeat = [](std::string_view text, size_t n) {
    std::string out;
    for (size_t i = 0; i < n; ++i) out += text;
    return out;
  };
  EXPECT_THAT(expr("a" + repeat("+a", 150)), HasSubstr("step y"));
  EXPECT_THAT(expr(repeat("(", 90) + "a" + repeat(")", 90)), HasSubstr("step y"));
  constexpr size_t kMany = 100'000;
  const std::vector<std::string> deep{
      "a" + repeat("+a", kMany),         "a" + repeat("*a", kMany),    "a" + repeat("**a", kMany),
      repeat("-", kMany) + "a",          repeat("(", kMany) + "a",     repeat("f(", kMany),
      "f(" + repeat("[", kMany),         "f(" + repeat("f16[", kMany), repeat("f(x=-(", kMany),
      "a" + repeat("<a", kMany),         "a" + repeat("[0]", kMany),   repeat("(a+", kMany),
      "f(a" + repeat(".T", kMany) + ")", "a" + repeat(" @ a", kMany)};
  for (const std::string& source : deep) {
    EXPECT_THAT(expr(source), HasSubstr("error[UC10")) << source.substr(0, 20);
  }
  EXPECT_THAT(expr("a" + repeat("+a", kMany)), HasSubstr("error[UC1013]"));
  EXPECT_THAT(expr(repeat("(", kMany) + "a"), HasSubstr("error[UC1013]"));
}

TEST(Parser, ManyArgumentsAndLongLinesAreFine) {
  std::string source = "y = f(a";
  for (int i = 0; i < 200'000; ++i) source += ", a";
  EXPECT_THAT(tree(source + ")"), HasSubstr("step y"));
  EXPECT_EQ(tree("y = " + std::string(2'000'000, 'a')).size(), 2'000'000U + 10);
}

TEST(Parser, ErrorsAreCapped) {
  std::string source;
  for (int i = 0; i < 100'000; ++i) source += "y = $\n";
  DiagSink diags;
  parse(source, diags);
  EXPECT_EQ(diags.error_count(), 101U);
  EXPECT_EQ(diags.diags().back().id, "UC1036");
}

TEST(Parser, TextIsAtMostSixteenMegabytes) {
  DiagSink diags;
  parse(std::string((size_t{16} << 20) + 1, ' '), diags);
  ASSERT_EQ(diags.error_count(), 1U);
  EXPECT_EQ(diags.diags()[0].id, "UC1035");
}

TEST(Parser, ReadsTheValidPrograms) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(UC_SOURCE_DIR "/tests/syntax/valid")) {
    const std::string source = read(entry.path());
    EXPECT_THAT(tree(source), ::testing::Not(HasSubstr("error["))) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 14U);
}

}  // namespace
}  // namespace uc
