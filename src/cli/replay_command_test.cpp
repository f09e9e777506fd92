// `replay` and `compare` as users meet them: files, runs of the store, mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/records.h"
#include "cli/testing.h"
#include "store/store.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kLog = R"({"problem": "a", "reference_us": 100, "sol_us": 20}
{"problem": "a", "label": "incorrect", "tokens": 10}
{"problem": "a", "label": "ok", "us": 50, "tokens": 10}
{"problem": "a", "label": "gaming", "tokens": 10}
{"problem": "a", "label": "minor", "us": 20, "tokens": 10}
{"problem": "a", "label": "ok", "us": 20, "tokens": 10}
{"problem": "b", "reference_us": 100, "sol_us": 10}
{"problem": "b", "label": "ok", "us": 200, "tokens": 50}
)";

nlohmann::json json_of(TestWorld& world, std::vector<std::string> args) {
  EXPECT_EQ(world.run(std::move(args)), kDone) << world.err.str();
  return nlohmann::json::parse(world.out.str());
}

TEST(ReplayCommand, ShowsTheFrontierOfALog) {
  TestWorld world{std::string(kLog)};
  EXPECT_EQ(world.run({"replay", "-"}), kDone) << world.err.str();
  // By hand: speedups 5 and 0.5; ending `a` at its bound saves its last 10 of 100 tokens and loses nothing.
  EXPECT_THAT(world.out.str(), HasSubstr("2 problems, 6 attempts, 100 tokens. All of them: geomean 1.581x"));
  EXPECT_THAT(world.out.str(),
              HasSubstr("100.0 %     1.581x      10.0 %          5     1.11  the cheapest that keeps 95 %"));
}

TEST(ReplayCommand, OfOnePolicyShowsEveryProblem) {
  TestWorld world{std::string(kLog)};
  EXPECT_EQ(world.run({"replay", "-", "--policy", "fixed,sol(150%,inf)", "--cost", "attempts"}), kDone);
  EXPECT_THAT(world.out.str(), HasSubstr("2 problems, 6 attempts, 6 attempts."));
  EXPECT_THAT(world.out.str(), HasSubstr("2 / 5       2.000x"));
  TestWorld again{std::string(kLog)};
  const auto json = json_of(again, {"replay", "-", "--json", "--policy", "sol(150%,inf)"});
  EXPECT_EQ(json["schema"], "ucutlass.replay/1");
  EXPECT_EQ(json["policies"][0]["cost"], 70);
  EXPECT_EQ(json["policies"][0]["by_problem"][0]["attempts"], 2);
  EXPECT_EQ(json["fixed"]["cost"], 100);
}

TEST(ReplayCommand, WritesEveryPolicyAsCsvAndJson) {
  TestWorld world{std::string(kLog)};
  EXPECT_EQ(world.run({"replay", "-", "--csv"}), kDone);
  EXPECT_EQ(std::ranges::count(world.out.str(), '\n'), 402);  // a header, fixed, 20 x 20
  TestWorld again{std::string(kLog)};
  const auto json = json_of(again, {"replay", "-", "--json", "--kind", "roi"});
  EXPECT_EQ(json["policies"].size(), 400);
  EXPECT_EQ(json["policies"][0]["policy"], "roi(never,1)");
}

TEST(ReplayCommand, MistakesSayWhatToDo) {
  TestWorld policy{std::string(kLog)};
  EXPECT_EQ(policy.run({"replay", "-", "--policy", "sol(25%)"}), kUsage);
  EXPECT_THAT(policy.err.str(), HasSubstr("`fixed`, `sol(EPS,W)` or `roi(EPS,W)`"));
  TestWorld none;
  none.environment.values["HOME"] = "/nowhere";
  EXPECT_EQ(none.run({"replay", "no-such-log"}), kUsage);
  EXPECT_THAT(none.err.str(), HasSubstr("no-such-log is no file, and no run of the store"));
  TestWorld twice{std::string(kLog)};
  const std::string folder = real_files().make_temporary_folder("ucutlass-replay").value();
  ASSERT_TRUE(real_files().write(folder + "/log.jsonl", kLog));
  EXPECT_EQ(twice.run({"replay", "-", folder + "/log.jsonl"}), kUsage);
  EXPECT_THAT(twice.err.str(), HasSubstr("holds `a`, and so did what was named before"));
  TestWorld itself;
  EXPECT_NE(itself.run({"replay", folder + "/log.jsonl", "-o", folder + "/log.jsonl"}), kDone);
  EXPECT_EQ(real_files().read(folder + "/log.jsonl").value(), kLog);
  (void)real_files().remove(folder);
}

