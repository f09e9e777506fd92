// `ucutlass language` as a user meets it; and that agents' tools name options which commands have.
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "catalog/builtin.h"
#include "cli/testing.h"
#include "language/exports.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;

struct Shell : TestWorld {
  explicit Shell(std::string input = {}) : TestWorld(std::move(input)) { catalog = builtin_catalog(); }
};

TEST(LanguageCommand, PrintsTheCardAndEveryOtherFormat) {
  Shell card;
  EXPECT_EQ(card.run({"language"}), kDone);
  EXPECT_THAT(card.out.str(), HasSubstr("linear"));
  for (const language::Export& row : language::exports()) {
    Shell shell;
    EXPECT_EQ(shell.run({"language", "--format", std::string(row.name)}), kDone);
    EXPECT_EQ(shell.out.str(), row.print(shell.catalog));
  }
  Shell unknown;
  EXPECT_EQ(unknown.run({"language", "--format", "bnf"}), kUsage);
}

TEST(LanguageCommand, WritesAllAndSaysWhatIsOld) {
  const auto folder = real_files().make_temporary_folder("uc-language");
  ASSERT_TRUE(folder);
  Shell shell;
  EXPECT_EQ(shell.run({"language", "--all", *folder, "--check"}), kFindings);
  EXPECT_EQ(shell.run({"language", "--all", *folder}), kDone);
  EXPECT_EQ(shell.run({"language", "--all", *folder, "--check"}), kDone);
  ASSERT_TRUE(real_files().write(*folder + "/card.md", "old"));
  Shell old;
  EXPECT_EQ(old.run({"language", "--all", *folder, "--check"}), kFindings);
  EXPECT_THAT(old.err.str(), HasSubstr("card.md: not up to date"));
  EXPECT_TRUE(real_files().remove(*folder));
}

TEST(Tools, AreCommandsWithTheirOptions) {
  Shell shell;
  EXPECT_EQ(shell.run({"language", "--format", "mcp"}), kDone);
  const auto tools = nlohmann::json::parse(shell.out.str());
  ASSERT_EQ(tools.size(), 7U);
  const auto of = [&](size_t tool) { return tools[tool]["inputSchema"]["properties"]; };
  EXPECT_EQ(tools[0]["name"], "check");
  EXPECT_EQ(tools[0]["inputSchema"]["required"], (std::vector<std::string>{"program"}));
  EXPECT_EQ(of(0)["emit"]["type"], "boolean");
  EXPECT_THAT(of(0)["device"]["enum"].dump(), HasSubstr("h200"));
  EXPECT_EQ(of(1)["time_ms"]["type"], "number");
  EXPECT_THAT(of(1)["precision"]["enum"].dump(), HasSubstr("tf32"));
  EXPECT_EQ(of(2)["no_build"]["type"], "boolean");
  EXPECT_EQ(of(3)["attempts"]["type"], "integer");
  EXPECT_EQ(of(3)["problem"]["type"], "string");
  // One argument, and all the options that the table names.
  const std::vector<size_t> counts{4, 4, 4, 9, 1};
  for (size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(of(i).size(), counts[i]) << tools[i]["name"];
}

TEST(FormatCommand, PrintsTheTreeAsJson) {
  Shell shell("input x: f32[4]\ny = relu(x)\nreturn y\n");
  EXPECT_EQ(shell.run({"format", "--json", "-"}), kDone);
  const auto json = nlohmann::json::parse(shell.out.str());
  EXPECT_EQ(json["schema"], "ucutlass.tree/1");
  EXPECT_EQ(json["statements"].size(), 3U);
  Shell back(shell.out.str());
  EXPECT_EQ(back.run({"format", "--from-json", "-"}), kDone);
  EXPECT_EQ(back.out.str(), "input x: f32[4]\n\ny = relu(x)\nreturn y\n");
  Shell refused("{}");
  EXPECT_EQ(refused.run({"format", "--from-json", "-"}), kFindings);
}

}  // namespace
}  // namespace uc::cli
