#include "check/dim_range.h"

#include <gtest/gtest.h>

#include "syntax/parser.h"

namespace uc {
namespace {

bool holds_a_size(std::string_view source) {
  DiagSink diags;
  const ast::File file = parse(source, diags);
  EXPECT_FALSE(diags.has_errors()) << source << " is well formed";
  const bool good = check_dim_range(std::get<ast::Dim>(file.statements.at(0)), diags);
  EXPECT_EQ(good, !diags.has_errors());
  for (const Diag& diag : diags.diags()) EXPECT_EQ(diag.id, "UC1033");
  return good;
}

TEST(DimRange, HoldsASizeWhenAMultipleOfTheStepLiesInIt) {
  EXPECT_TRUE(holds_a_size("dim N = 1..1"));
  EXPECT_TRUE(holds_a_size("dim N = 9..16 step 8"));
  EXPECT_FALSE(holds_a_size("dim N = 8..1"));
  EXPECT_FALSE(holds_a_size("dim N = 0..8"));
  EXPECT_FALSE(holds_a_size("dim N = 1..7 step 8"));
  EXPECT_FALSE(holds_a_size("dim N = 1..7 step 0"));
}

}  // namespace
}  // namespace uc
