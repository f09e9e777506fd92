// Random programs: rules together leave the results as they are, and what is known of values is true.
#include <fmt/format.h>

#include "plan/simplify.h"
#include "rewrites/support/range.h"
#include "rewrites/testing.h"

namespace uc::rewrites {
namespace {

using namespace testing;

// Steps over [6, 8], [6, 1] and [1, 8]: products, whatever stands around them, reductions, slices.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed) {}

  std::string text() {
    out_ =
        "target sm_90a\nprecision strict\n\ninput x: f32[6, 8]\ninput z: f32[6, 8]\nparam V: f32[8, "
        "8]\nparam b: "
        "f32[8]\nparam c: f32[1, 8]\nparam r: f32[6, 1]\n\n";
    full_ = {"x", "z"};
    column_ = {"r"};
    row_ = {"b", "c"};
    const int steps = 4 + static_cast<int>(random_() % 9);
    for (int i = 0; i < steps; ++i) step();
    step_of(fmt::format("tanh({})", any(full_)), full_);
    out_ += "return " + full_.back();
    if (full_.size() > 6 && chance(3)) out_ += ", " + full_[full_.size() - 3];
    return out_ + "\n";
  }

 private:
  bool chance(uint32_t one_in) { return random_() % one_in == 0; }
  std::string pick(const std::vector<std::string>& from) { return from[random_() % from.size()]; }
  std::string any(const std::vector<std::string>& of) {
    return of[of.size() - 1 - random_() % std::min<size_t>(of.size(), 4)];
  }

  void step_of(const std::string& expression, std::vector<std::string>& kind) {
    const std::string name = fmt::format("v{}", count_++);
    out_ += fmt::format("{} = {}\n", name, expression);
    kind.push_back(name);
  }

  void step() {
    const std::string a = any(full_), b = any(full_), row = any(row_), column = any(column_);
    switch (random_() % 18) {
      case 0:
      case 1: return step_of(fmt::format("linear({}, V)", a), full_);
      case 2:
        return step_of(
            fmt::format("{}({}, dim=1, keepdim=true)", pick({"sum", "mean", "max", "logsumexp"}), a),
            column_);
      case 3:
        return step_of(fmt::format("{}({}, dim=0, keepdim=true)", pick({"sum", "mean", "min"}), a), row_);
      case 4:
        return step_of(fmt::format("{}({}, dim={})", pick({"softmax", "log_softmax"}), a, random_() % 2),
                       full_);
      case 5: {
        step_of(fmt::format("slice({}, {}, start={}, end={})", a, 1, 2, 6), parts_);
        return step_of(fmt::format("concat({0}, {0}, dim=1)", parts_.back()), full_);
      }
      case 6:
        return step_of(fmt::format("{} {} {}", a, pick({"+", "-", "*"}), pick({row, column, b, a})), full_);
      case 7:
        return step_of(fmt::format("{} {} {}", a, pick({"*", "/", "+", "-"}), pick({"2.0", "1.0", "0.5"})),
                       full_);
      case 8:
        return step_of(fmt::format("{}({})", pick({"relu", "tanh", "sigmoid", "gelu", "silu"}), a), full_);
      case 9:
        return step_of(
            fmt::format("clamp({}, {}, {})", a, pick({"0.0", "-1.0", "0.75"}), pick({"0.5", "1.0"})), full_);
      case 10: return step_of(fmt::format("minimum({}, {})", a, pick({"0.0", "1.0", b})), full_);
      case 11:
        return step_of(fmt::format("{}({}, dim=1, keepdim=true)", pick({"max", "mean", "logsumexp"}), column),
                       column_);
      case 12:
        return step_of(fmt::format("linear({}, V) >> add({}) >> {}", a, row,
                                   pick({"relu()", "mul(2.0)", "map(it * it)"})),
                       full_);
      case 13: {
        step_of(fmt::format("unsqueeze({}, 1)", a), parts_);
        step_of(fmt::format("{} {} V", parts_.back(), pick({"*", "-"})), parts_);
        if (chance(2)) step_of(fmt::format("square({})", parts_.back()), parts_);
        return step_of(fmt::format("{}({}, dim=2)", pick({"sum", "mean"}), parts_.back()), full_);
      }
      case 16:
        if (chance(3)) return step_of("r * c", full_);
        step_of(fmt::format("expand({}, [6, 8])", pick({"r", "c"})), parts_);
        return step_of(fmt::format("tanh({})", parts_.back()), full_);
      case 14: {
        step_of(fmt::format("linear({}, V)", a), parts_);
        step_of(fmt::format("linear({}, V)", b), parts_);
        return step_of(fmt::format("{} {} {}", parts_[parts_.size() - 2], pick({"+", "-"}), parts_.back()),
                       full_);
      }
      case 15: {  // windows over all three of its dimensions, or with a batch and channels over two or one
        step_of(fmt::format("{} + {}", a, pick({column, row})), parts_);
        step_of(fmt::format("unsqueeze({}, 0)", parts_.back()), parts_);
        if (chance(2)) step_of(fmt::format("unsqueeze({}, 0)", parts_.back()), parts_);
        const std::string pool = pick({"max_pool2d", "avg_pool2d"});
        step_of(fmt::format("{}({}, [3, 2])", pool, parts_.back()), parts_);
        step_of(fmt::format("reshape({}, [1, 8])", parts_.back()), row_);  // [2, 4]
        return;
      }
      default: return step_of(fmt::format("layer_norm({})", a), full_);
    }
  }

