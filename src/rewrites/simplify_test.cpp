// Rules that simplify, one by one: what becomes what, the same numbers, and where they keep away.
#include "plan/simplify.h"

#include <gmock/gmock.h>

#include "rewrites/testing.h"

namespace uc::rewrites {
namespace {

using namespace testing;

constexpr const char* kHead =
    "target sm_90a\nprecision strict\n\ninput x: f32[6, 8]\ninput c: f32[6, 8, 5]\ninput r: f32[6, 1]\n"
    "param W: f32[12, 8]\nparam b: f32[12]\nparam v: f32[4, 5, 7]\n\n";

struct Rewriting {
  const char* rule;
  const char* before;  ///< after kHead
  const char* after;   ///< what the rule alone leaves, as steps
  double bound = 0;    ///< |difference| / |result|, in the 2-norm
};

constexpr double kRounding = 2e-6;  // sums of up to a few hundred f32 products, in another order

constexpr Rewriting kRewritings[] = {
    {"sum-of-product", "t = linear(x, W)\ny = sum(t, dim=1, keepdim=true)\nreturn y\n",
     "s1 = sum(W, dim=0, keepdim=true)\ny = linear(x, s1)\nreturn y\n", kRounding},
    {"sum-of-product", "t = linear(x, W)\nu = t + b\nw = u * r\ny = mean(w, dim=[0, 1])\nreturn y\n",
     nullptr},
    {"sum-of-product", "t = linear(x, W)\nu = t + b\nw = u / 4.0\ny = sum(w, dim=0)\nreturn y\n",
     "s1 = sum(x, dim=0, keepdim=true)\ns2 = linear(s1, W)\ns3 = b * 6.0\ns4 = s2 + s3\ns5 = s4 / 4.0\n"
     "y = reshape(s5, [12])\nreturn y\n",
     kRounding},
    {"sum-of-product", "t = linear(x, W)\nu = relu(t)\ny = sum(u, dim=1)\nreturn y\n", nullptr},
    {"sum-of-product", "t = linear(x, W)\nu = relu(t)\ny = sum(t, dim=1)\nreturn u, y\n", nullptr},
};

TEST(Simplify, EachRuleGivesWhatItSays) {
  for (const Rewriting& each : kRewritings) {
    const Program before = program(std::string(kHead) + each.before);
    const Program after = exhaust(each.rule, before);
    const std::string wanted =
        print(catalog(), program(std::string(kHead) + (each.after == nullptr ? each.before : each.after)));
    EXPECT_EQ(print(catalog(), after), wanted) << each.rule;
    for (uint32_t seed = 0; seed < 3; ++seed)
      EXPECT_LE(distance(run(after, seed), run(before, seed)), each.bound);
  }
}

TEST(Simplify, EveryRowSaysWhyItHolds) {
  size_t count = 0;
  for (const RewriteSpec* each : catalog().rewrites()) {
    EXPECT_EQ(each->simplifies, each->simplify != nullptr) << each->id;
    if (!each->simplifies) continue;
    ++count;
    EXPECT_FALSE(each->justification.empty()) << each->id;
  }
  EXPECT_GE(count, 1U);
}

TEST(Simplify, NamesWhereARuleApplied) {
  std::vector<Applied> applied;
  const Program before =
      program(std::string(kHead) + "y = linear(x, W) >> mul(2.0) >> sum(dim=1)\nreturn y\n");
  const Program after = simplify(catalog(), before, Holds::always, &applied);
  ASSERT_EQ(applied.size(), 1U);
  EXPECT_EQ(applied[0].rule->id, "sum-of-product");
  EXPECT_EQ(applied[0].where, "sum of `y`");
  EXPECT_LE(distance(run(after, 1), run(before, 1)), kRounding);
}

}  // namespace
}  // namespace uc::rewrites
