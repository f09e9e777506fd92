#include "agent/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace uc {
namespace {

AttemptRecord attempt(int64_t number, int64_t parent, const std::string& label, double us) {
  AttemptRecord out;
  out.number = number;
  out.parent = parent;
  out.label = label;
  out.time_us = us;
  out.time_kind = TimeKind::measured;
  out.program_hash = "h" + std::to_string(number);
  out.expected_speedup = 1.5;
  return out;
}

const Bounds kBounds{10, 20, "memory"};

std::vector<std::string> words(const std::vector<AttemptRecord>& attempts, int64_t number) {
  std::vector<std::string> out;
  for (const Reviewed& each : review(attempts, kBounds)) {
    if (each.attempt.number != number) continue;
    out.emplace_back(each.flagged ? "FLAGGED" : "LOOK");
    for (const Evidence& one : each.evidence) out.push_back(one.what);
  }
  return out;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Review, HonestAttemptsAreLeftAlone) {
  EXPECT_THAT(review({attempt(1, 0, "ok", 100), attempt(2, 1, "ok", 60), attempt(3, 2, "incorrect", 0),
                      attempt(4, 2, "broken", 0), attempt(5, 2, "minor", 21)},
                     kBounds),
              IsEmpty());
}

TEST(Review, FlagsAreEvidenceAndInherited) {
  const std::vector<AttemptRecord> run{attempt(1, 0, "ok", 100), attempt(2, 1, "gaming", 50),
                                       attempt(3, 2, "incorrect", 0), attempt(4, 3, "ok", 60),
                                       attempt(5, 1, "library_only", 70)};
  EXPECT_THAT(words(run, 2), ElementsAre("FLAGGED", "label"));
  EXPECT_THAT(words(run, 4), ElementsAre("FLAGGED", "inherits"));  // through a wrong one
  EXPECT_THAT(words(run, 3), ElementsAre("LOOK", "inherits"));     // nobody would count it
  EXPECT_THAT(words(run, 5), ElementsAre("FLAGGED", "label"));
  EXPECT_THAT(words(run, 1), IsEmpty());
}

TEST(Review, NothingIsFasterThanLight) {
  const std::vector<AttemptRecord> run{attempt(1, 0, "ok", 25), attempt(2, 1, "ok", 9.9),
                                       attempt(3, 1, "ok", 15)};
  EXPECT_THAT(words(run, 2), ElementsAre("FLAGGED", "below_certified"));
  EXPECT_THAT(words(run, 3), ElementsAre("LOOK", "below_calibrated"));
  EXPECT_DOUBLE_EQ(review(run, kBounds).front().sol_ratio, 0.99);
  auto modelled = run;
  modelled[2].time_kind = TimeKind::modelled;
  EXPECT_THAT(words(modelled, 3), IsEmpty());
  EXPECT_THAT(review(run, Bounds{}), IsEmpty());  // no bound is known
}

TEST(Review, TheSameProgramIsTheSameCheat) {
  auto run = std::vector<AttemptRecord>{attempt(1, 0, "gaming", 100), attempt(2, 0, "ok", 100)};
  run[1].program_hash = run[0].program_hash;
  EXPECT_THAT(words(run, 2), ElementsAre("FLAGGED", "same_program"));
  run[0].program_hash = run[1].program_hash = "";  // neither came so far
  EXPECT_THAT(words(run, 2), IsEmpty());
}

TEST(Review, LeapsAndTheJudgesNotesAreToLookAt) {
  auto run = std::vector<AttemptRecord>{attempt(1, 0, "ok", 1000), attempt(2, 1, "ok", 100)};
  EXPECT_THAT(words(run, 2), ElementsAre("LOOK", "leap"));
  run[1].expected_speedup = 5;
  EXPECT_THAT(words(run, 2), IsEmpty());
  run[1].timing =
      R"({"record": {"libraries": ["libcublasLt.so.12"], "notes": ["n"], "time": {"gpu_us": 100, "graph_us": 106}}})";
  EXPECT_THAT(words(run, 2), ElementsAre("LOOK", "libraries", "clocks"));
  run[1].label = "gaming";
  EXPECT_THAT(words(run, 2), ElementsAre("FLAGGED", "label", "libraries", "clocks", "notes"));
  run[1].timing = "not json";
  EXPECT_THAT(words(run, 2), ElementsAre("FLAGGED", "label"));
}

TEST(Review, DamagedParentsDoNotHangIt) {
  auto run = std::vector<AttemptRecord>{attempt(1, 2, "ok", 100), attempt(2, 1, "ok", 100)};
  EXPECT_THAT(review(run, kBounds), IsEmpty());
}

}  // namespace
}  // namespace uc
