#include "report/light_speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/files.h"

namespace uc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ProblemBound bound(std::string path, int64_t level, double us) {
  ProblemBound out;
  out.path = std::move(path);
  out.name = out.path.substr(out.path.rfind('/') + 1);
  out.hash = "hash of " + out.name;
  out.level = level;
  out.id = 1;
  SolTime time;
  time.total_us = us;
  time.by = "memory";
  out.certified = {time};
  return out;
}

ProblemTime taken(std::string problem, double us, Precision precision = Precision::tf32) {
  ProblemTime out;
  out.problem = std::move(problem);
  out.series = "PyTorch";
  out.precision = precision;
  out.time_us = us;
  return out;
}

LightSpeed empty() {
  LightSpeed out;
  out.device = "h200";
  out.device_name = "NVIDIA H200";
  out.clock_mhz = 1980;
  return out;
}

std::vector<const LightPoint*> pointers(const LightSeries& series) {
  std::vector<const LightPoint*> out;
  for (const LightPoint& each : series.points) out.push_back(&each);
  return out;
}

TEST(LightSpeed, TheBestAllowedTimeOfEachProblemCounts) {
  LightSpeed data = empty();
  std::vector<ProblemTime> times{taken("level1/1_a", 30), taken("level1/1_a", 20, Precision::strict),
                                 taken("level1/1_a", 5, Precision::f16), taken("level1/1_b", 80)};
  times.push_back(taken("level1/1_b", 1));
  times.back().device = "b200";
  times.push_back(taken("level1/1_b", 1));
  times.back().own_io = false;
  add_times(data, {bound("level1/1_a", 1, 10), bound("level1/1_b", 1, 10)}, times);
  ASSERT_EQ(data.series.size(), 1u);
  ASSERT_EQ(data.series[0].points.size(), 2u);
  EXPECT_DOUBLE_EQ(data.series[0].points[0].gap(), 2);  // 20 / 10: f16 is not allowed under tf32
  EXPECT_DOUBLE_EQ(data.series[0].points[1].gap(), 8);
  EXPECT_DOUBLE_EQ(mean_gap(pointers(data.series[0])), 4);  // sqrt(2 x 8)
  EXPECT_EQ(data.series[0].points[0].label, "L1/1 a");
  EXPECT_THAT(data.left_out, ElementsAre("1 times of other devices"));
}

TEST(LightSpeed, WhatIsNotShownIsSaid) {
  LightSpeed data = empty();
  ProblemBound opaque = bound("level1/1_b", 1, 0);
  opaque.certified.clear();
  opaque.missing = "dropout";
  add_times(data, {bound("level1/1_a", 1, 10), opaque}, {taken("level1/1_b", 3), taken("level9/9_z", 3)});
  EXPECT_THAT(data.left_out, ElementsAre("level1/1_a: no time", "level1/1_b: dropout",
                                         "1 times of problems without a capture, the first is `level9/9_z`"));
}

TEST(LightSpeed, FasterThanLightIsFound) {
  LightSpeed data = empty();
  add_times(data, {bound("level1/1_a", 1, 10), bound("level1/1_b", 1, 10), bound("level1/1_c", 1, 10)},
            {taken("level1/1_a", 9.99), taken("level1/1_b", 10), taken("level1/1_c", 11)});
  const auto wrong = data.impossible();
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0]->problem, "level1/1_a");
  EXPECT_THAT(light_speed_html(data), HasSubstr("1 of these times are below the bound"));
}

TEST(LightSpeed, AResultThatIsKnownBeforehandHasNoGap) {
  LightSpeed data = empty();
  add_times(data, {bound("level1/1_a", 1, 0), bound("level1/1_b", 1, 10)},
            {taken("level1/1_a", 20), taken("level1/1_b", 30)});
  EXPECT_DOUBLE_EQ(mean_gap(pointers(data.series[0])), 3);
  EXPECT_TRUE(data.impossible().empty());
  EXPECT_THAT(light_speed_svg(data), HasSubstr("bound below 0.1 µs"));
  EXPECT_THAT(light_speed_json(data), HasSubstr("\"gap\": null"));
}

TEST(LightSpeed, NothingAndOnePointAreDrawnToo) {
  LightSpeed data = empty();
  EXPECT_THAT(light_speed_svg(data), HasSubstr("0 problems"));
  EXPECT_THAT(light_speed_text(data), HasSubstr("0 problems"));
  EXPECT_DOUBLE_EQ(mean_gap({}), 0);
  add_times(data, {bound("level1/1_a", 1, 10)}, {taken("level1/1_a", 20)});
  EXPECT_THAT(light_speed_svg(data), HasSubstr("1 problem and the speed of light"));
  EXPECT_THAT(light_speed_svg(data), Not(HasSubstr("nan")));
}