  std::mt19937 random_;
  std::string out_;
  int count_ = 0;
  std::vector<std::string> full_, column_, row_, parts_;
};

TEST(SimplifyRandom, KeepsTheResults) {
  std::map<std::string_view, int> used;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    const Program before = program(RandomProgram(seed).text());
    std::vector<Applied> applied;
    const Program after = simplify(catalog(), before, Holds::always, &applied);
    for (const Applied& each : applied) ++used[each.rule->id];
    // Layer norms of nearly equal elements blow rounding up.
    EXPECT_LE(distance(run(after, seed), run(before, seed)), 2e-3) << "seed " << seed << "\n"
                                                                   << print(catalog(), before) << "\nbecame\n"
                                                                   << print(catalog(), after);
    if (::testing::Test::HasFailure()) return;
  }
  for (const std::string_view rule :
       {"sum-of-product", "one-element", "bounded", "common-work", "neutral-operand", "shift-before-norm",
        "scale-into-weights", "partial-result", "chained-weights", "extreme-before-rising",
        "difference-of-equals", "number-out-of-product", "shared-factor", "sum-of-broadcast-product",
        "repeated-operand"})
    EXPECT_GE(used[rule], 3) << rule << " was hardly tried";
}

TEST(SimplifyRandom, EveryRuleAloneKeepsTheResults) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const Program before = program(RandomProgram(seed).text());
    for (const RewriteSpec* each : catalog().rewrites()) {
      if (!each->simplifies || each->holds != Holds::always) continue;
      for (const Site& site : each->find(before, context(Precision::f16))) {
        const Program after = settle(each->apply(before, site, context(Precision::f16)));
        EXPECT_NE(print(catalog(), after), print(catalog(), before)) << each->id;
        EXPECT_LE(distance(run(after, seed), run(before, seed)), 2e-3)
            << "seed " << seed << ", " << each->id << ": " << site.what << "\n"
            << print(catalog(), before) << "\nbecame\n"
            << print(catalog(), after);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(SimplifyRandom, ValuesAreWithinTheirRanges) {
  size_t bounded = 0;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    const Program of = program(RandomProgram(seed).text());
    Simplifier s(catalog(), of);
    std::vector<Range> ranges;
    Program all = of;  // every step's result is returned
    all.results.clear();
    for (const Step& step : of.steps) {
      for (const ValueId id : step.results) {
        if (of[step.main].spec->is_view()) continue;
        all.results.push_back(id);
        ranges.push_back(range_of(s, id));
        bounded += std::isfinite(ranges.back().low) || std::isfinite(ranges.back().high) ? 1 : 0;
      }
    }
    const auto results = run(all, seed);
    ASSERT_EQ(results.size(), ranges.size());
    for (size_t i = 0; i < results.size(); ++i) {
      for (int64_t k = 0; k < results[i].count(); ++k) {
        const double x = results[i].at(k), slack = 1e-6 * std::max(1.0, std::abs(x));
        ASSERT_TRUE(std::isnan(x) || (x >= ranges[i].low - slack && x <= ranges[i].high + slack))
            << x << " of [" << ranges[i].low << ", " << ranges[i].high << "]\n"
            << print(catalog(), all);
      }
    }
  }
  EXPECT_GE(bounded, 300U);
}

// The bounds of single functions, at many places.
TEST(SimplifyRandom, FunctionsAreWithinTheirBounds) {
  for (const char* f :
       {"tanh",  "sigmoid",   "hardsigmoid", "softsign", "sin",  "cos",           "erf",
        "relu6", "relu",      "square",      "abs",      "exp",  "softplus",      "logsigmoid",
        "expm1", "hardswish", "gelu",        "silu",     "mish", "gelu(it, tanh)"}) {
    const std::string call = std::string(f) == "gelu(it, tanh)" ? "gelu(x, tanh)" : fmt::format("{}(x)", f);
    const Program of = program(fmt::format("target sm_90a\ninput x: f32[4001]\ny = {}\nreturn y\n", call));
    Simplifier s(catalog(), of);
    const Range range = range_of(s, of.results[0]);
    EXPECT_TRUE(std::isfinite(range.low) || std::isfinite(range.high)) << f;
    HostTensor x = HostTensor::zeros(DType::f32, {4001});
    for (int64_t i = 0; i < 4001; ++i) x.set(i, static_cast<double>(i - 2000) / 200);
    const auto results = execute(catalog(), of, std::vector{x}, {});
    ASSERT_TRUE(results);
    for (int64_t i = 0; i < 4001; ++i) {
      EXPECT_GE((*results)[0].at(i), range.low) << f << " of " << x.at(i);
      EXPECT_LE((*results)[0].at(i), range.high) << f << " of " << x.at(i);
    }
  }
}

}  // namespace
}  // namespace uc::rewrites
