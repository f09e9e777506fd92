// Random programs: what the executor computes lies where an evaluator that shares no code with it says. Every
// result of every step is compared, so the first difference names the step.
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

#include "base/text.h"
#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "exec/execute.h"
#include "host_launch.h"
#include "program_generator.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

semantics::ProgramData bind(const evaluator::GeneratedProgram& program) {
  semantics::ProgramData out;
  for (const evaluator::Datum& datum : program.data) {
    HostTensor tensor = HostTensor::zeros(*parse_dtype(datum.dtype), datum.shape);
    for (size_t i = 0; i < datum.data.size(); ++i) tensor.set(static_cast<int64_t>(i), datum.data[i]);
    if (datum.kind == "scalar") {
      out.scalars.push_back(datum.data[0]);
    } else {
      (datum.kind == "input" ? out.inputs : out.params).push_back(std::move(tensor));
    }
  }
  return out;
}

struct Tally {
  size_t elements = 0, undecided = 0, points = 0;
  size_t lowered = 0;  ///< programs whose kernels ran too
};

bool within(const evaluator::Cell& cell, double value) {
  if (std::isnan(cell.lo)) return std::isnan(value);
  return value >= cell.lo && value <= cell.hi;
}

void compare(const std::string& name, const HostTensor& ours, const evaluator::Tensor& theirs, Tally& tally) {
  ASSERT_EQ(uc::name(ours.dtype), theirs.dtype) << name;
  ASSERT_EQ(ours.shape, theirs.shape) << name;
  for (int64_t i = 0; i < ours.count(); ++i) {
    const evaluator::Cell& cell = theirs.cells[static_cast<size_t>(i)];
    ++tally.elements;
    tally.undecided += cell.any ? 1 : 0;
    tally.points += !cell.any && (cell.lo == cell.hi || std::isnan(cell.lo)) ? 1 : 0;
    ASSERT_TRUE(cell.any || within(cell, ours.at(i)))
        << name << ", element " << i << ": " << shortest_float(ours.at(i)) << " is not in ["
        << shortest_float(cell.lo) << ", " << shortest_float(cell.hi) << "]";
  }
}

/// The kernels of the program, where every step is one.
void check_kernels(const evaluator::GeneratedProgram& made, const Program& program,
                   const semantics::ProgramData& data, Tally& tally) {
  SCOPED_TRACE("its kernels");
  DiagSink diags;
  const std::vector<Launch> launches = lower(catalog(), program, diags);
  for (const Diag& diag : diags.diags()) {
    ASSERT_EQ(diag.id, "UC1410") << render_text(diags.sorted(), made.text, "random.uc");
  }
  if (diags.has_errors()) return;
  const std::vector<HostTensor> out = semantics::run_launches(program, launches, data);
  for (size_t i = 0; i < out.size(); ++i)
    compare(made.results[i], out[i], made.meaning[made.results[i]], tally);
  ++tally.lowered;
}

void check(uint64_t seed, Tally& tally) {
  const evaluator::GeneratedProgram made = evaluator::generate(seed);
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + made.text);
  DiagSink diags;
  const Program program = resolve(catalog(), parse(made.text, diags), diags);
  ASSERT_FALSE(diags.has_errors()) << render_text(diags.sorted(), made.text, "random.uc");
  const semantics::ProgramData bound = bind(made);
  const auto out = execute(catalog(), program, bound.inputs, bound.params, bound.scalars);
  ASSERT_TRUE(out.has_value()) << out.error().message;
  ASSERT_EQ(out->size(), made.results.size());
  for (size_t i = 0; i < out->size(); ++i)
    compare(made.results[i], (*out)[i], made.meaning[made.results[i]], tally);
  if (!testing::Test::HasFatalFailure()) check_kernels(made, program, bound, tally);
}

class RandomPrograms : public testing::TestWithParam<int> {};

TEST_P(RandomPrograms, MeanTheSame) {
  const char* more = std::getenv("UC_PROPERTY_PROGRAMS");  // for a long run: programs for each of the eight
  const uint64_t programs = more == nullptr ? 250 : std::strtoull(more, nullptr, 10);
  const uint64_t first = static_cast<uint64_t>(GetParam()) * programs;
  Tally tally;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    check(seed, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.elements, 10000U);
  EXPECT_LT(tally.undecided * 20, tally.elements)
      << tally.undecided << " of " << tally.elements << " elements say nothing";
  EXPECT_GT(tally.lowered * 10, programs * 9);
  EXPECT_GT(tally.points * 4, tally.elements) << "exact answers are part of the test";
}

INSTANTIATE_TEST_SUITE_P(Semantics, RandomPrograms, testing::Range(0, 8));

TEST(Evaluator, RoundsAsTheFormatsSay) {
  EXPECT_EQ(evaluator::rounded("f16", 2049), 2048);
  EXPECT_EQ(evaluator::rounded("f16", 2051), 2052);
  EXPECT_EQ(evaluator::rounded("f16", 65520), INFINITY);
  EXPECT_EQ(evaluator::rounded("f16", std::ldexp(1.5, -25)), std::ldexp(1.0, -24));
  EXPECT_EQ(evaluator::rounded("bf16", 1.00390625), 1.0);
  EXPECT_EQ(evaluator::rounded("f8e4m3", 460), 448);
  EXPECT_TRUE(std::isnan(evaluator::rounded("f8e4m3", 480)));
  EXPECT_EQ(evaluator::rounded("f8e5m2", 3.5), 3.5);
  EXPECT_EQ(evaluator::rounded("i8", -129.9), 127);
  EXPECT_EQ(evaluator::rounded("u8", -1), 255);
}

}  // namespace
}  // namespace uc
