// Only what was confirmed on a GPU and labelled ok is a proof, and it raises what is kept.
#include "agent/raising.h"

#include <gtest/gtest.h>

#include "agent/testing.h"
#include "compiler/pipeline.h"
#include "store/calibrations.h"

namespace uc {
namespace {

using agent_testing::catalog;
using agent_testing::h200;

RunResult confirmed(double time_us, std::string label = "ok", TimeKind kind = TimeKind::measured) {
  RunResult out;
  out.outcomes.resize(1);
  out.outcomes[0].judgement.label = std::move(label);
  out.outcomes[0].judgement.kind = kind;
  out.outcomes[0].judgement.time_us = time_us;
  out.best = out.confirmed = 0;
  return out;
}

TEST(Raising, OnlyAConfirmedMeasuredOkTimeIsAProof) {
  EXPECT_EQ(proven_us(confirmed(10)), 10.0);
  EXPECT_FALSE(proven_us(confirmed(10, "minor")));
  EXPECT_FALSE(proven_us(confirmed(10, "gaming")));
  EXPECT_FALSE(proven_us(confirmed(10, "ok", TimeKind::modelled)));
  RunResult searched = confirmed(10);
  searched.confirmed = SIZE_MAX;  // the luckiest of a search
  EXPECT_FALSE(proven_us(searched));
  EXPECT_FALSE(proven_us(RunResult{}));
}

TEST(Raising, AProofIsKeptForTheNextBound) {
  const std::string folder = *real_files().make_temporary_folder("ucutlass-raising");
  FakeEnvironment environment;
  environment.values["XDG_DATA_HOME"] = folder;
  FakeClock clock;
  const auto compiled = resolve_source(catalog(),
                                       "target sm_90a\nprecision f16\nname square\ninput a: f16[4096, 4096]\n"
                                       "input b: f16[4096, 4096]\nc = gemm(a, b)\nreturn c\n");
  ASSERT_TRUE(compiled.ok());
  // 137.4 GFLOP at 1070 TFLOP/s take 128.4 us at least; 830 were seen: 165.6 us.
  const auto raise = [&](double us) {
    return raise_by_proof(catalog(), h200(), compiled.program, Precision::f16, confirmed(us), real_files(),
                          environment, clock);
  };
  ASSERT_TRUE(raise(170)->empty());
  EXPECT_FALSE(real_files().exists(*calibration_path(environment, "h200")));
  const auto raised = raise(140);
  ASSERT_TRUE(raised) << raised.error().message;
  ASSERT_EQ(raised->size(), 1u);
  EXPECT_EQ(raised->at(0).unit, "f16");
  EXPECT_NEAR(raised->at(0).now, 2.0 * 4096 * 4096 * 4096 / 140e-6 / 1e12, 0.1);
  EXPECT_EQ(raised->at(0).program, "square");
  const auto active = active_calibration(real_files(), environment, h200());
  ASSERT_TRUE(active);
  const CalibratedDevice device(h200(), &*active->calibration);
  SolOptions options;
  options.precision = Precision::f16;
  EXPECT_NEAR(speed_of_light(catalog(), compiled.program, device.spec(), options).calibrated.total_us, 140,
              0.01);
  EXPECT_TRUE(raise(110)->empty());  // below the certified bound: no proof of a rate
  (void)real_files().remove(folder);
}

}  // namespace
}  // namespace uc
