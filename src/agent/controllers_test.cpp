#include "agent/controllers.h"

#include <gmock/gmock.h>

#include "agent/lessons.h"
#include "agent/testing.h"

namespace uc {
namespace {

using namespace agent_testing;

/// Offers three open ideas of rising promise; writes nothing new after its first program.
class Ideas final : public Proposer {
 public:
  std::string_view name() const override { return "ideas"; }
  Result<std::vector<Hypothesis>> nominate(const SearchState& state) override {
    gaps.push_back(state.gap);
    reports.push_back(state.report);
    lessons = state.lessons.size();
    std::vector<Hypothesis> out(3);
    const char* ids[] = {"low", "middle", "high"};
    for (size_t i = 0; i < out.size(); ++i) {
      out[i].id = ids[i];
      out[i].what = ids[i];
      out[i].open = true;
      out[i].speedup = 1.1 + static_cast<double>(i);
    }
    return out;
  }
  Result<std::optional<Proposal>> write(const SearchState& state, const Hypothesis& hypothesis,
                                        std::span<const size_t> tried) override {
    spent_ += {1, 100, 10, 0, false};
    Proposal out;
    out.rewrite = hypothesis.id;
    out.candidate = state.start->candidate;
    out.on = static_cast<int>(tried.size()) - 1;
    return out;
  }
  Spent spent() const override { return spent_; }
  std::vector<double> gaps;
  std::vector<std::string> reports;
  size_t lessons = 0;

 private:
  Spent spent_;
};

struct Played {
  std::vector<std::string> order;
  RunResult result;
};

Played play(World& world, Ideas& ideas, const ControllerSpec& controller, int attempts, uint64_t seed = 0) {
  world.other = &ideas;
  RunOptions how = options(attempts);
  how.controller = controller;
  how.seed = seed;
  how.per_hypothesis = 1;
  Played out;
  out.result = world.go(world.begin(), how).value();
  for (size_t i = 1; i < out.result.outcomes.size(); ++i) {
    const std::string& idea = out.result.outcomes[i].rewrite;
    if (idea != "confirm" && idea != "without-prepack") out.order.push_back(idea);
  }
  return out;
}

std::vector<std::string> order_of(const char* controller, uint64_t seed = 0, const char* without = nullptr) {
  World world(load(kRelu));
  Ideas ideas;
  ControllerSpec how = *find_controller(controller);
  if (without != nullptr) leave_out(how, without);
  return play(world, ideas, how, 3, seed).order;
}

TEST(Controllers, TakeHypothesesInTheirOrder) {
  using testing::ElementsAre;
  EXPECT_THAT(order_of("mantis"), ElementsAre("high", "middle"));
  EXPECT_THAT(order_of("mantis", 0, "triage"), ElementsAre("low", "middle"));
  std::set<std::vector<std::string>> orders;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const auto order = order_of("random", seed);
    EXPECT_EQ(order, order_of("random", seed));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 2U);
}

TEST(Controllers, WithoutAnalyzeNobodyHearsOfBounds) {
  for (const bool analyze : {true, false}) {
    World world(load(kRelu));
    Ideas ideas;
    ControllerSpec how = *find_controller("mantis");
    if (!analyze) leave_out(how, "analyze");
    (void)play(world, ideas, how, 2);
    EXPECT_EQ(ideas.gaps[0] > 1, analyze);
    EXPECT_EQ(ideas.reports[0].find("Speed of light") != std::string::npos, analyze);
    EXPECT_EQ(real_files().exists(world.folder + "/run/iteration-1/analysis.json"), analyze);
    EXPECT_EQ(real_files().exists(world.folder + "/run/sol.md"), analyze);
  }
}

TEST(Controllers, WithoutSummarizeNoLessonIsKeptOrHeard) {
  for (const bool summarize : {true, false}) {
    World world(load(kRelu));
    Ideas ideas;
    ControllerSpec how = *find_controller("mantis");
    if (!summarize) leave_out(how, "summarize");
    (void)play(world, ideas, how, 4);
    EXPECT_EQ(!world.store->lessons("", 10)->empty(), summarize);
    EXPECT_EQ(ideas.lessons > 0, summarize);
  }
}

TEST(Controllers, CountAttemptsAndTokensAlike) {
  for (const char* name : {"mantis", "mi", "inprompt", "random"}) {
    World world(load(kRelu));
    Ideas ideas;
    const Played played = play(world, ideas, *find_controller(name), 5);
    EXPECT_EQ(played.order.size(), 4U) << name;  // all repeat the first program: each is an attempt
    EXPECT_EQ(played.result.spent.tokens(), 440) << name;
    for (size_t i = 1; i <= 4; ++i) EXPECT_EQ(played.result.outcomes[i].spent.tokens(), 110) << name;
  }
}

TEST(Controllers, WhatFailedBeforeIsChosenAgainOnlyWhenNothingElseIsThere) {
  World world(load(kRelu));
  Ideas ideas;
  const Played played = play(world, ideas, *find_controller("mantis"), 6);
  EXPECT_THAT(played.order, testing::ElementsAre("high", "middle", "low", "high", "middle"));
}

TEST(Controllers, PhasesHaveNames) {
  ControllerSpec how;
  EXPECT_FALSE(leave_out(how, "measure"));
  for (const std::string_view phase : phase_names()) EXPECT_TRUE(leave_out(how, phase));
  EXPECT_EQ(find_controller("nobody"), nullptr);
}

}  // namespace
}  // namespace uc
