// Rules on launches that no program text reaches yet (views with offsets), and the engine around them.
#include <algorithm>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "check/rule_engine.h"
#include "syntax/parser.h"

namespace uc {
namespace {

class HandMade : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string source =
        "target sm_90a\ninput a: f16[512, 512]\ninput b: f16[512, 512]\ninput r: f16[512, 512]\nc = gemm(a, "
        "b) >> residual(r)\nreturn c\n";
    DiagSink diags;
    program = resolve(catalog, parse(source, diags), diags);
    launch = lower(catalog, program, diags).at(0);
    config().tile_m = 128;
    config().tile_n = 256;
    config().tile_k = 64;
    config().cluster_m = 2;
    config().cluster_n = 1;
    config().schedule = ContractionConfig::Schedule::cooperative;
    config().stages = 3;
  }
  Contraction& kernel() { return std::get<Contraction>(launch.kernel); }
  ContractionConfig& config() { return std::get<ContractionConfig>(launch.config); }
  std::vector<std::string> ids() {
    DiagSink diags;
    run_rules(catalog, program, launch, *catalog.device("h200"), diags);
    std::vector<std::string> out;
    for (const Diag& diag : diags.sorted()) out.push_back(diag.id);
    std::ranges::sort(out);
    return out;
  }
  bool is_legal() { return legal(catalog, program, launch, *catalog.device("h200")); }

  Catalog catalog = builtin_catalog();
  Program program;
  Launch launch;
};

using Ids = std::vector<std::string>;

TEST_F(HandMade, SoundLaunchRaisesNothing) {
  EXPECT_EQ(ids(), Ids{});
  EXPECT_TRUE(is_legal());
}

TEST_F(HandMade, OffsetsOfOperandsAreMultiplesOf16Bytes) {
  kernel().a.offset = 8;
  EXPECT_EQ(ids(), Ids{});
  kernel().a.offset = 4;
  EXPECT_EQ(ids(), Ids{"UC2303"});
  EXPECT_FALSE(is_legal());
}

TEST_F(HandMade, OffsetsOfTheEpilogueAreMultiplesOf16Bytes) {
  kernel().epilogue.views.at(0).offset = 4;  // the residual
  EXPECT_EQ(ids(), Ids{"UC2406"});
  kernel().epilogue.views.at(0).offset = 0;
  kernel().epilogue.views.back().offset = 4;  // the result
  EXPECT_EQ(ids(), Ids{"UC2405"});
}

TEST_F(HandMade, WarningsAreLegal) {
  config().tile_n = 160;
  config().stages = 2;
  EXPECT_EQ(ids(), Ids{"UC2108"});
  EXPECT_TRUE(is_legal());
}

TEST_F(HandMade, NothingIsSaidOfWhatIsNotChosenYet) {
  launch.config = ContractionConfig{};
  EXPECT_EQ(ids(), Ids{});
  config().schedule = ContractionConfig::Schedule::cooperative;
  EXPECT_EQ(ids(), Ids{});
  config().cluster_m = config().cluster_n = 2;
  EXPECT_EQ(ids(), Ids{});
}

TEST_F(HandMade, BackEndsAnswerToTheirOwnRules) {
  config().tile_m = 100;
  EXPECT_EQ(ids(), Ids{"UC2101"});
  config().backend = "simt";
  EXPECT_EQ(ids(), Ids{});
}

TEST_F(HandMade, EveryNumberOfStagesUpToTheCapacityIsLegal) {
  // 128x256x64 of f16 with an f16 residual: CUTLASS fits four stages beside the epilogue (tests/oracle).
  for (int64_t stages = 2; stages <= 4; ++stages) {
    config().stages = stages;
    EXPECT_EQ(ids(), Ids{}) << stages;
  }
  config().stages = 5;
  EXPECT_EQ(ids(), Ids{"UC2002"});
}

}  // namespace
}  // namespace uc
