#include "diag/sarif.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace uc {
namespace {

TEST(Sarif, NamesRulesPlacesAndFixes) {
  const std::string source = "é = 1\ny = .5 + .5\n";
  const DiagKind kinds[] = {{"UC1001", "half", Severity::error, "Digits on both sides."},
                            {"UC1002", "other", Severity::note, "Not found here."}};
  std::vector<Diag> diags(2);
  for (size_t i = 0; i < 2; ++i) {
    diags[i].id = "UC1001";
    diags[i].slug = "half";
    diags[i].span = i == 0 ? Span{11, 13} : Span{16, 18};
    diags[i].message = "`.5`";
    diags[i].help = "`0.5`";
  }
  diags[1].replacement = "0.5";
  const auto log =
      nlohmann::json::parse(render_sarif(diags, source, "a b/c%.uc", {.version = "1.2", .kinds = kinds}));
  EXPECT_EQ(log["version"], "2.1.0");
  const auto& run = log["runs"][0];
  ASSERT_EQ(run["tool"]["driver"]["rules"].size(), 1U);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["shortDescription"]["text"], "Digits on both sides.");
  ASSERT_EQ(run["results"].size(), 2U);
  const auto& second = run["results"][1];
  EXPECT_EQ(second["ruleIndex"], 0);
  EXPECT_EQ(second["level"], "error");
  const auto& place = second["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "a%20b/c%25.uc");
  EXPECT_EQ(place["region"],
            nlohmann::json::parse(R"({"startLine":2,"startColumn":10,"endLine":2,"endColumn":12})"));
  EXPECT_FALSE(run["results"][0].contains("fixes"));
  EXPECT_EQ(second["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"], "0.5");
}

}  // namespace
}  // namespace uc
