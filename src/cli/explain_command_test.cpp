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

}  // namespace
}  // namespace uc::cli
