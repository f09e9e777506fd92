// Every id of operators that go over dimensions is raised by a program that does just that wrong, shows what
// was seen, and says what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "catalog/builtin.h"
#include "catalog/diags_reduce.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "syntax/parser.h"

namespace uc {
namespace {

struct Case {
  const char* id;
  const char* body;     ///< declarations and one step; a target and a return are added
  const char* message;  ///< part of it
  const char* help;     ///< part of it
};

const Case kCases[] = {
    {"UC1230", "input x: i32[4, 8]\ny = mean(x, dim=1)\n", "`mean` of `x` of [4, 8], which is i32",
     "`to(x, f32)`"},
    {"UC1230", "input x: bool[4, 8]\ny = softmax(x)\n", "`softmax` of `x`", "`to(x, f32)`"},
    {"UC1230", "input x: i64[4, 8]\ninput t: i64[4, 8]\ny = mse(x, t)\n", "`mse` of `x`", "`to(x, f32)`"},
    {"UC1231", "input x: f32[4, 8]\ny = sum(x, dim=[])\n", "`sum` names no dimension", "`dim=[0, 1]`"},
    {"UC1207", "input x: f32[4, 8]\ny = sum(x, dim=2)\n", "dimension 2 of a tensor of rank 2", "0 to 1"},
    {"UC1207", "input x: f32[4, 8]\ny = cumsum(x, dim=-3)\n", "dimension -3 of a tensor of rank 2",
     "-2 to -1"},
    {"UC1232", "input x: f32[4, 8]\ny = max(x, dim=[1, -1])\n", "`max` names dimension 1 twice", "once"},
    {"UC1233", "input x: f32[4, 8]\nparam g: f32[4]\ny = layer_norm(x, g)\n",
     "`weight` of `layer_norm` is `g` of [4], and the normalised dimensions are [8]", "[8]"},
    {"UC1233", "input x: f32[4, 8, 2]\nparam b: f32[2]\ny = batch_norm(x, bias=b)\n",
     "`bias` of `batch_norm` is `b` of [2], and the channels are [8]", "[8]"},
    {"UC1233", "input x: f32[4, 8]\nparam g: f32[2, 4, 8]\ny = rms_norm(x, g)\n",
     "`weight` of `rms_norm` is `g` of [2, 4, 8], and the normalised dimensions are [8]", "[8]"},
    {"UC1203", "input x: f32[8]\ny = instance_norm(x)\n", "`instance_norm` of `x` of [8]", "rank 2 or more"},
    {"UC1234", "input x: f32[4, 8, 2]\ny = group_norm(x, 3)\n", "3 groups of 8 channels", "divides 8"},
    {"UC1234", "input x: f32[4, 8, 2]\ny = group_norm(x, 0)\n", "0 groups of 8 channels", "divides 8"},
    {"UC1235", "input x: f32[4, 8]\nparam m: f32[8]\ny = batch_norm(x, mean=m)\n", "one of `mean` and `var`",
     "give both"},
    {"UC1236", "input x: f32[4, 8]\ninput m: f32[4, 8]\ny = cumsum(x, mask=m, dim=1)\n", "the mask `m`",
     "`mask=m != 0`"},
    {"UC1236", "input x: f32[4, 8]\ninput m: bool[3, 8]\ny = cumprod(x, mask=m, dim=1)\n",
     "the mask `m` of [3, 8], bool, for `x`", "broadcasts to [4, 8]"},
    {"UC1237", "input x: f32[4, 8]\ninput t: i64[8]\ny = cross_entropy(x, t)\n",
     "`cross_entropy` of `x` of [4, 8] with the target `t` of [8], i64", "i64[4]"},
    {"UC1237", "input x: f32[4, 8]\ninput t: f32[4]\ny = cross_entropy(x, t)\n", "`t` of [4], f32",
     "f32[4, 8]"},
    {"UC1233", "input x: f32[4, 8]\ninput t: i64[4]\ninput w: f32[4]\ny = cross_entropy(x, t, w)\n",
     "the classes are [8]", "[8]"},
    {"UC1238", "input x: f32[4, 8]\ninput t: f32[4, 6]\ny = mse(x, t)\n",
     "`mse` of `x` of [4, 8] and `t` of [4, 6]", "same shape"},
    {"UC1238", "input a: f32[4, 8]\ninput p: f32[4, 8]\ninput n: f32[4, 6]\ny = triplet_margin(a, p, n)\n",
     "`triplet_margin` of `a` of [4, 8] and `n` of [4, 6]", "same shape"},
    {"UC1239", "input x: f32[4, 8]\ninput t: f32[4, 8]\ny = huber(x, t, delta=0)\n", "delta=0 of `huber`",
     "above zero"},
    {"UC1239", "input x: f32[4, 8]\ninput t: f32[4, 8]\ny = smooth_l1(x, t, beta=-1)\n",
     "beta=-1 of `smooth_l1`", "above zero"},
    {"UC1902", "input x: f32[4, 8]\ny = cumsum(x, dim=1).threads(64)\n", "`.threads` is not emitted yet",
     "drop it"},
    {"UC1902", "input x: f32[4, 8]\ny = cumprod(x, dim=1).vector(2)\n", "`.vector` is not emitted yet",
     "drop it"},
    {"UC1902", "input x: f32[4, 8]\ny = cumsum(x, dim=1).items(auto)\n", "`.items` is not emitted yet",
     "drop it"},
    {"UC1503", "input x: f32[4, 8]\ny = cumsum(x, dim=1).threads(100)\n", "`.threads` does not take",
     "`.threads(COUNT | auto)`"},
    {"UC1503", "input x: f32[4, 8]\ny = layer_norm(x).passes(4)\n", "`.passes` does not take",
     "1 | 2 | 3 | auto"},
    {"UC1503", "input x: f32[4, 8]\ny = softmax(x).cluster(2x1)\n", "`.cluster` does not take",
     "`.cluster(COUNT | auto)`"},
    {"UC1502", "input x: f32[4, 8]\ny = cumsum(x, dim=1).passes(1)\n", "`.passes` does not apply to `cumsum`",
     "reduce normalise loss"},
};

class ReduceDiags : public testing::TestWithParam<Case> {};

TEST_P(ReduceDiags, SaysWhatIsWrongAndWhatToDo) {
  static const Catalog rows = builtin_catalog();
  const Case& param = GetParam();
  const std::string source = std::string("target sm_90a\n") + param.body + "return y\n";
  DiagSink diags;
  resolve(rows, parse(source, diags), diags);
  const std::string text = render_text(diags.sorted(), source, "case.uc");
  ASSERT_EQ(diags.diags().size(), 1U) << text;
  EXPECT_EQ(diags.diags()[0].id, param.id) << text;
  EXPECT_THAT(diags.diags()[0].message, testing::HasSubstr(param.message)) << text;
  EXPECT_THAT(diags.diags()[0].help, testing::HasSubstr(param.help)) << text;
}

INSTANTIATE_TEST_SUITE_P(Each, ReduceDiags, testing::ValuesIn(kCases));

TEST(ReduceDiags, EveryIdHasACase) {
  std::set<std::string> reached;
  for (const Case& each : kCases) reached.insert(each.id);
  for (const DiagKind& kind : reduce_diag_kinds())
    EXPECT_TRUE(reached.contains(std::string(kind.id))) << kind.id << " " << kind.slug;
}

}  // namespace
}  // namespace uc
