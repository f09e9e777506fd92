#include "cli/optimize/estimate.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "catalog/builtin.h"
#include "cli/testing.h"
#include "store/store.h"

namespace uc::cli {
namespace {

using ::testing::HasSubstr;

OptimizeSettings with_model(const std::string& price) {
  OptimizeSettings out;
  out.attempts = 10;
  out.proposer = "llm";
  out.llm = R"({"base_url":"http://h/v1","model":"m")" + price + "}";
  return out;
}
constexpr const char* kPrice = R"(,"price":{"prompt":1,"answer":10})";

TEST(Estimate, CountsWhatIsLeft) {
  const AttemptCost each{30, 1000, 500, 4};
  const auto all = estimate(with_model(kPrice), true, {{false, 0}, {false, 7}, {true, 0}, {false, 12}}, each);
  EXPECT_EQ(all.problems, 4U);
  EXPECT_EQ(all.finished, 1U);
  EXPECT_EQ(all.attempts, 13);
  EXPECT_DOUBLE_EQ(all.minutes, 6.5);
  EXPECT_DOUBLE_EQ(all.prompt_tokens, 13000);
  EXPECT_DOUBLE_EQ(all.usd.value(), (13000 * 1 + 6500 * 10) / 1e6);
  EXPECT_FALSE(all.capped);
}

TEST(Estimate, KeepsCapsAndKnowsNoPriceThatIsNotSaid) {
  auto settings = with_model(kPrice);
  settings.max_tokens = 7500;  // half of what a problem would take
  auto all = estimate(settings, true, {{}, {}}, {30, 1000, 500, 4});
  EXPECT_TRUE(all.capped);
  EXPECT_DOUBLE_EQ(all.prompt_tokens + all.answer_tokens, 15000);
  settings.max_tokens = 0;
  settings.max_usd = 0.006;  // a tenth
  all = estimate(settings, true, {{}}, {30, 1000, 500, 4});
  EXPECT_NEAR(all.usd.value(), 0.006, 1e-12);
  EXPECT_NEAR(all.answer_tokens, 500, 1e-9);
  EXPECT_FALSE(estimate(with_model(""), true, {{}}, {30, 1000, 500, 4}).usd);
  EXPECT_EQ(estimate(OptimizeSettings{}, false, {{}}, {1, 0, 0, 0}).usd, 0);
}

class DryRunTest : public ::testing::Test {
 protected:
  DryRunTest() : folder_(real_files().make_temporary_folder("dry").value()) {
    world_.catalog = builtin_catalog();
  }
  ~DryRunTest() override { std::filesystem::remove_all(folder_); }
  int run(std::vector<std::string> args) {
    for (const std::string& each :
         {std::string("--store"), folder_ + "/a.db", std::string("--device"), std::string("model:h200")})
      args.push_back(each);
    world_.out.str("");
    return world_.run(args);
  }
  static std::string problem(const std::string& name) {
    return std::string(UC_SOURCE_DIR) + "/data/kernelbench/level1/" + name + ".json";
  }
  TestWorld world_;
  std::string folder_;
};

TEST_F(DryRunTest, TriesNothingAndLearnsFromWhatIsStored) {
  ASSERT_EQ(run({"optimize", problem("19_ReLU"), "--attempts", "7", "--dry-run"}), kDone) << world_.err.str();
  EXPECT_THAT(world_.out.str(), HasSubstr("attempts  7 (7 a problem), modelled"));
  EXPECT_THAT(world_.out.str(), HasSubstr("assumed"));
  EXPECT_FALSE(real_files().exists(folder_ + "/a.db"));
  const std::vector<std::string> sweep{"sweep", problem("19_ReLU"), problem("20_LeakyReLU"), "--attempts",
                                       "3"};
  {  // A run like it, of 4 attempts in 8 seconds, and one of another kind.
    FakeClock clock;
    const auto store = Store::open(folder_ + "/a.db", clock).value();
    for (const TimeKind kind : {TimeKind::modelled, TimeKind::measured}) {
      RunRecord work;
      work.options = R"({"problem":"p","attempts":4})";
      const auto id = store->begin_run(work)->id;
      for (int64_t number = 1; number <= 4; ++number) {
        AttemptRecord attempt;
        attempt.run = id;
        attempt.number = number;
        attempt.label = "ok";
        attempt.time_kind = kind;
        ASSERT_TRUE(store->record(attempt));
      }
      clock.advance(Millis(kind == TimeKind::modelled ? 8000 : 80000));
      ASSERT_TRUE(store->set_state(id, RunState::done));
    }
  }
  auto args = sweep;
  args.insert(args.end(), {"--dry-run", "--json"});
  ASSERT_EQ(run(args), kDone) << world_.err.str();
  auto told = nlohmann::json::parse(world_.out.str());
  EXPECT_EQ(told["schema"], "ucutlass.estimate/1");
  EXPECT_EQ(told["attempts"], 6);
  EXPECT_EQ(told["runs"], 1);
  EXPECT_DOUBLE_EQ(told["seconds_an_attempt"], 2);
  EXPECT_DOUBLE_EQ(told["minutes"], 0.2);
  EXPECT_EQ(told["usd"], 0);
  // What is done is not counted again.
  auto real = sweep;
  real.insert(real.end(), {"--no-build"});
  world_.environment.values["XDG_DATA_HOME"] = folder_;
  ASSERT_EQ(run(real), kDone) << world_.err.str();
  ASSERT_EQ(run(args), kDone);
  told = nlohmann::json::parse(world_.out.str());
  EXPECT_EQ(told["finished"], 2);
  EXPECT_EQ(told["attempts"], 0);
}

TEST_F(DryRunTest, WhatCannotRunIsTold) {
  EXPECT_NE(run({"optimize", folder_ + "/none.json", "--dry-run"}), kDone);
  EXPECT_EQ(run({"optimize", folder_ + "/none.py", "--dry-run"}), kUsage);
  EXPECT_NE(run({"optimize", "--resume", "last", "--dry-run"}), kDone);
}

}  // namespace
}  // namespace uc::cli
