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

class ReviewTest : public ::testing::Test {
 protected:
  ReviewTest() : folder_(real_files().make_temporary_folder("review").value()) {
    world_.catalog = builtin_catalog();
    store_ = Store::open(folder_ + "/a.db", world_.clock).value();
    RunRecord work;
    work.problem = "19_ReLU";
    work.options = R"({"attempts":3,"problem":"p","device":"model:h200","precision":"f16"})";
    work.device = "h200";
    id_ = store_->begin_run(work)->id;
    add(1, "ok", 100);
  }
  ~ReviewTest() override { std::filesystem::remove_all(folder_); }

  void add(int64_t number, const std::string& label, double us) {
    AttemptRecord out;
    out.run = id_;
    out.number = number;
    out.parent = number - 1;
    out.program = "target sm_90a\nprecision f16\ninput x: f16[16384, 4096]\ny = relu(x)\nreturn y\n";
    out.label = label;
    out.time_us = us;
    out.time_kind = TimeKind::measured;
    ASSERT_TRUE(store_->record(out));
  }
  int run(std::vector<std::string> more) {
    std::vector<std::string> args{"review", "--store", folder_ + "/a.db"};
    args.insert(args.end(), more.begin(), more.end());
    world_.out.str("");
    world_.err.str("");
    return world_.run(args);
  }

  TestWorld world_;
  std::string folder_, id_;
  std::unique_ptr<Store> store_;
};

TEST_F(ReviewTest, ExitCodesSayWhatWasFound) {
  EXPECT_EQ(run({"last"}), kDone) << world_.out.str();
  EXPECT_THAT(world_.out.str(), HasSubstr("1 attempts, 0 flagged, 0 suspicious"));
  add(2, "ok", 1);  // 268 MB in a microsecond: bounds are computed of the first program
  EXPECT_EQ(run({"last"}), kRejected);
  EXPECT_THAT(world_.out.str(), HasSubstr("no right program is so fast"));
  ASSERT_EQ(run({id_, "--json"}), kRejected);
  const auto told = nlohmann::json::parse(world_.out.str());
  EXPECT_EQ(told["schema"], "ucutlass.review/1");
  EXPECT_EQ(told["flagged"], 1);
  EXPECT_EQ(told["found"][0]["attempt"], 2);
  EXPECT_LT(told["found"][0]["sol_ratio"], 0.1);
  EXPECT_EQ(told["found"][0]["evidence"][0]["what"], "below_certified");
}

TEST_F(ReviewTest, WrongCallsAreTold) {
  EXPECT_EQ(run({}), kUsage);
  EXPECT_EQ(run({"nowhere"}), kFindings);
  EXPECT_EQ(run({"nowhere", "--json"}), kFindings);
  EXPECT_EQ(nlohmann::json::parse(world_.out.str())["schema"], "ucutlass.error/1");
  EXPECT_EQ(world_.run({"review", "last", "--store", folder_ + "/none.db"}), kFindings);
}

}  // namespace
}  // namespace uc::cli
