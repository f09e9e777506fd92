#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/logged_run.h"
#include "catalog/builtin.h"
#include "cli/sweep/online.h"
#include "cli/testing.h"
#include "schedule/replay.h"
#include "store/decisions.h"

namespace uc::cli {
namespace {

using ::testing::HasSubstr;

/// Problems whose attempts' times are written down: what a loop does, without one.
struct Scripted {
  schedule::AttemptLog log;
  std::vector<size_t> made;

  void run(
      const schedule::Policy& policy, int most, const std::function<bool()>& stop = [] { return false; }) {
    OnlineSchedule online(
        policy, most,
        [this](size_t problem, Turn& turn) {
          const schedule::LoggedProblem& at = log[problem];
          if (at.name == "broken") return;  // before it knows anything
          turn.begin(at.reference_us, at.sol_us);
          for (const schedule::LoggedAttempt& each : at.attempts) {
            if (!turn.next()) return;
            turn.done(each.time_us);
          }
        },
        [this](size_t problem, int, double) { made.push_back(problem); });
    online.run(log.size(), stop);
  }
  // What was made of it.
  schedule::AttemptLog finished() const {
    schedule::AttemptLog out = log;
    for (size_t i = 0; i < log.size(); ++i)
      out[i].attempts.resize(static_cast<size_t>(std::ranges::count(made, i)));
    return out;
  }
};

Scripted scripted(unsigned seed) {
  Scripted out;
  for (size_t i = 0; i < 7; ++i) {
    schedule::LoggedProblem problem{"p" + std::to_string(i), 100, 10, {}};
    double us = 130;
    for (size_t at = 0; at < 5 + (seed + i) % 9; ++at) {
      seed = seed * 1664525 + 1013904223;
      const bool accepted = (seed >> 16) % 4 != 0;
      us *= accepted && (seed >> 20) % 3 == 0 ? 0.6 : 1;
      problem.attempts.push_back({accepted, accepted ? us : 0, 0, 0});
    }
    out.log.push_back(std::move(problem));
  }
  return out;
}

TEST(OnlineSchedule, DecidesAsReplayingWhatItMadeDoes) {
  size_t shorter = 0;
  for (const char* text :
       {"fixed", "sol(25%,4)", "sol(never,2)", "sol(100%,inf)", "roi(25%,4)", "roi(never,inf)"}) {
    const auto policy = schedule::parse_policy(text).value();
    for (unsigned seed = 1; seed <= 20; ++seed) {
      Scripted all = scripted(seed);
      all.run(policy, 9);
      size_t there = 0;
      for (const auto& each : all.log) there += std::min<size_t>(each.attempts.size(), 9);
      if (all.made.size() < there) ++shorter;
      EXPECT_EQ(schedule::decisions(all.finished(), policy, {}).value(), all.made) << text << " " << seed;
      Scripted whole = all;  // and as replaying all that could have been made, where that is what there was
      for (auto& each : whole.log) each.attempts.resize(std::min<size_t>(each.attempts.size(), 9));
      EXPECT_EQ(schedule::decisions(whole.log, policy, {}).value(), all.made) << text << " " << seed;
    }
  }
  EXPECT_GT(shorter, 20U) << "no policy ended anything early: the comparison says little";
}

TEST(OnlineSchedule, AProblemThatFailsHoldsNobodyUp) {
  Scripted all = scripted(3);
  all.log[2].name = "broken";
  all.run(schedule::Policy{}, 50);
  size_t others = 0;
  for (size_t i = 0; i < all.log.size(); ++i) others += i == 2 ? 0 : all.log[i].attempts.size();
  EXPECT_EQ(all.made.size(), others);
  EXPECT_EQ(std::ranges::count(all.made, 2U), 0);
}

TEST(OnlineSchedule, StopsWhenItIsTold) {
  Scripted all = scripted(3);
  all.run(schedule::Policy{}, 50, [&] { return all.made.size() >= 4; });
  EXPECT_EQ(all.made.size(), 4U);
}

class OnlineSweepTest : public ::testing::Test {
 protected:
  OnlineSweepTest() : folder_(real_files().make_temporary_folder("online").value()) {}
  ~OnlineSweepTest() override { std::filesystem::remove_all(folder_); }

  nlohmann::json sweep(const std::string& policy) {
    TestWorld world;
    world.catalog = builtin_catalog();
    world.environment.values["XDG_DATA_HOME"] = folder_;
    std::vector<std::string> args{
        "sweep",      "L2/76",      "L1/23",
        "L2/81",      "--corpus",   std::string(UC_SOURCE_DIR) + "/data/kernelbench",
        "--device",   "model:h200", "--precision",
        "f16",        "--attempts", "6",
        "--no-build", "--json",     "--policy",
        policy};
    EXPECT_EQ(world.run(args), kDone) << world.out.str() << world.err.str();
    return nlohmann::json::parse(world.out.str());
  }
  std::unique_ptr<Store> store() { return Store::open(folder_ + "/ucutlass/runs.db").value(); }

  std::string folder_;
};

TEST_F(OnlineSweepTest, StoredDecisionsAreThoseOfTheReplayedLog) {
  for (const char* text : {"sol(25%,2)", "roi(never,inf)", "fixed"}) {
    const auto told = sweep(text);
    EXPECT_EQ(told["policy"], text);
    const auto db = store();
    const auto stored = decisions_of(*db, told["sweep"]).value();
    ASSERT_FALSE(stored.empty());
    schedule::AttemptLog log;
    std::vector<std::string> runs;
    for (const auto& row : told["problems"]) {
      const auto run = db->find_run(row["run"]).value();
      runs.push_back(run.id);
      log.push_back(logged(run, db->attempts(run.id).value()).value());
    }
    std::vector<std::string> replayed, made;
    const auto order = schedule::decisions(log, schedule::parse_policy(text).value(), {}).value();
    for (const size_t at : order) replayed.push_back(runs[at]);
    for (const DecisionRecord& each : stored) made.push_back(each.run);
    EXPECT_EQ(made, replayed) << text;
    // Turns were taken: the second attempt of the first problem was not the second of all.
    EXPECT_NE(made[0], made[1]) << text;
    // The same sweep again tries nothing, and decides the same.
    const auto again = sweep(text);
    EXPECT_EQ(again["sweep"], told["sweep"]);
    const auto after = decisions_of(*store(), told["sweep"]).value();
    ASSERT_EQ(after.size(), stored.size());
    for (size_t i = 0; i < after.size(); ++i) {
      EXPECT_EQ(after[i].run, stored[i].run);
      EXPECT_EQ(after[i].time_us, stored[i].time_us);
    }
  }
}

TEST_F(OnlineSweepTest, WrongPoliciesAreTold) {
  TestWorld world;
  world.catalog = builtin_catalog();
  EXPECT_EQ(world.run({"sweep", "L1/23", "--device", "model:h200", "--policy", "greedy"}), kUsage);
  EXPECT_THAT(world.err.str(), HasSubstr("`greedy` is no policy"));
}

}  // namespace
}  // namespace uc::cli
