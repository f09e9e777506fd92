// The card holds what the catalog has, fits its budget, and says nothing that check does not.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "compiler/pipeline.h"
#include "language/card_text.h"
#include "language/exports.h"

namespace uc::language {
namespace {

using testing::HasSubstr;

const Catalog& catalog() {
  static const Catalog value = builtin_catalog();
  return value;
}

/// Ids of the errors that check finds.
std::vector<std::string> errors(std::string_view source) {
  std::vector<std::string> out;
  for (const Diag& diag :
       check_source(catalog(), source, {.device = {}, .language_only = true}).diags.sorted()) {
    if (diag.severity == Severity::error) out.push_back(diag.id);
  }
  return out;
}

std::string whole(const Mistake& mistake, std::string_view line) {
  return fmt::format("{}{}\n{}", mistake.before, line, mistake.after);
}

TEST(Card, FitsItsBudget) { EXPECT_LE(estimate_tokens(card(catalog())), kCardEstimate); }

TEST(Card, NamesEveryOperatorAndKnob) {
  const std::string text = card(catalog());
  for (const OpSpec* row : catalog().ops()) {
    if (row->place == Place::inner) continue;
    EXPECT_THAT(text, HasSubstr(std::string(row->name)));
  }
  for (const KnobSpec* row : catalog().knobs()) {
    if (!row->emitted) continue;
    EXPECT_THAT(text, HasSubstr(fmt::format(".{}(", row->name)));
  }
}

TEST(Card, ExamplesPassCheck) {
  EXPECT_EQ(card_examples().size(), 5U);
  for (const CardExample& example : card_examples())
    EXPECT_THAT(errors(example.program), testing::IsEmpty()) << example.program;
}

TEST(Card, MistakesAreRefusedAsItSaysAndTheirMendingIsNot) {
  EXPECT_EQ(card_mistakes().size(), 10U);
  for (const Mistake& mistake : card_mistakes()) {
    EXPECT_THAT(errors(whole(mistake, mistake.wrong)), testing::ElementsAre(std::string(mistake.id)))
        << mistake.wrong;
    EXPECT_THAT(errors(whole(mistake, mistake.right)), testing::IsEmpty()) << mistake.right;
  }
}

}  // namespace
}  // namespace uc::language
