#include "schedule/replay.h"

#include <chrono>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "schedule/scheduler.h"

namespace uc::schedule {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LoggedAttempt took(double us, double tokens = 10) { return {us > 0, us, tokens, 1}; }

// Two problems, by hand. `a` beats its reference at its second attempt and reaches its bound at its fourth;
// `b` never beats its own.
AttemptLog two() {
  return {{"a", 100, 20, {took(0), took(50), took(60), took(20), took(20)}},
          {"b", 100, 10, {took(200), took(0), took(150), took(0), took(0)}}};
}

ReplayOptions tokens() {
  ReplayOptions out;
  out.cost = Cost::tokens;
  return out;
}

TEST(Policy, IsNamedAsItIsRead) {
  for (const char* text : {"fixed", "sol(25%,16)", "sol(never,inf)", "roi(250%,12)", "sol(0%,1)"}) {
    const auto policy = parse_policy(text);
    ASSERT_TRUE(policy) << text;
    EXPECT_EQ(name(*policy), text);
  }
  EXPECT_EQ(*parse_policy(" sol( 0.25 , 16 ) "), *parse_policy("sol(25%,16)"));
  for (const char* text : {"", "sol", "sol()", "sol(25%)", "sol(-1%,3)", "sol(25%,0)", "sol(x,3)", "roi(1,2",
                           "sol(1,2)x", "sol(nan,3)", "sol(1,2,3)", "Fixed"}) {
    const auto policy = parse_policy(text);
    EXPECT_FALSE(policy) << text;
    EXPECT_THAT(policy ? "" : policy.error().help, HasSubstr("sol(EPS,W)"));
  }
}

TEST(Replay, FixedMakesEveryAttempt) {
  const auto out = replay(two(), Policy{}, tokens());
  ASSERT_TRUE(out);
  EXPECT_THAT(out->speedups, ElementsAre(5, testing::DoubleNear(100.0 / 150, 1e-12)));
  EXPECT_THAT(out->attempts, ElementsAre(5, 5));
  EXPECT_EQ(out->cost, 100);
  EXPECT_EQ(out->retention, 1);
  EXPECT_EQ(out->gain, 1);
}

TEST(Replay, AProblemThatIsNearEnoughGetsNoMore) {
  // 50 <= (1 + 1.5) * 20: enough at the second attempt. `b` never beats its reference and gets everything.
  const auto out = replay(two(), *parse_policy("sol(150%,inf)"), tokens());
  ASSERT_TRUE(out);
  EXPECT_THAT(out->attempts, ElementsAre(2, 5));
  EXPECT_EQ(out->cost, 70);
  EXPECT_NEAR(out->retention, std::sqrt(2.0 / 5), 1e-12);
  EXPECT_NEAR(out->gain, std::sqrt(2.0 / 5) * 100 / 70, 1e-12);
  // Reached exactly counts, and nothing less does.
  EXPECT_THAT(replay(two(), *parse_policy("sol(0%,inf)"), tokens())->attempts, ElementsAre(4, 5));
  EXPECT_THAT(replay(two(), *parse_policy("sol(149%,inf)"), tokens())->attempts, ElementsAre(4, 5));
}

TEST(Replay, PatienceEndsOnceTheReferenceIsBeaten) {
  // The attempt before the first success does not count: `a` fails once, beats it, stalls once, and ends.
  EXPECT_THAT(replay(two(), *parse_policy("sol(never,1)"), tokens())->attempts, ElementsAre(3, 5));
  EXPECT_THAT(replay(two(), *parse_policy("sol(never,2)"), tokens())->attempts, ElementsAre(5, 5));
}

TEST(Replay, WhatNothingSolvedCountsAsAsked) {
  const AttemptLog log{{"a", 100, 20, {took(0)}}, {"b", 100, 10, {took(25)}}};
  ReplayOptions options = tokens();
  EXPECT_THAT(replay(log, Policy{}, options)->speedups, ElementsAre(1, 4));
  options.unsolved = 0.5;
  EXPECT_THAT(replay(log, Policy{}, options)->speedups, ElementsAre(0.5, 4));
}

TEST(Replay, ABudgetEndsEverything) {
  ReplayOptions options = tokens();
  options.budget = 0.35;  // 40 tokens pass 35: two attempts each, in turn
  const auto out = replay(two(), Policy{}, options);
  EXPECT_THAT(out->attempts, ElementsAre(2, 2));
  EXPECT_EQ(out->cost_share, 0.4);
  EXPECT_NEAR(out->retention, std::sqrt((2.0 * 0.5) / (5 * (2.0 / 3))), 1e-12);
}

TEST(Replay, GainGoesFirstWhereTheBoundIsFar) {
  // `far` may gain much, `near` next to nothing: of a budget of three attempts `far` gets all.
  const AttemptLog log{{"near", 100, 99, {took(99.5), took(99.4), took(99.3)}},
                       {"far", 100, 1, {took(50), took(25), took(12)}}};
  ReplayOptions options;
  options.budget = 0.5;
  const auto by_gain = replay(log, *parse_policy("roi(never,inf)"), options);
  EXPECT_THAT(by_gain->attempts, ElementsAre(0, 3));
  EXPECT_GT(by_gain->geomean, replay(log, Policy{}, options)->geomean);
}

TEST(Replay, OnLineAndReplayedDecisionsAreTheSame) {
  std::mt19937 random(7);
  const auto drawn = [&](double least, unsigned many) {
    return least + static_cast<double>(random() % many);
  };
  AttemptLog log;
  for (int p = 0; p < 12; ++p) {
    LoggedProblem problem{"p" + std::to_string(p), 100, drawn(5, 90), {}};
    for (int i = 0; i < 30; ++i)
      problem.attempts.push_back(took(random() % 3 == 0 ? 0 : drawn(20, 150), drawn(1, 100)));
    log.push_back(problem);
  }
  for (const char* text : {"fixed", "sol(25%,4)", "roi(25%,4)"}) {
    // As a run would do it: the scheduler asks, the world answers, nobody knows what comes.
    std::vector<Progress> starts;
    for (const LoggedProblem& each : log) {
      Progress at;
      at.reference_us = each.reference_us;
      at.sol_us = each.sol_us;
      at.most_attempts = 30;
      starts.push_back(at);
    }
    Scheduler scheduler(*parse_policy(text), starts);
    while (const auto at = scheduler.next()) {
      ASSERT_EQ(scheduler.next(), at) << "asking changes nothing";
      const LoggedAttempt& each = log[*at].attempts[static_cast<size_t>(scheduler.problems()[*at].attempts)];
      scheduler.record(*at, each.time_us, each.tokens);
    }
    const auto out = replay(log, *parse_policy(text), tokens());
    for (size_t i = 0; i < log.size(); ++i)
      EXPECT_EQ(out->attempts[i], scheduler.problems()[i].attempts) << text;
  }
}

TEST(Frontier, HoldsWhatNothingBeatsAndTheCheapestThatRetainsEnough) {
  const auto out = frontier(two(), Policy::Kind::sol, default_eps(), default_patience(), 0.95, tokens());
  ASSERT_TRUE(out);
  EXPECT_EQ(out->all.size(), 400);
  ASSERT_NE(out->best, SIZE_MAX);
  EXPECT_THAT(out->all[out->best].attempts, ElementsAre(4, 5));  // ends at its bound, loses nothing
  for (const size_t each : out->efficient) {
    for (const Replayed& other : out->all) {
      EXPECT_FALSE(other.retention > out->all[each].retention && other.cost <= out->all[each].cost);
      EXPECT_FALSE(other.retention >= out->all[each].retention && other.cost < out->all[each].cost);
    }
  }
  EXPECT_EQ(frontier(two(), Policy::Kind::sol, std::array{5.0}, std::array{1}, 0.999, tokens())->best,
            SIZE_MAX);
  EXPECT_FALSE(frontier({}, Policy::Kind::sol, default_eps(), default_patience(), 0.95, tokens()));
}

TEST(Log, IsReadAsItIsWritten) {
  const AttemptLog log = two();
  const auto again = read_log(write_log(log), "log.jsonl");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(write_log(*again), write_log(log));
  EXPECT_TRUE(has_tokens(*again));
  EXPECT_EQ(replay(*again, Policy{}, tokens())->geomean, replay(log, Policy{}, tokens())->geomean);
}

TEST(Log, MistakesNameTheirLine) {
  const std::string facts = R"({"problem": "a", "reference_us": 100, "sol_us": 20})";
  const std::pair<std::string, const char*> cases[] = {
      {"[]", "log:2: this is no JSON object"},
      {"{", "log:2: this is no JSON object"},
      {R"({"label": "ok", "us": 3})", "log:2: `problem` is no name"},
      {R"({"problem": "a"})", "log:2: neither"},
      {R"({"problem": "a", "label": "fine", "us": 3})", "log:2: `label` is none of ok, minor"},
      {R"({"problem": "a", "label": "ok"})", "log:2: `us` is no number above 0"},
      {R"({"problem": "a", "label": "ok", "us": -3})", "log:2: `us` is no number above 0"},
      {R"({"problem": "a", "label": "ok", "us": 3, "tokens": -1})", "log:2: `tokens` is no number from 0 on"},
      {R"({"problem": "a", "reference_us": 3, "sol_us": 1})", "log:2: `a` had other times before"},
      {R"({"problem": "b", "reference_us": 3})", "log:2: `sol_us` is no number above 0"},
      {R"({"problem": "b", "label": "broken"})", "log: `b` has attempts, and no line"},
  };
  for (const auto& [line, message] : cases) {
    const auto read = read_log(facts + "\n" + line + "\n", "log");
    ASSERT_FALSE(read) << line;
    EXPECT_THAT(read.error().message, HasSubstr(message)) << line;
    EXPECT_THAT(read.error().help, HasSubstr("attempt_log.schema.json"));
  }
  EXPECT_FALSE(read_log("", "log"));
}

}  // namespace
}  // namespace uc::schedule
