#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "catalog/builtin.h"
#include "cli/sweep/problems.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kCorpus = std::string(UC_SOURCE_DIR) + "/data/kernelbench";
const SweepPlaces kPlaces{kCorpus, ""};

std::vector<std::string> names_of(const std::vector<std::string>& words) {
  const auto found = sweep_problems(words, kPlaces, real_files());
  std::vector<std::string> out;
  if (!found) return {found.error().message};
  for (const SweepProblem& each : *found) out.push_back(each.name);
  return out;
}

TEST(SweepProblems, AreNamedByListsLevelsAndIdentities) {
  EXPECT_EQ(names_of({"kb59"}).size(), 59U);
  EXPECT_EQ(names_of({"all"}).size(), 250U);
  const auto level = names_of({"level3"});
  ASSERT_EQ(level.size(), 50U);
  EXPECT_EQ(level[1], "L3/2");  // by number, not by name
  EXPECT_THAT(names_of({"L2/76", "1/19", "L2/76"}), ::testing::ElementsAre("L2/76", "L1/19"));
  EXPECT_THAT(names_of({"L1/101"}).front(), HasSubstr("no problem 101"));
  EXPECT_THAT(names_of({"level9"}).front(), HasSubstr("level9"));
  EXPECT_THAT(names_of({"softmax"}).front(), HasSubstr("`softmax` names no problem"));
}

TEST(SweepProblems, ArePartedWithoutLossOrRepetition) {
  const auto all = sweep_problems({"kb59"}, kPlaces, real_files()).value();
  std::vector<std::string> parts;
  for (const char* text : {"1/3", "2/3", "3/3"}) {
    for (const SweepProblem& each : part_of(all, parse_shard(text).value())) parts.push_back(each.name);
  }
  std::vector<std::string> whole;
  for (const SweepProblem& each : all) whole.push_back(each.name);
  EXPECT_THAT(parts, ::testing::UnorderedElementsAreArray(whole));
  for (const char* text : {"0/3", "4/3", "3", "a/b", "1/0", ""}) EXPECT_FALSE(parse_shard(text)) << text;
}

class SweepTest : public ::testing::Test {
 protected:
  SweepTest() : folder_(real_files().make_temporary_folder("sweep").value()) {}
  ~SweepTest() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> line(std::vector<std::string> problems,
                                const std::vector<std::string>& more = {}) const {
    std::vector<std::string> out{"sweep"};
    out.insert(out.end(), problems.begin(), problems.end());
    for (const std::string& each : {std::string("--corpus"), kCorpus, std::string("--device"),
                                    std::string("model:h200"), std::string("--attempts"), std::string("2"),
                                    std::string("--no-build"), std::string("--store"), folder_ + "/runs.db"})
      out.push_back(each);
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  TestWorld world() const {
    TestWorld out;
    out.catalog = builtin_catalog();
    out.environment.values["HOME"] = folder_;
    return out;
  }

  std::string folder_;
};

TEST_F(SweepTest, OptimizesEachProblemAndSumsUp) {
  TestWorld first = world();
  EXPECT_EQ(first.run(line({"L1/19", "L1/23"}, {"--json"})), kDone) << first.out.str() << first.err.str();
  const auto json = nlohmann::json::parse(first.out.str());
  EXPECT_EQ(json["schema"], "ucutlass.sweep/1");
  ASSERT_EQ(json["problems"].size(), 2U);
  EXPECT_EQ(json["problems"][1]["name"], "L1/23");
  EXPECT_EQ(json["problems"][1]["kind"], "modelled");
  EXPECT_GT(json["problems"][1]["us"].get<double>(), json["problems"][1]["sol_us"].get<double>() * 0.99);
  EXPECT_EQ(json["problems"][1]["from_before"], false);

  TestWorld again = world();
  EXPECT_EQ(again.run(line({"L1/19", "L1/23"}, {"--json"})), kDone);
  const auto second = nlohmann::json::parse(again.out.str());
  EXPECT_EQ(second["problems"][0]["from_before"], true);
  EXPECT_EQ(second["problems"][0]["run"], json["problems"][0]["run"]);

  TestWorld table = world();
  EXPECT_EQ(table.run(line({"L1/19", "L1/23"}, {"--fresh"})), kDone);
  EXPECT_THAT(table.out.str(), HasSubstr("2 problems: 2 done"));
  EXPECT_THAT(table.out.str(), Not(HasSubstr("from before")));
}

// A problem that cannot be imported is a row of its own.
TEST_F(SweepTest, GoesOnBehindAFailure) {
  const std::string bad = folder_ + "/bad.json";
  ASSERT_TRUE(real_files().write(bad, "{}"));
  TestWorld shell = world();
  EXPECT_EQ(shell.run(line({bad, "L1/19"})), kFindings);
  EXPECT_THAT(shell.out.str(), HasSubstr("failed: "));
  EXPECT_THAT(shell.out.str(), HasSubstr("2 problems: 1 done, 0 with nothing right, 1 failed"));
}

TEST_F(SweepTest, RefusesAnEmptyPart) {
  TestWorld shell = world();
  EXPECT_EQ(shell.run(line({"L1/19"}, {"--shard", "2/2"})), kUsage);
  EXPECT_THAT(shell.err.str(), HasSubstr("part 2/2 of 1 problems is empty"));
}

TEST_F(SweepTest, SaysOnceWhatHoldsForAll) {
  TestWorld device = world();
  EXPECT_EQ(device.run({"sweep", "L1/19", "L1/20", "--corpus", kCorpus, "--device", "model:nope"}), kUsage);
  EXPECT_THAT(device.err.str(), HasSubstr("no device is named `nope`"));
  TestWorld sources = world();
  EXPECT_EQ(sources.run(line({"L1/19"}, {"--sources", folder_ + "/none"})), kUsage);
  EXPECT_THAT(sources.err.str(), HasSubstr("there is no folder"));
}

}  // namespace
}  // namespace uc::cli
