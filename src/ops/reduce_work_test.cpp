// Work of operators that go over dimensions, counted by hand: bounds are made of it, so it must not be more
// than a kernel needs.
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "syntax/parser.h"

namespace uc {
namespace {

struct Case {
  const char* step;
  double fma;
  double special;
};

// x and t: f32[8, 16, 4], 512 elements; g and m: f32[4] and f32[16]; i: i64[8, 4].
const Case kCases[] = {
    {"y = sum(x, dim=1)", 512, 0},
    {"y = mean(x, dim=[0, 2])", 512 + 16, 0},
    {"y = argmax(x, dim=2)", 2 * 512, 0},
    {"y = norm2(x, dim=2)", 512 + 128, 128},
    {"y = logsumexp(x, dim=2)", 3 * 512 + 2 * 128, 512 + 128},
    {"y = softmax(x, dim=1)", 4 * 512, 512},
    {"y = layer_norm(x)", 3 * 512, 0},
    {"y = layer_norm(x, g)", 4 * 512, 0},
    {"y = rms_norm(x, g)", 3 * 512, 0},
    {"y = batch_norm(x, m)", 4 * 512, 0},
    {"y = batch_norm(x, mean=m, var=m)", 512, 0},
    {"y = cumsum(x, dim=0)", 512, 0},
    {"y = mse(x, t)", 2 * 512, 0},
    {"y = kl_div(x, t)", 2 * 512, 512},
    {"y = cross_entropy(x, i)", 3 * 512 + 32, 512 + 32},
};

TEST(ReduceWork, IsWhatAHandCounts) {
  const Catalog catalog = builtin_catalog();
  for (const Case& each : kCases) {
    const std::string source =
        "target sm_90a\ninput x: f32[8, 16, 4]\ninput t: f32[8, 16, 4]\ninput i: i64[8, 4]\n"
        "param g: f32[4]\nparam m: f32[16]\n" +
        std::string(each.step) + "\nreturn y\n";
    DiagSink diags;
    const Program program = resolve(catalog, parse(source, diags), diags);
    ASSERT_FALSE(diags.has_errors()) << each.step;
    const Op& op = program[program.steps.back().main];
    ASSERT_NE(op.spec->work, nullptr) << each.step;
    const Work work = op.spec->work(program, op);
    EXPECT_EQ(work.tensor_flops, 0) << each.step;
    EXPECT_EQ(work.fma_ops, each.fma) << each.step;
    EXPECT_EQ(work.special_ops, each.special) << each.step;
  }
}

}  // namespace
}  // namespace uc
