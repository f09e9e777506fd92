// `ucutlass sol` and `ucutlass explain` as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "catalog/builtin.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kProgram =
    "target sm_90a\nprecision tf32\ninput a: f32[4096, 4096]\ninput b: f32[4096, 4096]\nc = gemm(a, "
    "b)\nreturn c\n";

struct Shell : TestWorld {
  explicit Shell(std::string input = {}) : TestWorld(std::move(input)) { catalog = builtin_catalog(); }
};

std::string problem(const std::string& path) {
  return std::string(UC_SOURCE_DIR) + "/data/kernelbench/" + path;
}

TEST(SolCommand, BoundsAProgram) {
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-"}), kDone);
  EXPECT_THAT(shell.out.str(), HasSubstr("certified      256.8 us"));
  EXPECT_EQ(shell.err.str(), "");
}

TEST(SolCommand, BoundsACapturedProblemAsTf32) {
  Shell shell;
  EXPECT_EQ(shell.run({"sol", problem("level2/86_Matmul_Divide_GELU.json"), "--json", "--time", "0.38483",
                       "--base", "0.38483"}),
            kDone);
  const auto json = nlohmann::json::parse(shell.out.str());
  EXPECT_EQ(json["precision"], "tf32");
  EXPECT_EQ(json["work"]["dense_flops"], 2.0 * 1024 * 8192 * 8192);
  EXPECT_EQ(json["coverage"], 1.0);
  EXPECT_EQ(json["verdict"]["word"], "plausible");
  EXPECT_DOUBLE_EQ(json["verdict"]["score"], 0.5);
}

TEST(SolCommand, FindsTheProblemOfAFolder) {
  Shell shell;
  EXPECT_EQ(shell.run({"sol", std::string(UC_SOURCE_DIR) + "/examples/mlp_gelu"}), kDone) << shell.err.str();
  EXPECT_THAT(shell.out.str(), HasSubstr("precision   tf32"));
  Shell missing;
  EXPECT_EQ(missing.run({"sol", "/nowhere/problem.py", "--json"}), kUsage);
  EXPECT_EQ(nlohmann::json::parse(missing.out.str())["schema"], "ucutlass.error/1");
}

TEST(SolCommand, AnImpossibleTimeIsRejected) {
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-", "--time", "0.2"}), kRejected);
  EXPECT_THAT(shell.out.str(), HasSubstr("impossible"));
}

TEST(SolCommand, AnotherDeviceAndPrecision) {
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-", "--device", "h100", "--precision", "f16", "--json"}), kDone);
  const auto json = nlohmann::json::parse(shell.out.str());
  EXPECT_EQ(json["device"]["name"], "h100");
  EXPECT_EQ(json["precision"], "f16");
}

TEST(SolCommand, WrongInputSaysWhatToDo) {
  Shell negative(kProgram);
  EXPECT_EQ(negative.run({"sol", "-", "--time", "-3"}), kUsage);
  EXPECT_THAT(negative.err.str(), HasSubstr("--time takes a number above 0"));
  Shell device(kProgram);
  EXPECT_EQ(device.run({"sol", "-", "--device", "h20"}), kUsage);
  EXPECT_THAT(device.err.str(), HasSubstr("h200"));
  Shell broken("target sm_90a\ninput a: f16[8, 8]\nc = gem(a, a)\nreturn c\n");
  EXPECT_EQ(broken.run({"sol", "-"}), kFindings);
  EXPECT_THAT(broken.err.str(), HasSubstr("UC1102"));
  Shell json("{\"schema\": \"ucutlass.problem/1\"}");
  EXPECT_EQ(json.run({"sol", "-", "--json"}), kFindings);
  EXPECT_EQ(nlohmann::json::parse(json.out.str())["schema"], "ucutlass.error/1");
  Shell missing;
  EXPECT_EQ(missing.run({"sol", "/nowhere/prog.uc"}), kFindings);
  EXPECT_THAT(missing.err.str(), HasSubstr("error:"));
}

TEST(ExplainCommand, EveryRuleAndKnobAndOperatorIsExplained) {
  const Catalog rows = builtin_catalog();
  std::vector<std::string> names;
  for (const RuleSpec* rule : rows.rules())
    names.insert(names.end(), {std::string(rule->id), std::string(rule->slug)});
  for (const KnobSpec* knob : rows.knobs()) names.emplace_back(knob->name);
  for (const OpSpec* op : rows.ops()) {
    if (op->place != Place::inner) names.emplace_back(op->name);  // the others stand in no text
  }
  for (const std::string& name : names) {
    Shell shell;
    EXPECT_EQ(shell.run({"explain", name, "--json"}), kDone) << name;
    EXPECT_FALSE(nlohmann::json::parse(shell.out.str())["topics"].empty()) << name;
  }
}

TEST(ExplainCommand, ShowsBothExamplesOfARule) {
  Shell shell;
  EXPECT_EQ(shell.run({"explain", "UC2104"}), kDone);
  EXPECT_THAT(shell.out.str(), HasSubstr(".tile(64x256x64).schedule(cooperative)"));
  EXPECT_THAT(shell.out.str(), HasSubstr(".tile(128x256x64).schedule(cooperative)"));
}

TEST(ExplainCommand, DiagnosticsOfEveryPhaseAreKnown) {
  for (const char* id : {"UC1001", "UC1101", "UC1201", "UC1902"}) {
    Shell shell;
    EXPECT_EQ(shell.run({"explain", id}), kDone) << id;
    EXPECT_THAT(shell.out.str(), HasSubstr(id));
  }
}

TEST(ExplainCommand, UnknownNamesGetTheNearest) {
  Shell shell;
  EXPECT_EQ(shell.run({"explain", "schedul"}), kFindings);
  EXPECT_THAT(shell.err.str(), HasSubstr("did you mean `schedule`?"));
}

TEST(ExplainCommand, NothingListsEverything) {
  Shell shell;
  EXPECT_EQ(shell.run({"explain"}), kDone);
  for (const char* part :
       {"operators", "knobs", "diagnostics", "rules", "devices", "UC2001", "gelu", "h200"}) {
    EXPECT_THAT(shell.out.str(), HasSubstr(part));
  }
}

}  // namespace
}  // namespace uc::cli
