// Every rule's examples: the bad one raises exactly its own id, the good one none; what a rule proposes
// passes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "check/rule_engine.h"
#include "plan/choose.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

// The ids that checking the program raises, in the order of compiler/pipeline.cpp.
DiagSink check(std::string_view source) {
  DiagSink diags;
  diags.relax("UC19");
  const ast::File tree = parse(source, diags);
  if (diags.has_errors()) return diags;
  const Program program = resolve(catalog(), tree, diags);
  if (diags.has_errors()) return diags;
  const DeviceSpec& device = *catalog().device_of_target(program.target);
  run_step_rules(catalog(), program, device, diags);
  std::vector<Launch> launches = lower(catalog(), program, diags);
  if (diags.has_errors()) return diags;
  for (const Launch& launch : launches) run_rules(catalog(), program, launch, device, diags);
  if (diags.has_errors()) return diags;
  choose_automatic(catalog(), program, launches, device, diags);
  if (diags.has_errors()) return diags;
  for (const Launch& launch : launches) run_rules(catalog(), program, launch, device, diags);
  return diags;
}

std::set<std::string> ids(const DiagSink& diags) {
  std::set<std::string> out;
  for (const Diag& diag : diags.sorted()) {
    if (!diag.id.starts_with("UC19")) out.insert(diag.id);  // rules hold for what has no kernel yet too
  }
  return out;
}

std::string messages(const DiagSink& diags) {
  std::string out;
  for (const Diag& diag : diags.sorted()) out += diag.id + ": " + diag.message + " | " + diag.help + "\n";
  return out;
}

class RuleWalk : public ::testing::TestWithParam<const RuleSpec*> {};

TEST_P(RuleWalk, BadExampleRaisesExactlyItsId) {
  const RuleSpec& rule = *GetParam();
  const DiagSink diags = check(rule.bad_example);
  EXPECT_THAT(ids(diags), ::testing::ElementsAre(std::string(rule.id)))
      << rule.bad_example << messages(diags);
  for (const Diag& diag : diags.diags()) {
    if (diag.id.starts_with("UC19")) continue;
    EXPECT_FALSE(diag.help.empty()) << "a finding names the nearest thing that works";
    EXPECT_EQ(diag.slug, rule.slug);
    EXPECT_EQ(diag.severity, rule.severity);
  }
}

TEST_P(RuleWalk, GoodExampleRaisesNone) {
  const RuleSpec& rule = *GetParam();
  const DiagSink diags = check(rule.good_example);
  EXPECT_THAT(ids(diags), ::testing::IsEmpty()) << rule.good_example << messages(diags);
}

TEST_P(RuleWalk, ReplacementPassesTheRule) {
  const RuleSpec& rule = *GetParam();
  const DiagSink before = check(rule.bad_example);
  for (const Diag& diag : before.diags()) {
    if (diag.replacement.empty()) continue;
    std::string mended(rule.bad_example);
    mended.replace(diag.span.begin, diag.span.end - diag.span.begin, diag.replacement);
    const DiagSink after = check(mended);
    EXPECT_THAT(ids(after), ::testing::Not(::testing::Contains(std::string(rule.id))))
        << mended << messages(after);
    EXPECT_FALSE(after.has_errors()) << mended << messages(after);
  }
}

TEST_P(RuleWalk, RowIsComplete) {
  const RuleSpec& rule = *GetParam();
  EXPECT_EQ(rule.id.substr(0, 3), "UC2");
  EXPECT_FALSE(rule.slug.empty());
  EXPECT_EQ(rule.summary.back(), '.');
  EXPECT_EQ(rule.rationale.back(), '.');
  EXPECT_FALSE(rule.source.empty());
  const bool product = rule.backend != "cuda" && !rule.slug.starts_with("conv");
  EXPECT_NE(rule.caught_by == CaughtBy::unstated, product) << "contractions have an oracle";
  EXPECT_NE(rule.bad_example.find("target sm_"), std::string_view::npos);
  EXPECT_NE(rule.good_example.find("target sm_"), std::string_view::npos);
}

std::vector<const RuleSpec*> all_rules() { return {catalog().rules().begin(), catalog().rules().end()}; }

INSTANTIATE_TEST_SUITE_P(Rules, RuleWalk, ::testing::ValuesIn(all_rules()),
                         [](const auto& test) { return std::string(test.param->id); });

TEST(Rules, IdsAndSlugsAreUnique) {
  std::set<std::string_view> seen;
  for (const RuleSpec* rule : catalog().rules()) {
    EXPECT_TRUE(seen.insert(rule->id).second) << rule->id;
    EXPECT_TRUE(seen.insert(rule->slug).second) << rule->slug;
  }
  EXPECT_GE(catalog().rules().size(), 25U);
}

TEST(Rules, FindingPointsAtTheSettings) {
  const std::string_view source =
      "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\nc = gemm(a, "
      "b).tile(64x256x64).schedule(cooperative)\nreturn c\n";
  const DiagSink diags = check(source);
  ASSERT_EQ(diags.diags().size(), 1U);
  const Diag& diag = diags.diags()[0];
  EXPECT_EQ(source.substr(diag.span.begin, diag.span.end - diag.span.begin), "64x256x64");
  EXPECT_EQ(diag.replacement, "128x256x64");
  EXPECT_EQ(diag.message, "tile M is 64, but schedule `cooperative` needs at least 128 on sm_90a");
}

TEST(Rules, AllFindingsOfAProgramAtOnce) {
  const DiagSink diags = check(
      "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\nx = gemm(a, "
      "b).stages(1).cluster(3x1).swizzle(5)\n"
      "y = relu(x).threads(100)\nreturn y\n");
  EXPECT_THAT(ids(diags), ::testing::ElementsAre("UC2001", "UC2201", "UC2204", "UC2503"));
}

}  // namespace
}  // namespace uc
