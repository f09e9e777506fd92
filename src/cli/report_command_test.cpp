// `ucutlass report` as a user meets it.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "catalog/builtin.h"
#include "cli/testing.h"
#include "store/store.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;

class ReportCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = real_files().make_temporary_folder("uc-report-").value();
    std::filesystem::create_directories(folder_ + "/captures/level1");
    std::filesystem::create_symlink(kCapture, folder_ + "/captures/level1/19_ReLU.json");
  }
  void TearDown() override { (void)real_files().remove(folder_); }

  int run(TestWorld& world, std::vector<std::string> more) {
    world.catalog = builtin_catalog();
    std::vector<std::string> args{"report", "light-speed", "--captures", folder_ + "/captures"};
    args.insert(args.end(), more.begin(), more.end());
    return world.run(args);
  }

  // A store with one run that ended; `us` of its best program, with f16 allowed.
  void store(double us) {
    FakeClock clock;
    auto opened = Store::open(folder_ + "/runs.db", clock).value();
    RunRecord run;
    run.problem = "19_ReLU";
    run.problem_hash = short_hash(real_files().read(kCapture).value());
    run.options = R"({"precision": "f16"})";
    run.device = "h200";
    const std::string id = opened->begin_run(run).value().id;
    const nlohmann::json best{{"label", "ok"}, {"kind", "measured"}, {"us", us}, {"attempt", 3}};
    ASSERT_TRUE(opened->set_summary(id, nlohmann::json{{"best", best}}.dump()));
  }

  const std::string kCapture = std::string(UC_SOURCE_DIR) + "/data/kernelbench/level1/19_ReLU.json";
  std::string folder_;
};

TEST_F(ReportCommand, RecordedTimesStandAgainstBounds) {
  TestWorld world;
  EXPECT_EQ(run(world, {"--json"}), kDone) << world.err.str();
  const auto json = nlohmann::json::parse(world.out.str());
  ASSERT_EQ(json["series"].size(), 1u);
  const auto& point = json["series"][0]["points"].at(0);
  EXPECT_EQ(point["problem"], "level1/19_ReLU");
  EXPECT_EQ(point["kind"], "measured");
  // 4096 x 393216 f32, read and written but for 62.9 MB of L2: 12.82 GB at 4.917 TB/s
  EXPECT_NEAR(point["bound_us"].get<double>(), 2608, 1);
}

TEST_F(ReportCommand, AStoreIsASecondSeries) {
  store(2900);
  TestWorld world;
  EXPECT_EQ(run(world, {"--store", folder_ + "/runs.db", "--json"}), kDone) << world.err.str();
  const auto json = nlohmann::json::parse(world.out.str());
  ASSERT_EQ(json["series"].size(), 2u);
  EXPECT_EQ(json["series"][1]["name"], "ucutlass, f16");
  EXPECT_EQ(json["series"][1]["points"].at(0)["time_us"], 2900);
  EXPECT_THAT(json["command"], HasSubstr("--store"));
}

TEST_F(ReportCommand, AnEmptyStoreIsSaidAndTheRestShown) {
  FakeClock clock;
  ASSERT_TRUE(Store::open(folder_ + "/runs.db", clock));
  TestWorld world;
  EXPECT_EQ(run(world, {"--store", folder_ + "/runs.db"}), kDone) << world.err.str();
  EXPECT_THAT(world.err.str(), HasSubstr("holds no proven result on h200"));
}

TEST_F(ReportCommand, AResultFasterThanLightFailsAndThePictureIsThereAllTheSame) {
  store(2000);
  TestWorld world;
  const std::string picture = folder_ + "/picture.svg";
  EXPECT_EQ(run(world, {"--store", folder_ + "/runs.db", "-o", picture}), kRejected);
  EXPECT_THAT(world.err.str(), HasSubstr("faster than light: level1/19_ReLU: 2000.00 us"));
  EXPECT_EQ(world.out.str(), "");
  EXPECT_THAT(real_files().read(picture).value(), HasSubstr("faster than light"));
}

TEST_F(ReportCommand, ErrorsAreJsonWhereJsonIsAsked) {
  TestWorld world;
  EXPECT_EQ(run(world, {"--store", folder_ + "/none.db", "--json"}), kFindings);
  EXPECT_EQ(nlohmann::json::parse(world.out.str())["schema"], "ucutlass.error/1");
}

}  // namespace
}  // namespace uc::cli
