// Everything that has a row or an id can be explained: a new one needs no edit of the command.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "catalog/builtin.h"
#include "cli/testing.h"
#include "compiler/pipeline.h"
#include "language/names.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;

struct World : TestWorld {
  World() { catalog = builtin_catalog(); }
};

std::string explained(const std::string& name) {
  World world;
  EXPECT_EQ(world.run({"explain", name}), kDone) << name << ": " << world.err.str();
  return world.out.str();
}

TEST(Explain, KnowsEveryIdOfTheSources) {
  const std::regex declared("DiagKind [a-z_0-9]+\\{\\s*\"(UC[0-9]{4})\"");
  std::set<std::string> ids;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(UC_SOURCE_DIR "/src")) {
    if (entry.path().extension() != ".h") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string all = text.str();
    for (std::sregex_iterator it(all.begin(), all.end(), declared), end; it != end; ++it)
      ids.insert((*it)[1]);
  }
  EXPECT_GT(ids.size(), 100U);
  World world;
  EXPECT_EQ(world.run({"explain"}), kDone);
  const std::string list = world.out.str();
  for (const std::string& id : ids) EXPECT_THAT(list, HasSubstr("  " + id + " ")) << id;
}

TEST(Explain, SaysWhatARowHas) {
  const Catalog catalog = builtin_catalog();
  for (const OpSpec* row : catalog.ops()) {
    if (row->place == Place::inner) continue;
    const std::string text = explained(std::string(row->name));
    EXPECT_THAT(text, HasSubstr(std::string(row->summary)));
    for (const ParamSpec& param : row->params)
      EXPECT_THAT(text, HasSubstr(std::string(param.name))) << row->name;
  }
  for (const KnobSpec* row : catalog.knobs())
    EXPECT_THAT(explained(std::string(row->name)), HasSubstr(std::string(row->syntax)));
  for (const RuleSpec* row : catalog.rules())
    EXPECT_THAT(explained(std::string(row->slug)), HasSubstr(std::string(row->id)));
}

TEST(Explain, HasProgramsThatCheck) {
  for (const std::string name : {"map", "prepack", "gemm", "softmax"}) {
    World world;
    EXPECT_EQ(world.run({"explain", "--json", name}), kDone);
    const auto json = nlohmann::json::parse(world.out.str());
    for (const auto& topic : json["topics"]) {
      for (const auto& program : topic.value("programs", nlohmann::json::array())) {
        const std::string text = program["program"];
        EXPECT_TRUE(check_source(world.catalog, text, {.device = {}, .language_only = true}).ok()) << text;
      }
    }
  }
}

TEST(Explain, KnowsEveryWordThatMayBeCalled) {
  const Catalog catalog = builtin_catalog();
  for (const auto& words :
       {language::step_names(catalog), language::fused_names(catalog), language::knob_names(catalog)}) {
    for (const std::string& word : words) explained(word);
  }
}

TEST(Explain, ListsTheKnobsThatAnOperatorTakes) {
  EXPECT_THAT(explained("gemm"), HasSubstr("cluster"));
  EXPECT_THAT(explained("softmax"), HasSubstr("passes"));
  EXPECT_THAT(explained("relu"), HasSubstr("vector"));
}

// A program of one f16 product, and what the ranking says of it.
nlohmann::json ranking(const std::string& knobs, const std::vector<std::string>& more = {}) {
  World world;
  world.in.str("target sm_90a\ninput a: f16[1024, 512]\ninput b: f16[512, 2048]\nc = gemm(a, b)" + knobs +
               "\nreturn c\n");
  std::vector<std::string> args{"explain", "-", "--json"};
  args.insert(args.end(), more.begin(), more.end());
  EXPECT_EQ(world.run(args), kDone) << world.err.str();
  return nlohmann::json::parse(world.out.str());
}

TEST(ExplainProgram, RanksWhatTheAutomaticKnobsChooseAmong) {
  const nlohmann::json all = ranking("", {"--limit", "1000"});
  const nlohmann::json& step = all["steps"][0];
  ASSERT_GT(step["ranked"].size(), 8U);
  EXPECT_TRUE(step["ranked"][0]["chosen"].get<bool>());
  for (size_t i = 1; i < step["ranked"].size(); ++i) {
    EXPECT_GE(step["ranked"][i]["us"], step["ranked"][i - 1]["us"]);
    EXPECT_FALSE(step["ranked"][i]["chosen"].get<bool>());
  }
  EXPECT_EQ(all["modelled_us"], step["ranked"][0]["us"]);
  EXPECT_TRUE(step["without_knobs"].empty());
  EXPECT_EQ(ranking("")["steps"][0]["ranked"].size(), 8U);
}

TEST(ExplainProgram, KeepsTheKnobsThatAreGivenAndSaysWhatTheyCost) {
  const nlohmann::json step = ranking(".tile(64x64x64).schedule(pingpong)")["steps"][0];
  for (const nlohmann::json& row : step["ranked"])
    EXPECT_THAT(row["knobs"].get<std::string>(), HasSubstr(".tile(64x64x64)"));
  ASSERT_FALSE(step["without_knobs"].empty());
  EXPECT_LE(step["without_knobs"][0]["us"], step["ranked"][0]["us"]);
}

TEST(ExplainProgram, RanksTheWayOfMultiplyingThatWasChosen) {
  World world;
  world.in.str(
      "target sm_90a\ninput a: f32[4096, 4096]\ninput b: f32[4096, 4096]\nc = gemm(a, b)\nreturn c\n");
  EXPECT_EQ(world.run({"explain", "-", "--json"}), kDone) << world.err.str();
  const nlohmann::json all = nlohmann::json::parse(world.out.str());
  const nlohmann::json& first = all["steps"][0]["ranked"][0];
  EXPECT_TRUE(first["chosen"].get<bool>());
  EXPECT_EQ(all["modelled_us"], first["us"]);
  EXPECT_THAT(first["knobs"].get<std::string>(), HasSubstr(".math(f16x3)"));
}

TEST(ExplainProgram, NamesWhatRefuses) {
  World world;
  world.in.str("target sm_90a\ninput a: f16[64, 64]\nc = map(a + 1)\nreturn c\n");
  EXPECT_EQ(world.run({"explain", "-"}), kDone) << world.err.str();
  EXPECT_THAT(world.out.str(), HasSubstr("cuda.map: can"));
  EXPECT_THAT(world.out.str(), HasSubstr("modelled, not measured"));
  World bad;
  bad.in.str("target sm_90a\nreturn x\n");
  EXPECT_EQ(bad.run({"explain", "-"}), kFindings);
}

}  // namespace
}  // namespace uc::cli