TEST(CompareCommand, CountsProblemsThatBothTried) {
  const std::string folder = real_files().make_temporary_folder("ucutlass-compare").value();
  ASSERT_TRUE(real_files().write(folder + "/ours", kLog));
  ASSERT_TRUE(real_files().write(folder + "/theirs", R"({"problem": "a", "reference_us": 100, "sol_us": 20}
{"problem": "a", "label": "ok", "us": 40}
{"problem": "c", "reference_us": 100, "sol_us": 20}
{"problem": "c", "label": "broken"}
)"));
  TestWorld world;
  EXPECT_EQ(world.run({"compare", folder + "/ours", folder + "/theirs"}), kDone) << world.err.str();
  EXPECT_THAT(world.out.str(), HasSubstr("1 problems that both tried"));
  EXPECT_THAT(world.out.str(), HasSubstr("The first over the second: geomean 2.000x"));
  EXPECT_THAT(world.out.str(), HasSubstr("Tried by one side only, not counted: b, c"));
  TestWorld again;
  const auto json = json_of(again, {"compare", folder + "/ours", folder + "/theirs", "--json"});
  EXPECT_EQ(json["area"], 2.5);  // 5x against 2.5x
  EXPECT_EQ(json["sides"][0]["fast_p"][3]["speedup"], 2);
  EXPECT_EQ(json["sides"][0]["fast_p"][3]["share_after_attempts"], (std::vector<double>{0, 0, 1, 1, 1, 1}));
  ASSERT_TRUE(real_files().write(folder + "/other", R"({"problem": "z", "reference_us": 1, "sol_us": 1})"));
  TestWorld apart;
  EXPECT_EQ(apart.run({"compare", folder + "/ours", folder + "/other"}), kFindings);
  EXPECT_THAT(apart.err.str(), HasSubstr("have no problem in common"));
  (void)real_files().remove(folder);
}

// A run as the optimizer stores it: PyTorch's best is the reference, what confirms the best program is no
// attempt.
TEST(ReplayCommand, RunsOfTheStoreAreLogs) {
  const std::string folder = real_files().make_temporary_folder("ucutlass-replay").value();
  {
    auto store = Store::open(folder + "/runs.db").value();
    RunRecord run;
    run.problem = "relu";
    run = store->begin_run(run).value();
    Baselines baselines;
    baselines.all = {{"eager", 100, TimeKind::measured, true, true, ""},
                     {"compile", 80, TimeKind::measured, true, true, ""}};
    baselines.best = "compile";
    ASSERT_TRUE(store->set_baselines(run.id, baselines_json(baselines)));
    for (const auto& [number, rewrite, us] :
         {std::tuple{1, "import", 90.0}, {2, "fuse", 40.0}, {3, "confirm", 39.0}}) {
      AttemptRecord attempt;
      attempt.run = run.id;
      attempt.number = number;
      attempt.rewrite = rewrite;
      attempt.label = "ok";
      attempt.time_us = us;
      ASSERT_TRUE(store->record(attempt));
    }
  }
  TestWorld early;
  EXPECT_EQ(early.run({"replay", "last", "--store", folder + "/runs.db"}), kFindings);
  EXPECT_THAT(early.err.str(), HasSubstr("did not come to its end"));
  {
    auto store = Store::open(folder + "/runs.db").value();
    const RunRecord run = store->find_run("last").value();
    ASSERT_TRUE(store->set_summary(run.id, R"({"sol": {"certified_us": 20.0}})"));
  }
  TestWorld world;
  const auto json =
      json_of(world, {"replay", "last", "--store", folder + "/runs.db", "--json", "--policy", "fixed"});
  EXPECT_EQ(json["policies"][0]["by_problem"][0]["problem"], "relu");
  EXPECT_EQ(json["policies"][0]["by_problem"][0]["attempts"], 2);
  EXPECT_EQ(json["policies"][0]["by_problem"][0]["speedup"], 2);
  (void)real_files().remove(folder);
}

}  // namespace
}  // namespace uc::cli
