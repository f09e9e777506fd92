// What is applied passes its rule, what does not is left alone, and the result has nothing more to apply.
#include "compiler/fix.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "catalog/builtin.h"

namespace uc {
namespace {

using testing::HasSubstr;
using testing::Not;

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

Fixed fixed(std::string_view source) {
  return fix_source(catalog(), source, {.device = {}, .language_only = true});
}

TEST(FixSource, LeavesALegalProgramAlone) {
  const std::string source = "target sm_90a\ninput x: f32[64]\ny = relu(x)\nreturn y\n";
  const Fixed result = fixed(source);
  EXPECT_EQ(result.source, source);
  EXPECT_TRUE(result.applied.empty() && result.settled && result.compiled.ok());
}

TEST(FixSource, MendsFaultsOfEveryPhase) {
  const Fixed result = fixed(
      "target sm_90a\ninput a: f16[256, 64]\ninput b: f16[64, 256]\n"
      "y = gemn(a, b).tile(64x256x64).schedule(cooperative) >> mul(.5) >> reluu()\nreturn y\n");
  EXPECT_TRUE(result.compiled.ok()) << result.source;
  EXPECT_THAT(result.source, HasSubstr("gemm(a, b)"));
  EXPECT_THAT(result.source, HasSubstr("mul(0.5)"));
  EXPECT_THAT(result.source, HasSubstr(">> relu()"));
  EXPECT_THAT(result.source, Not(HasSubstr("64x256x64).schedule(cooperative)")));
  EXPECT_EQ(result.applied.size(), 4U);
}

TEST(FixSource, KeepsWhatItCannotMend) {
  const Fixed result = fixed("target sm_90a\ninput x: f32[64]\ny = qqqqqqqq(x) >> mul(.5)\nreturn y\n");
  EXPECT_THAT(result.source, HasSubstr("qqqqqqqq(x) >> mul(0.5)"));
  EXPECT_FALSE(result.compiled.ok());
  EXPECT_EQ(result.applied.size(), 1U);
}

/// The entries of a corpus: a line `%%%% name`, then the text.
std::vector<std::string> corpus(const std::string& file) {
  std::ifstream in(UC_SOURCE_DIR "/tests/language/corpus/" + file, std::ios::binary);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("%%%% ")) {
      out.emplace_back();
    } else if (!out.empty()) {
      out.back() += line + "\n";
    }
  }
  return out;
}

size_t errors(const Fixed& result) { return result.compiled.diags.error_count(); }

TEST(FixSource, EndsAtAFixedPointOnBrokenPrograms) {
  const std::vector<std::string> programs = corpus("broken.txt");
  ASSERT_GT(programs.size(), 400U);
  size_t changed = 0;
  for (size_t i = 0; i < programs.size(); i += 4) {
    const Fixed once = fixed(programs[i]);
    ASSERT_TRUE(once.settled);
    EXPECT_EQ(once.source == programs[i], once.applied.empty());
    const Fixed twice = fixed(once.source);
    EXPECT_EQ(twice.source, once.source);
    EXPECT_EQ(errors(twice), errors(once));
    changed += once.applied.empty() ? 0 : 1;
  }
  EXPECT_GT(changed, 20U);
}

TEST(FixSource, MendsTheRuleBooksExamplesThatHaveAReplacement) {
  size_t mended = 0;
  for (const RuleSpec* rule : catalog().rules()) {
    const Fixed result = fixed(rule->bad_example);
    const bool offered = std::ranges::any_of(
        check_source(catalog(), rule->bad_example, {.device = {}, .language_only = true}).diags.diags(),
        [&](const Diag& diag) { return diag.id == rule->id && !diag.replacement.empty(); });
    const bool left = std::ranges::any_of(result.compiled.diags.diags(),
                                          [&](const Diag& diag) { return diag.id == rule->id; });
    EXPECT_FALSE(offered && left) << rule->id << ": its replacement does not pass it\n" << result.source;
    mended += offered && !left ? 1 : 0;
  }
  EXPECT_GT(mended, 5U);
}

}  // namespace
}  // namespace uc
