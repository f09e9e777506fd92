// Coverage is only worth something if a problem that torch contradicts is not counted.
#include "agent/coverage.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catalog/builtin.h"

namespace uc {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

CapturedProblem problem(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(UC_SOURCE_DIR) + "/data/kernelbench/" + path + ".json").rdbuf();
  auto read = read_problem(text.str());
  EXPECT_TRUE(read) << path << ": " << read.error().message;
  return std::move(*read);
}

constexpr const char* kRelu = "level2/76_Gemm_Add_ReLU";
constexpr const char* kConv = "level1/63_conv_standard_2D__square_input__square_kernel";
constexpr const char* kDropout = "level2/66_Matmul_Dropout_Softmax";

ProblemCoverage covered(const std::string& name) { return cover(catalog(), problem(name), name); }

TEST(Coverage, ReachesEveryStage) {
  const ProblemCoverage relu = covered(kRelu);
  EXPECT_TRUE(relu.imported && relu.checked && relu.executed && relu.emittable);
  EXPECT_EQ(relu.cases, 3U);
  EXPECT_THAT(relu.obstacles, IsEmpty());
  EXPECT_THAT(relu.targets, Contains("aten.linear.default"));
  EXPECT_THAT(relu.refused, IsEmpty());
}

TEST(Coverage, ExecutesWhatHasNoKernel) {
  const ProblemCoverage conv = covered(kConv);
  EXPECT_TRUE(conv.imported && conv.checked && conv.executed);
  EXPECT_EQ(conv.emittable, catalog().op("conv2d")->lower != nullptr);
}

TEST(Coverage, NamesWhatIsNotImported) {
  const ProblemCoverage dropout = covered(kDropout);
  EXPECT_FALSE(dropout.imported || dropout.checked || dropout.executed || dropout.emittable);
  EXPECT_THAT(dropout.refused, ElementsAre("aten.dropout.default"));
  EXPECT_THAT(dropout.obstacles, Contains(Field(&Obstacle::why, HasSubstr("random numbers"))));
}

TEST(Coverage, DoesNotCountWhatTorchContradicts) {
  CapturedProblem changed = problem(kRelu);
  CaseOutput& output = changed.reduced->cases[1].outputs[0];
  for (HostTensor* answer : {&output.data, &*output.f64}) answer->set(3, answer->at(3) + 0.5);
  const ProblemCoverage relu = cover(catalog(), changed, kRelu);
  EXPECT_TRUE(relu.imported && relu.checked && relu.emittable);
  EXPECT_FALSE(relu.executed);
  EXPECT_THAT(relu.obstacles, Contains(Field(&Obstacle::what, HasSubstr("case 2"))));
}

TEST(Coverage, DoesNotCountWhatHasNoRecordedRun) {
  CapturedProblem changed = problem(kRelu);
  changed.reduced.reset();
  changed.reduced_missing = "left out";
  const ProblemCoverage relu = cover(catalog(), changed, kRelu);
  EXPECT_FALSE(relu.executed);
  EXPECT_THAT(relu.obstacles, Contains(Field(&Obstacle::why, "left out")));
}

TEST(Coverage, GroupsByLevelAndList) {
  const std::vector<ProblemCoverage> problems = {covered(kConv), covered(kRelu), covered(kDropout)};
  const auto groups = coverage_groups(problems, R"({"name": "few", "levels": {"2": [66]}})");
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 4U);
  EXPECT_EQ((*groups)[1].name, "level 2");
  EXPECT_EQ((*groups)[1].problems.size(), 2U);
  EXPECT_EQ((*groups)[1].count(kCoverageStages[2]), 1U);
  EXPECT_EQ((*groups)[2].name, "few");
  EXPECT_EQ((*groups)[2].count(kCoverageStages[0]), 0U);
  EXPECT_FALSE(coverage_groups(problems, R"({"name": "few", "levels": {"2": [67]}})"));
  for (const char* bad : {"[]", "{", R"({"name": 1, "levels": {}})", R"({"name": "x", "levels": {"1": 2}})",
                          R"({"name": "x", "levels": {"1": ["a"]}})"})
    EXPECT_FALSE(coverage_groups(problems, bad)) << bad;
}

TEST(Coverage, SeesWhatIsLostAndGained) {
  std::vector<ProblemCoverage> problems = {covered(kRelu), covered(kDropout)};
  const std::string before = coverage_json(catalog(), problems, *coverage_groups(problems, {}));
  EXPECT_TRUE(nlohmann::json::accept(before));
  auto same = compare_coverage(problems, before);
  ASSERT_TRUE(same);
  EXPECT_THAT(same->lost, IsEmpty());
  EXPECT_THAT(same->gained, IsEmpty());
  problems[0].executed = false;
  problems[1].imported = true;
  const auto changed = compare_coverage(problems, before);
  EXPECT_THAT(changed->lost, ElementsAre("level2/76_Gemm_Add_ReLU: executed"));
  EXPECT_THAT(changed->gained, ElementsAre("level2/66_Matmul_Dropout_Softmax: imported"));
  problems.pop_back();
  EXPECT_THAT(compare_coverage(problems, before)->lost, Contains(HasSubstr("no capture")));
  for (const char* bad : {"", "[]", R"({"schema": "ucutlass.sol/1"})"})
    EXPECT_FALSE(compare_coverage(problems, bad)) << bad;
}

TEST(Coverage, SaysWhereNoCaptureIs) {
  EXPECT_FALSE(cover_all(catalog(), std::string(UC_SOURCE_DIR) + "/nowhere", real_files()));
  const auto none = cover_all(catalog(), std::string(UC_SOURCE_DIR) + "/src/ir", real_files());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("holds no capture"));
}

}  // namespace
}  // namespace uc
