// Rules that simplify, one by one: where they apply, what is gone then, the same numbers, and where they keep
// away.
#include "plan/simplify.h"

#include <gmock/gmock.h>

#include "rewrites/simplify_cases.h"
#include "rewrites/support/cut.h"
#include "rewrites/testing.h"

namespace uc::rewrites {
namespace {

using namespace testing;

TEST(Simplify, EachRuleGivesTheSameNumbers) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(std::string(each.rule) + ":\n" + each.steps);
    const Program before = program(whole(each.steps));
    const Program after = exhaust(each.rule, before);
    const std::string now = print(catalog(), after);
    if (each.gone != nullptr) {
      EXPECT_NE(now, print(catalog(), before));
      EXPECT_EQ(now.find(each.gone), std::string::npos) << now;
      EXPECT_NE(now.find(each.there), std::string::npos) << now;
    }
    for (uint32_t seed = 0; seed < 3; ++seed)
      EXPECT_LE(distance(run(after, seed), run(before, seed)), each.bound) << now;
    EXPECT_LE(distance(run(after, 1, Data::zeros), run(before, 1, Data::zeros)), each.bound) << now;
    if (each.special) {
      EXPECT_EQ(distance(run(after, 1, Data::special), run(before, 1, Data::special)), 0) << now;
    }
  }
}

TEST(Simplify, EachRuleKeepsAway) {
  for (const Away& each : kAway) {
    const auto sites = row(each.rule).find(program(whole(each.steps)), context(Precision::f16));
    EXPECT_TRUE(sites.empty()) << each.rule << " applies to\n"
                               << each.steps << "at " << (sites.empty() ? "" : sites[0].what);
  }
}

// Against the elements themselves: all cuts of all reshapes of some shapes.
TEST(Simplify, CutsBeforeAReshapeAreTheSameElements) {
  const auto elements = [](const Shape& shape, const Cut& at) {
    std::vector<int64_t> out;
    for (int64_t i = 0; i < numel(shape); ++i) {
      int64_t inner = 1;
      for (size_t k = at.dim + 1; k < shape.size(); ++k) inner *= shape[k];
      const int64_t index = i / inner % shape[at.dim] - at.start;
      if (index >= 0 && index % at.step == 0 && index / at.step < at.count) out.push_back(i);
    }
    return out;
  };
  const Shape shapes[] = {{24}, {2, 12}, {4, 6}, {2, 3, 4}, {6, 4}, {1, 24, 1}, {2, 2, 6}, {3, 8}, {4, 3, 2}};
  size_t found = 0;
  for (const Shape& from : shapes) {
    for (const Shape& to : shapes) {
      for (size_t dim = 0; dim < to.size(); ++dim) {
        for (int64_t start = 0; start < to[dim]; ++start) {
          for (int64_t step = 1; step <= to[dim]; ++step) {
            for (int64_t count = 1; start + (count - 1) * step < to[dim]; ++count) {
              const Cut at{dim, start, count, step};
              const auto before = cut_before_reshape(from, to, at);
              if (!before) continue;
              ++found;
              ASSERT_EQ(elements(from, *before), elements(to, at))
                  << to_text(from) << " " << to_text(to) << " " << dim;
            }
          }
        }
      }
    }
  }
  EXPECT_GE(found, 1000U);
}

TEST(Simplify, EveryRowSaysWhyItHoldsAndIsTried) {
  for (const RewriteSpec* each : catalog().rewrites()) {
    EXPECT_EQ(each->simplifies, each->simplify != nullptr) << each->id;
    if (!each->simplifies) continue;
    EXPECT_FALSE(each->justification.empty()) << each->id;
    const bool tried = std::ranges::any_of(kCases, [&](const Case& one) { return one.rule == each->id; });
    EXPECT_TRUE(tried || each->holds == Holds::observed) << each->id << " has no case";
  }
}

TEST(Simplify, DropsWhatNobodyReads) {
  Program dead = program(whole("t = linear(x, W)\nu = tanh(t)\ny = exp(x)\nreturn y, u\n"));
  dead.results.pop_back();  // a program in text has no dead steps
  std::vector<Applied> applied;
  const Program after = simplify(catalog(), dead, Holds::always, &applied);
  ASSERT_EQ(applied.size(), 1U);
  EXPECT_EQ(applied[0].rule->id, "dead-work");
  EXPECT_EQ(after.steps.size(), 1U);
}

