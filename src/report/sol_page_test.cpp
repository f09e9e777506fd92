// Numbers of a page against those of the report that it shows.
#include "report/sol_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "report/roofline_plot.h"
#include "sol/quantity.h"
#include "syntax/parser.h"

namespace uc {
namespace {

using testing::HasSubstr;
using testing::Not;

SolSubject subject_of(const Catalog& catalog, const std::string& source,
                      Precision precision = Precision::tf32) {
  DiagSink diags;
  const Program program = resolve(catalog, parse(source, diags), diags);
  for (const Diag& each : diags.diags()) ADD_FAILURE() << each.message;
  SolOptions options;
  options.precision = precision;
  SolSubject out;
  out.device = catalog.device("h200");
  out.report = speed_of_light(catalog, program, *out.device, options);
  out.command = "ucutlass sol x.uc";
  return out;
}

constexpr const char* kMatmul =
    "target sm_90a\nname square\ninput a: f32[4096, 4096]\ninput b: f32[4096, 4096]\nc = gemm(a, b)\nreturn "
    "c\n";
constexpr const char* kSum = "target sm_90a\ninput a: f32[4096, 4096]\nc = exp(a)\nreturn c\n";

TEST(SolPage, ShowsBothBoundsAndWhatTheyAreMadeOf) {
  const Catalog catalog = builtin_catalog();
  const SolSubject subject = subject_of(catalog, kMatmul);
  const std::string page = sol_html({&subject, 1});
  // 2 x 4096^3 FLOP at 132 x 2048 x 1980e6: 256.8 us
  EXPECT_THAT(page, HasSubstr("256.8 µs"));
  EXPECT_THAT(page, HasSubstr(duration(subject.report.calibrated.total_us)));
  EXPECT_THAT(page, HasSubstr("137 GFLOP"));
  for (const SolLevel& each : subject.report.levels) {
    EXPECT_THAT(page, HasSubstr(std::string(each.summary)));
    EXPECT_THAT(page, HasSubstr(duration(each.theoretical_us)));
  }
  for (const SolWhatIf& each : subject.report.what_if)
    EXPECT_THAT(page, HasSubstr(duration(each.certified.total_us))) << each.math;
  for (const SolStep& each : subject.report.steps) EXPECT_THAT(page, HasSubstr(each.what));
  EXPECT_THAT(page, HasSubstr("ucutlass sol x.uc"));
}

TEST(SolPage, ThePlotsPlaceIsWorkByBytes) {
  const Catalog catalog = builtin_catalog();
  // 2 x 4096^3 FLOP; two operands of 67.1 MB are read, the result of 67.1 MB is 4.2 MB larger than L2.
  const PlottedWork whole = plotted_whole(subject_of(catalog, kMatmul).report);
  EXPECT_FALSE(whole.scalar);
  EXPECT_DOUBLE_EQ(whole.operations, 137438953472.0);
  EXPECT_NEAR(whole.bytes, 3 * 67108864.0 - 62914560.0, 1);
  // Without a matrix product scalar operations count.
  const PlottedWork scalar = plotted_whole(subject_of(catalog, kSum).report);
  EXPECT_TRUE(scalar.scalar);
  EXPECT_GE(scalar.operations, 4096.0 * 4096);  // one exponential an element, and what belongs to it
}

TEST(SolPage, TimesBeyondTheLicenceAreListedAndNeverTheBest) {
  const Catalog catalog = builtin_catalog();
  SolSubject subject = subject_of(catalog, kMatmul);
  EXPECT_EQ(best_time(subject), nullptr);
  subject.times = {{"slow", 900, Precision::tf32, false, true, "here", false},
                   {"half", 100, Precision::f16, false, true, "here", false}};
  ASSERT_NE(best_time(subject), nullptr);
  EXPECT_EQ(best_time(subject)->name, "slow");
  const std::string page = sol_html({&subject, 1});
  EXPECT_THAT(page, HasSubstr("3.51x"));  // 900 / 256.8
  EXPECT_THAT(page, HasSubstr("f16, which tf32 does not allow"));
}

TEST(SolPage, RulesSayWhetherTheyAlwaysHold) {
  const Catalog catalog = builtin_catalog();
  SolSubject subject = subject_of(catalog, kMatmul);
  subject.report.rules = {{"triangular", "gemm of `c`", Holds::observed, "half of it is zero"},
                          {"dead", "exp of `d`", Holds::always, "nobody reads it"}};
  subject.report.promised.total_us = subject.report.certified.total_us * 2;
  const std::string page = sol_html({&subject, 1});
  EXPECT_THAT(page, HasSubstr("on observed inputs"));
  EXPECT_THAT(page, HasSubstr("half of it is zero"));
  EXPECT_THAT(page, HasSubstr("nobody reads it"));
  EXPECT_THAT(page, HasSubstr("certified on any inputs"));
}

TEST(SolPage, HostileNamesStayText) {
  const Catalog catalog = builtin_catalog();
  SolSubject subject = subject_of(catalog, kMatmul);
  subject.report.program = "</title><script>alert(1)</script>";
  subject.times = {{"\"><script>", 900, Precision::tf32, false, true, "<img src=x>", false}};
  subject.command = "rm <b> && x";
  const std::string page = sol_html({&subject, 1});
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("rm &lt;b&gt; &amp;&amp; x"));
}

TEST(SolPage, NothingToDoIsAPageToo) {
  const Catalog catalog = builtin_catalog();
  SolSubject subject;
  subject.device = catalog.device("h200");
  subject.report.device_name = "NVIDIA H200";
  const std::string page = sol_html({&subject, 1});
  EXPECT_THAT(page, HasSubstr("the result is known beforehand"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("inf\"")));
}

TEST(SolPage, SeveralAreComparedWithEachBelow) {
  const Catalog catalog = builtin_catalog();
  std::vector<SolSubject> subjects{subject_of(catalog, kMatmul),
                                   subject_of(catalog, kMatmul, Precision::f16)};
  subjects.push_back(subjects[0]);
  subjects[2].missing = "a100 has no rate for f8";
  const std::string page = sol_html(subjects);
  EXPECT_THAT(page, HasSubstr("Speed of light: 3 bounds"));
  EXPECT_THAT(page, HasSubstr("128.4 µs"));
  EXPECT_THAT(page, HasSubstr("a100 has no rate for f8"));
  EXPECT_THAT(page, HasSubstr("id=\"inside0\""));
  EXPECT_THAT(page, HasSubstr("id=\"inside1\""));
}

TEST(SolPage, ASuiteIsATableAlone) {
  const Catalog catalog = builtin_catalog();
  const std::vector<SolSubject> subjects(40, subject_of(catalog, kMatmul));
  const std::string page = sol_html(subjects);
  EXPECT_THAT(page, HasSubstr("Speed of light: 40 bounds"));
  EXPECT_THAT(page, Not(HasSubstr("<details")));
}

TEST(SolPage, NeedsNothingFromOutside) {
  const Catalog catalog = builtin_catalog();
  const SolSubject subject = subject_of(catalog, kMatmul);
  const std::string page = sol_html({&subject, 1});
  for (const char* outside : {"src=", "href=", "@import", "<script", "<link"})
    EXPECT_THAT(page, Not(HasSubstr(outside))) << outside;
}

}  // namespace
}  // namespace uc
