#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "catalog/builtin.h"
#include "cli/testing.h"
#include "store/results.h"

namespace uc::cli {
namespace {

using ::testing::HasSubstr;

class ExportTest : public ::testing::Test {
 protected:
  ExportTest() : folder_(real_files().make_temporary_folder("export").value()) {
    world_.catalog = builtin_catalog();
    const auto store = Store::open(folder_ + "/a.db", world_.clock).value();
    RunRecord work;
    work.problem = "23_Softmax";
    work.options = R"({"attempts":3,"problem":"p","device":"model:h200","precision":"tf32"})";
    work.device = "h200";
    id_ = store->begin_run(work)->id;
    AttemptRecord attempt;
    attempt.run = id_;
    attempt.number = 1;
    attempt.program = "target sm_90a\n";
    attempt.label = "ok";
    attempt.time_us = 5;
    attempt.time_kind = TimeKind::modelled;
    EXPECT_TRUE(store->record(attempt));
  }
  ~ExportTest() override { std::filesystem::remove_all(folder_); }

  int run(std::vector<std::string> args) {
    world_.out.str("");
    world_.err.str("");
    return world_.run(std::move(args));
  }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }

  TestWorld world_;
  std::string folder_, id_;
};

TEST_F(ExportTest, ARunGoesIntoAnotherStoreAndOutAgain) {
  ASSERT_EQ(run({"export", "all", "--store", at("a.db"), "-o", at("a.jsonl")}), kDone) << world_.err.str();
  ASSERT_EQ(run({"import", at("a.jsonl"), "--store", at("b.db")}), kDone) << world_.err.str();
  EXPECT_THAT(world_.out.str(), HasSubstr("1 added"));
  EXPECT_THAT(world_.out.str(), HasSubstr("nothing of them counts as proven here"));
  ASSERT_EQ(run({"export", id_.substr(0, 8), "--store", at("b.db")}), kDone);
  EXPECT_EQ(world_.out.str(), *real_files().read(at("a.jsonl")));
  ASSERT_EQ(run({"show", "--store", at("b.db")}), kDone);
  EXPECT_THAT(world_.out.str(), HasSubstr("imported"));
  ASSERT_EQ(run({"import", at("a.jsonl"), "--store", at("b.db"), "--json"}), kDone);
  const auto told = nlohmann::json::parse(world_.out.str());
  EXPECT_EQ(told["schema"], "ucutlass.imported/1");
  EXPECT_EQ(told["there_already"], 1);
  EXPECT_EQ(told["proven"], false);
  world_.in.str(*real_files().read(at("a.jsonl")));
  ASSERT_EQ(run({"import", "-", "--store", at("d.db")}), kDone) << world_.err.str();
  EXPECT_THAT(world_.out.str(), HasSubstr("1 added"));
  EXPECT_EQ(run({"optimize", "--resume", id_, "--store", at("b.db")}), kUsage);
  EXPECT_THAT(world_.err.str(), HasSubstr("not proven here"));
}

TEST_F(ExportTest, ResultsOfOthersSayThatTheyAre) {
  const std::string file = at("eval_results.json");
  ASSERT_TRUE(real_files().write(file, R"({"23": [{"sample_id": 0, "compiled": true, "correctness": true,
      "metadata": {}, "runtime": 2.0, "runtime_stats": {}}]})"));
  EXPECT_EQ(run({"import", file, "--from", "kernelbench", "--store", at("k.db")}), kUsage);
  EXPECT_THAT(world_.err.str(), HasSubstr("--level 1, 2, 3"));
  EXPECT_EQ(run({"import", file, "--from", "kernelbench", "--level", "1", "--trust", "--store", at("k.db")}),
            kUsage);
  EXPECT_NE(run({"import", file, "--store", at("k.db")}), kDone);
  EXPECT_THAT(world_.err.str(), HasSubstr("say --from kernelbench --level N"));
  EXPECT_FALSE(real_files().exists(at("k.db")));
  ASSERT_EQ(run({"import", file, "--from", "kernelbench", "--level", "1", "--store", at("k.db"), "--corpus",
                 std::string(UC_SOURCE_DIR) + "/data/kernelbench"}),
            kDone)
      << world_.err.str();
  ASSERT_EQ(run({"show", "kernelbench-L1-23", "--store", at("k.db")}), kDone) << world_.err.str();
  EXPECT_THAT(world_.out.str(), HasSubstr("unproven"));
  EXPECT_THAT(world_.out.str(), HasSubstr("2000.00 us reported"));
  ASSERT_EQ(run({"show", "--store", at("k.db")}), kDone);
  EXPECT_THAT(world_.out.str(), HasSubstr("23_Softmax"));
  EXPECT_EQ(run({"replay", "kernelbench-L1-23", "--store", at("k.db")}), kUsage);
}

TEST_F(ExportTest, WrongCommandLinesAndFilesAreTold) {
  EXPECT_EQ(run({"export"}), kUsage);
  EXPECT_EQ(run({"export", "all", "last", "--store", at("a.db")}), kUsage);
  EXPECT_EQ(run({"export", "nowhere", "--store", at("a.db")}), kFindings);
  EXPECT_EQ(run({"export", "all", "--store", at("none.db")}), kFindings);
  EXPECT_EQ(run({"export", "all", "--store", at("a.db"), "-o", at("a.db")}), kUsage);
  ASSERT_EQ(run({"export", "all", "--store", at("a.db"), "-o", at("a.jsonl")}), kDone);
  const std::string text = *real_files().read(at("a.jsonl"));
  ASSERT_TRUE(real_files().write(at("cut.jsonl"), text.substr(0, text.size() / 2)));
  EXPECT_EQ(run({"import", at("cut.jsonl"), "--store", at("c.db"), "--json"}), kUsage);
  EXPECT_EQ(nlohmann::json::parse(world_.out.str())["schema"], "ucutlass.error/1");
  EXPECT_EQ(run({"import", "--trust", "--store", at("c.db")}), kUsage);
  EXPECT_EQ(run({"import", "x.json", "--level", "2"}), kUsage);
  EXPECT_FALSE(real_files().exists(at("c.db")));
}

}  // namespace
}  // namespace uc::cli
