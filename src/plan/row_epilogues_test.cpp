// Whether a row-wise operator belongs into a product's epilogue: the model chooses as the times of an H200
// say (bench/results/h200_row_epilogues.json), which it was fitted to.
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/choose.h"
#include "syntax/parser.h"

namespace uc {
namespace {

struct Case {
  const char *head, *before, *row, *step, *after;
  double fused_us, two_us;  // measured
};
const Case kCases[] = {
    {"input x: f16[1024, 8192]\ninput w: f16[8192, 8192]\ninput c: f32[8192]\n", "bias(c)",
     "group_norm(256, c, c)", "group_norm(t, 256, c, c)", "silu() >> mul(c) >> silu() >> to(f32)", 218.16,
     237.71},
    {"input x: f16[8192, 1024]\ninput w: f16[1024, 1024]\ninput c: f32[1024]\n", "bias(c)", "softmax()",
     "softmax(t)", "to(f16)", 45.12, 41.99},
    {"input x: f16[16384, 768]\ninput w: f16[768, 768]\ninput c: f32[768]\n", "bias(c)", "layer_norm(c, c)",
     "layer_norm(t, c, c)", "to(f16)", 49.98, 46.73},
    {"input x: f16[8192, 1024]\ninput w: f16[1024, 1024]\ninput c: f32[1024]\n", "bias(c)",
     "logsumexp(dim=1, keepdim=true)", "logsumexp(t, dim=1, keepdim=true)", "to(f32)", 39.19, 43.78},
};

double modelled(const std::string& text) {
  static const Catalog catalog = builtin_catalog();
  const DeviceSpec& h200 = *catalog.device("h200");
  DiagSink diags;
  const Program program = resolve(catalog, parse("target sm_90a\nprecision f16\n" + text, diags), diags);
  std::vector<Launch> launches = lower(catalog, program, diags);
  choose_automatic(catalog, program, launches, h200, diags);
  EXPECT_FALSE(diags.has_errors()) << text;
  double total = 0;
  for (const Launch& launch : launches) total += estimate(catalog, launch, h200)->total_us;
  return total;
}

TEST(RowEpilogues, AreChosenWhereTheyWereFaster) {
  for (const Case& each : kCases) {
    const std::string product = std::string(each.head) + "t = linear(x, w) >> " + each.before;
    const double fused = modelled(product + " >> " + each.row + " >> " + each.after + "\nreturn t\n");
    const double two =
        modelled(product + " >> to(f16)\ny = " + each.step + " >> " + each.after + "\nreturn y\n");
    EXPECT_EQ(fused < two, each.fused_us < each.two_us)
        << each.row << ": " << fused << " and " << two << " us";
    EXPECT_NEAR(fused / each.fused_us, 0.9, 0.15) << each.row;
  }
}

}  // namespace
}  // namespace uc