/// A rule that holds for what was seen: of a program with that seen of its first input (or result).
struct Seen {
  const char* rule;
  const char* steps;
  Observed of_input, of_result;
  const char* gone;
  Observed of_param = {};  ///< of g, the scale, and of M, the mask
};

TEST(Simplify, LeavesWhatWasSeenToThoseWhoAsk) {
  const Seen all[] = {
      {"observed-constant", "t = linear(x, W)\ny = relu(t)\nreturn y\n", {}, {{}, 0.0, {}, {}}, "linear"},
      {"observed-constant-input", "y = exp(x)\nreturn y\n", {{}, 2.0, {}, {}}, {}, "exp(x)"},
      {"observed-mean-of-norm",
       "t = group_norm(i, 2, g, h)\ny = mean(t, dim=[1, 2, 3])\nreturn y\n",
       {},
       {},
       "group_norm",
       {{}, 1.0, {}, {}}},
      {"observed-causal-attention",
       "a = transpose(q)\nd = gemm(q, a)\nk = slice(M, 2, end=5)\nl = k == 0\nw = where(l, -inf, d)\np = "
       "softmax(w, "
       "dim=-1)\ny = gemm(p, q)\nreturn y\n",
       {},
       {},
       "softmax",
       {{"lower"}, {}, {}, {}}},
      {"observed-causal-relu",
       "a = transpose(q)\nd = gemm(q, a)\nk = slice(M, 2, end=5)\nl = k == 0\nw = where(l, -inf, d)\np = "
       "relu(w)\ny "
       "= gemm(p, q)\nreturn y\n",
       {},
       {},
       "gemm(p",
       {{"lower"}, {}, {}, {}}},
      {"observed-diagonal", "y = gemm(s, x)\nreturn y\n", {{"diag"}, {}, {}, {}}, {}, "gemm"}};
  for (const Seen& each : all) {
    std::string text = whole(each.steps);
    if (each.rule == std::string("observed-diagonal"))
      text.insert(text.find("input x"), "input s: f32[6, 6]\n");
    Program seen = program(text);
    seen[seen.inputs[0]].observed = each.of_input;
    seen[seen.results[0]].observed = each.of_result;
    for (const ValueId id : seen.params) {
      if (seen[id].name == "g" || seen[id].name == "M") seen[id].observed = each.of_param;
    }
    EXPECT_NE(print(catalog(), simplify(catalog(), seen, Holds::always)).find(each.gone), std::string::npos);
    std::vector<Applied> applied;
    const Program after = simplify(catalog(), seen, Holds::observed, &applied);
    EXPECT_EQ(print(catalog(), after).find(each.gone), std::string::npos) << each.rule;
    const auto rule =
        std::ranges::find_if(applied, [&](const Applied& one) { return one.rule->id == each.rule; });
    ASSERT_NE(rule, applied.end()) << each.rule;
    EXPECT_EQ(rule->rule->holds, Holds::observed);
  }
}

TEST(Simplify, TakesFusedStepsApart) {
  std::vector<Applied> applied;
  const Program before = program(whole("y = linear(x, W) >> mul(2.0) >> sum(dim=1)\nreturn y\n"));
  const Program after = simplify(catalog(), before, Holds::always, &applied);
  const auto sum =
      std::ranges::find_if(applied, [](const Applied& each) { return each.rule->id == "sum-of-product"; });
  ASSERT_NE(sum, applied.end());
  EXPECT_EQ(sum->where, "sum of `y`");
  EXPECT_LE(distance(run(after, 1), run(before, 1)), kRounding);
}

TEST(Simplify, KeepsStepsThatStoreWhole) {
  const Program before = program(
      whole("u, y = linear(x, W) >> mul(1.0) >> store() >> relu()\nw = u * 1.0\nz2 = w - y\nreturn y, z2\n"));
  const Program after = simplify(catalog(), before, Holds::always);
  EXPECT_LT(after.steps.size(), before.steps.size());
  EXPECT_EQ(distance(run(after, 1), run(before, 1)), 0);
}

TEST(Simplify, KeepsTheResultsNames) {
  const Program after =
      simplify(catalog(), program(whole("t = x * 1.0\ny = t / 1.0\nreturn y, t\n")), Holds::always);
  ASSERT_EQ(after.results.size(), 2U);
  EXPECT_NE(after.results[0], after.results[1]);  // x twice, copied: results are made by steps, once each
  EXPECT_EQ(distance(run(after, 1), run(program(whole("y = x + 0.0\nt = x + 0.0\nreturn y, t\n")), 1)), 0);
}

}  // namespace
}  // namespace uc::rewrites
