#include "check/two_steps.h"

#include <gtest/gtest.h>

#include "syntax/parser.h"

namespace uc {
namespace {

/// The first call after `>>` of a statement.
ast::Call chained(const std::string& call) {
  DiagSink diags;
  ast::File tree = parse("target sm_90a\ny = relu(x) >> " + call + "\nreturn y\n", diags);
  EXPECT_FALSE(diags.has_errors()) << call;
  for (ast::Statement& statement : tree.statements) {
    if (auto* step = std::get_if<ast::Step>(&statement)) return std::move(step->chain.at(0));
  }
  return {};
}

TEST(TwoSteps, CallsThatGiveTheirOperandsNameIt) {
  for (const char* call : {"sum(it)", "sum(it * it, dim=1)", "sum(-it)", "sum(2, f(it))", "sum(f(x=it))",
                           "sum([it, 2])", "sum([1, [2, it + 1]])", "sum(f([2, it]))", "sum(f(x=[it]))"})
    EXPECT_TRUE(gives_operands(chained(call))) << call;
  for (const char* call : {"sum(2)", "sum()", "sum(dim=[0, 1])", "sum([1, x])", "sum(f([x]))", "sum(x=it)"})
    EXPECT_FALSE(gives_operands(chained(call))) << call;
}

}  // namespace
}  // namespace uc