TEST(LightSpeed, HostileNamesStayText) {
  LightSpeed data = empty();
  add_times(data, {bound("level1/1_<script>&\"'", 0, 10)}, {taken("1_<script>&\"'", 20)});
  EXPECT_EQ(data.series[0].points.size(), 1u);
  EXPECT_THAT(light_speed_html(data), Not(HasSubstr("<script")));
  EXPECT_THAT(light_speed_svg(data), HasSubstr("&lt;script&gt;&amp;&quot;&#39;"));
}

// ---- stored runs

class ProvenTimes : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = real_files().make_temporary_folder("uc-report-").value();
    store_ = std::move(Store::open(folder_ + "/runs.db", clock_).value());
  }
  void TearDown() override { (void)real_files().remove(folder_); }

  std::string run(const std::string& problem, const std::string& precision, const std::string& summary) {
    RunRecord record;
    record.problem = problem;
    record.problem_hash = "hash of " + problem;
    record.options = R"({"precision": ")" + precision + "\"}";
    record.device = "h200";
    const std::string id = store_->begin_run(record).value().id;
    EXPECT_TRUE(store_->set_summary(id, summary));
    return id;
  }
  void attempt(const std::string& run, int64_t number, const std::string& label, TimeKind kind, double us) {
    AttemptRecord record;
    record.run = run;
    record.number = number;
    record.label = label;
    record.time_kind = kind;
    record.time_us = us;
    record.kernel_hashes = record.diagnostics = "[]";
    ASSERT_TRUE(store_->record(record));
  }

  std::string folder_;
  FakeClock clock_;
  std::unique_ptr<Store> store_;
};

TEST_F(ProvenTimes, AnEmptyStoreHasNone) { EXPECT_TRUE(proven_times(*store_, "h200").value().empty()); }

TEST_F(ProvenTimes, ARunThatEndedTellsItsBest) {
  run("a", "f16", R"({"best": {"label": "ok", "kind": "measured", "us": 12.5, "attempt": 7}})");
  run("b", "f16", R"({"best": null})");
  const auto times = proven_times(*store_, "h200").value();
  ASSERT_EQ(times.size(), 1u);
  EXPECT_DOUBLE_EQ(times[0].time_us, 12.5);
  EXPECT_EQ(times[0].precision, Precision::f16);
  EXPECT_FALSE(times[0].modelled);
  EXPECT_THAT(times[0].what, HasSubstr("attempt 7 of run"));
  EXPECT_TRUE(proven_times(*store_, "b200").value().empty());
}

TEST_F(ProvenTimes, OnlyWhatPassedCountsAndMeasuredBeforeModelled) {
  const std::string id = run("a", "", "");
  attempt(id, 1, "ok", TimeKind::measured, 30);
  attempt(id, 2, "incorrect", TimeKind::measured, 1);
  attempt(id, 3, "ok", TimeKind::modelled, 2);
  attempt(id, 4, "ok", TimeKind::measured, 20);
  const auto times = proven_times(*store_, "h200").value();
  ASSERT_EQ(times.size(), 1u);
  EXPECT_DOUBLE_EQ(times[0].time_us, 20);
  EXPECT_EQ(times[0].precision, Precision::strict);
}

TEST_F(ProvenTimes, AreASeriesWithArrowsFromTheFirst) {
  run("1_a", "f16", R"({"best": {"label": "ok", "kind": "measured", "us": 12.5, "attempt": 7}})");
  LightSpeed data = empty();
  std::vector<ProblemBound> bounds{bound("level1/1_a", 1, 10)};
  bounds[0].certified.push_back(bounds[0].certified[0]);
  bounds[0].certified[1].total_us = 5;
  add_times(data, bounds, {taken("level1/1_a", 200)});
  add_proven(data, bounds, {Precision::tf32, Precision::f16}, proven_times(*store_, "h200").value());
  ASSERT_EQ(data.series.size(), 2u);
  EXPECT_EQ(data.series[1].name, "ucutlass, f16");
  EXPECT_DOUBLE_EQ(data.series[1].points.at(0).gap(), 2.5);  // against the bound of its own precision
  EXPECT_THAT(light_speed_svg(data), HasSubstr("class=\"shaft\""));
}

}  // namespace
}  // namespace uc
