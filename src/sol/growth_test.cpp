// Bounds of a program of a thousand operators take as long an operator as those of a short one: nothing is
// looked for again and again. Time of this process, not of the clock on the wall, and the least of several
// runs, so that a busy machine changes little; twice as long an operator is allowed.
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "sol/sol.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

// A recurrent layer written step by step: each step reads a slice of one input and the state before it, and
// gives one of the results.
Program recurrence(size_t steps) {
  std::string text = fmt::format(
      "target sm_90a\nprecision tf32\ninput x: f32[{}, 8, 64]\ninput h: f32[8, 32]\nparam W: f32[32, 96]\n\n",
      steps);
  std::string state = "h";
  for (size_t t = 0; t < steps; ++t) {
    text += fmt::format(
        "s{0} = slice(x, 0, start={0}, end={1})\nx{0} = squeeze(s{0}, 0)\nc{0} = concat(x{0}, {2}, dim=1)\n"
        "l{0} = linear(c{0}, W)\nh{0} = tanh(l{0})\n",
        t, t + 1, state);
    state = fmt::format("h{}", t);
  }
  text += "return " + state + "\n";
  DiagSink diags;
  const ast::File tree = parse(text, diags);
  Program program = resolve(catalog(), tree, diags);
  EXPECT_FALSE(diags.has_errors());
  return program;
}

double seconds_of(const Program& program) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();
    EXPECT_GT(speed_of_light(catalog(), program, *catalog().device("h200")).certified.total_us, 0);
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

TEST(Sol, TakesAsLongAnOperatorInLongPrograms) {
  const double short_one = seconds_of(recurrence(128));
  const double long_one = seconds_of(recurrence(1024));
  EXPECT_LT(long_one, 2 * 8 * short_one) << "quadratic work would take 64 times as long";
}

}  // namespace
}  // namespace uc
