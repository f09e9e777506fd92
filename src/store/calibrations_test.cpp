// What was measured here wins over what ships, and is never half written.
#include "store/calibrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"

namespace uc {
namespace {

using testing::HasSubstr;

struct Home : testing::Test {
  void SetUp() override {
    folder = *real_files().make_temporary_folder("ucutlass-calibrations");
    environment.values["XDG_DATA_HOME"] = folder;
  }
  void TearDown() override { (void)real_files().remove(folder); }
  Result<ActiveCalibration> active(const std::string& choice = {}) {
    return active_calibration(real_files(), environment, device, choice);
  }

  Catalog catalog = builtin_catalog();
  const DeviceSpec& device = *catalog.device("h200");
  FakeEnvironment environment;
  std::string folder;
};

Calibration measured(double f16) {
  Calibration out;
  out.device = "h200";
  out.products = {{"f16", f16, 0, "", "", "a test", 0}};
  return out;
}

TEST_F(Home, MeasuredWinsOverShippedAndNoneOverBoth) {
  ASSERT_TRUE(active());
  EXPECT_EQ(active()->origin, "shipped with the program");
  const auto saved = save_calibration(real_files(), environment, device, measured(900));
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(*saved, folder + "/ucutlass/calibration/h200.json");
  EXPECT_EQ(active()->origin, *saved);
  EXPECT_EQ(active()->calibration->products.at(0).best, 900);
  EXPECT_FALSE(active("none")->calibration);
  const std::string other = folder + "/other.json";
  ASSERT_TRUE(real_files().write(other, calibration_json(measured(500))));
  EXPECT_EQ(active(other)->calibration->products.at(0).best, 500);
}

TEST_F(Home, ABrokenFileIsAnErrorThatSaysHowToGoOn) {
  const std::string path = *calibration_path(environment, "h200");
  ASSERT_TRUE(real_files().make_folder(folder + "/ucutlass/calibration"));
  ASSERT_TRUE(real_files().write(path, "{"));
  ASSERT_FALSE(active());
  EXPECT_THAT(active().error().message, HasSubstr(path));
  EXPECT_THAT(active().error().help, HasSubstr("--calibration none"));
  EXPECT_FALSE(active(folder + "/missing.json"));
  EXPECT_FALSE(save_calibration(real_files(), environment, device, measured(2000)));
  EXPECT_EQ(*real_files().read(path), "{");
}

TEST_F(Home, WithoutAHomeWhatShipsIsUsedAndNothingIsKept) {
  environment.values.clear();
  EXPECT_EQ(active()->origin, "shipped with the program");
  EXPECT_FALSE(save_calibration(real_files(), environment, device, measured(900)));
}

TEST_F(Home, AProvenTimeIsKept) {
  SolReport report;
  report.clock_mhz = device.boost_mhz;
  report.certified.tensor_us = report.certified.total_us = 1000;
  report.steps.push_back({});
  report.steps.back().math = "f16";
  const double before =
      active()->calibration->products.empty() ? 0 : best_of(active()->calibration->products, "f16")->best;
  const auto none = raise_calibration(real_files(), environment, device, report, 1e6, "slow", "2026-12-01");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  EXPECT_FALSE(real_files().exists(*calibration_path(environment, "h200")));
  const auto raised =
      raise_calibration(real_files(), environment, device, report, 1010, "fast", "2026-12-01");
  ASSERT_TRUE(raised) << raised.error().message;
  ASSERT_EQ(raised->size(), 1u);
  EXPECT_EQ(raised->at(0).was, before);
  EXPECT_EQ(active()->calibration->raised.back().program, "fast");
  EXPECT_GT(best_of(active()->calibration->products, "f16")->best, before);
}

}  // namespace
}  // namespace uc
