// Rates that were seen: their file, their place over a row, and how a proven time raises them.
#include "sol/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "sol/roofline.h"

namespace uc {
namespace {

using testing::HasSubstr;

const Catalog& catalog() {
  static const Catalog all = builtin_catalog();
  return all;
}
const DeviceSpec& h200() { return *catalog().device("h200"); }

Calibration sample() {
  Calibration out;
  out.device = "h200";
  out.gpu = "NVIDIA H200";
  out.driver = "580.1";
  out.date = "2026-11-30";
  out.source = "a test";
  out.sm_mhz = 1755;
  out.dram_mhz = 3201;
  out.launch_us = 1.25;
  out.memory = {{"copy", 4.2, 4.1, "2147483648 B", "", "stream", 1980}, {"read", 4.3, 4.2, "", "", "", 0}};
  out.pipes = {{"fma", 29, 28, "", "", "fma.rn.f32", 1755}, {"special", 3.5, 3.4, "", "", "", 0}};
  out.products = {{"f16", 700, 690, "8192x8192x8192", "normal", "torch.matmul", 1500},
                  {"f16", 830, 0, "4096x4096x4096", "", "own", 0}};
  out.raised = {{"f16", 800, 830, 165.6, "matmul", "2026-11-29"}};
  return out;
}

TEST(Calibration, IsReadAsItWasWritten) {
  const std::string text = calibration_json(sample());
  const auto back = parse_calibration(text);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(calibration_json(*back), text);
  ASSERT_NE(best_of(back->products, "f16"), nullptr);
  EXPECT_EQ(best_of(back->products, "f16")->by, "own");
  EXPECT_EQ(best_of(back->products, "f8"), nullptr);
  EXPECT_EQ(best_of(back->memory)->what, "read");
  EXPECT_EQ(back->raised.at(0).time_us, 165.6);
}

TEST(Calibration, AFileThatIsWrongIsNamedByItsField) {
  const auto why = [](std::string_view text) {
    const auto read = parse_calibration(text);
    return read ? std::string("read") : read.error().message;
  };
  constexpr std::string_view kHead = R"({"schema": "ucutlass.calibration/1", "device": "h200")";
  const auto with = [&](std::string_view rest) { return why(std::string(kHead) + std::string(rest) + "}"); };
  EXPECT_EQ(with(""), "read");
  EXPECT_THAT(why(""), HasSubstr("no JSON object"));
  EXPECT_THAT(why("[1]"), HasSubstr("no JSON object"));
  EXPECT_THAT(why(R"({"schema": "ucutlass.sol/1"})"), HasSubstr("`schema`"));
  EXPECT_THAT(why(R"({"schema": "ucutlass.calibration/1"})"), HasSubstr("`device` is missing"));
  EXPECT_THAT(with(R"(, "sm_mhz": -1)"), HasSubstr("`sm_mhz`"));
  EXPECT_THAT(with(R"(, "sm_mhz": "fast")"), HasSubstr("`sm_mhz`"));
  EXPECT_THAT(with(R"(, "memory": 3)"), HasSubstr("`memory` is no array"));
  EXPECT_THAT(with(R"(, "memory": [4])"), HasSubstr("`memory[0].` is no object"));
  EXPECT_THAT(with(R"(, "memory": [{"what": "copy"}])"), HasSubstr("`memory[0].best` is missing"));
  EXPECT_THAT(with(R"(, "memory": [{"what": "copy", "best": 0}])"), HasSubstr("no number from 1e-06 to 1e9"));
  EXPECT_THAT(with(R"(, "memory": [{"what": "copy", "best": 1e999}])"), HasSubstr("no JSON object"));
  EXPECT_THAT(with(R"(, "products": [{"what": "f17", "best": 1}])"), HasSubstr("f17"));
  EXPECT_THAT(with(R"(, "raised": [{"unit": "f16", "now": 1}])"), HasSubstr("raised[0].time_us"));
}

TEST(Calibration, WhatShipsFitsItsDevice) {
  size_t shipped = 0;
  for (const DeviceSpec* row : catalog().devices()) {
    const auto seen = shipped_calibration(row->name);
    if (!seen) continue;
    ++shipped;
    const auto fine = fits(*seen, *row);
    EXPECT_TRUE(fine) << fine.error().message;
    EXPECT_FALSE(seen->source.empty());
    EXPECT_EQ(row->calibrated_dram_tbps, best_of(seen->memory)->best);
  }
  EXPECT_GE(shipped, 1u);  // the H200's
  EXPECT_GT(h200().calibrated_flops(Math::f16), 600e12);
  EXPECT_FALSE(shipped_calibration("no such device"));
}

TEST(Calibration, OfAnotherDeviceOrAboveTheoreticalDoesNotFit) {
  EXPECT_TRUE(fits(sample(), h200()));
  EXPECT_FALSE(fits(sample(), *catalog().device("h100")));
  Calibration high = sample();
  high.products.push_back({"f16", 1100, 0, "", "", "wishes", 0});
  EXPECT_THAT(fits(high, h200()).error().message, HasSubstr("wishes"));
  high = sample();
  high.memory[0].best = 5;
  EXPECT_FALSE(fits(high, h200()));
  high = sample();
  high.pipes[1].best = 4.3;  // 16 x 132 x 1.98 GHz = 4.18
  EXPECT_FALSE(fits(high, h200()));
  high = sample();
  high.products.push_back({"f8", 1, 0, "", "", "", 0});
  high.device = "a100";
  EXPECT_FALSE(fits(high, *catalog().device("a100")));  // no such unit
}

TEST(Calibration, LiesOverItsRow) {
  const Calibration seen = sample();
  CalibratedDevice device(h200(), &seen);
  const CalibratedDevice moved = std::move(device);
  EXPECT_EQ(moved.spec().calibrated_flops(Math::f16), 830e12);
  EXPECT_EQ(moved.spec().calibrated_flops(Math::bf16), moved.spec().peak_flops(Math::bf16));  // not seen
  EXPECT_EQ(moved.spec().calibrated_dram_tbps, 4.3);
  EXPECT_EQ(moved.spec().launch_us, 1.25);
  EXPECT_EQ(moved.spec().peak_flops(Math::f16), h200().peak_flops(Math::f16));
  const CalibratedDevice none(h200());
  EXPECT_EQ(none.spec().calibrated_flops(Math::f16), h200().peak_flops(Math::f16));
  EXPECT_EQ(none.spec().calibrated_dram_tbps, 0);
}

TEST(Calibration, SeenRatesHoldAtTheClockThatTheyWereSeenAt) {
  const Calibration seen = sample();  // at 1755 MHz
  const CalibratedDevice device(h200(), &seen);
  sol::Demand work;
  work.flops[Math::f16] = 830e12 * 1e-3;  // a millisecond at 830
  const auto us = [&](double mhz) {
    return sol::time_of(work, device.spec(), sol::Ceiling::calibrated, mhz).tensor_us;
  };
  EXPECT_DOUBLE_EQ(us(1755), 1000);
  EXPECT_DOUBLE_EQ(us(1755.0 / 2), 2000);
  EXPECT_DOUBLE_EQ(us(1980), 1000);  // nothing was seen there
  work.flops.clear();
  work.fma_ops = 29e12 * 1e-3;
  EXPECT_DOUBLE_EQ(sol::time_of(work, device.spec(), sol::Ceiling::calibrated, 1755).fma_us, 1000);
  // Theoretical: 128 lanes x 132 SMs x 1.98 GHz = 33.45.
  EXPECT_NEAR(sol::time_of(work, device.spec(), sol::Ceiling::theoretical, 1980).fma_us, 866.9, 0.1);
}

// A report of 1 ms certified by the tensor unit in f16, 0.5 ms by memory.
SolReport report() {
  SolReport out;
  out.clock_mhz = 1980;
  out.certified.tensor_us = out.certified.total_us = 1000;
  out.certified.memory_us = 500;
  out.steps.push_back({});
  out.steps.back().math = "f16";
  return out;
}

TEST(Calibration, AProvenTimeRaisesWhatItBeats) {
  Calibration seen = sample();
  const double peak = h200().peak_flops(Math::f16) / 1e12;
  // 830 of 1070 TFLOP/s allow 1.29 ms; 1.1 ms need 973. Its bytes need 2.2 TB/s: no contradiction.
  const auto raised = raise(seen, h200(), report(), 1100, "matmul", "2026-12-01");
  ASSERT_EQ(raised.size(), 1u);
  EXPECT_EQ(raised[0].unit, "f16");
  EXPECT_EQ(raised[0].was, 830);
  EXPECT_NEAR(raised[0].now, peak / 1.1, 1e-9);
  EXPECT_EQ(seen.raised.size(), 2u);
  EXPECT_EQ(seen.raised.back().program, "matmul");
  EXPECT_THAT(best_of(seen.products, "f16")->by, HasSubstr("matmul"));
  // The bound is then what was reached, and the same time raises nothing more.
  const CalibratedDevice device(h200(), &seen);
  EXPECT_NEAR(device.spec().calibrated_flops(Math::f16) / 1e12, peak / 1.1, 1e-9);
  EXPECT_TRUE(raise(seen, h200(), report(), 1100, "matmul", "2026-12-01").empty());
  EXPECT_TRUE(fits(seen, h200()));
  Calibration newer;
  keep_proven(seen, newer);
  ASSERT_EQ(newer.products.size(), 1u);
  EXPECT_EQ(newer.raised.size(), 2u);
}

TEST(Calibration, ATimeThatContradictsNothingRaisesNothing) {
  Calibration seen = sample();
  EXPECT_TRUE(raise(seen, h200(), report(), 1400, "slow", "").empty());
  EXPECT_TRUE(raise(seen, h200(), report(), 900, "faster than certified", "").empty());
  EXPECT_TRUE(raise(seen, h200(), report(), 0, "no time", "").empty());
  EXPECT_EQ(calibration_json(seen), calibration_json(sample()));
  // Nothing was ever seen: the theoretical rate stands, and cannot be beaten.
  Calibration empty;
  EXPECT_TRUE(raise(empty, h200(), report(), 1100, "first", "").empty());
}

TEST(Calibration, AMemoryBoundTimeRaisesMemory) {
  Calibration seen = sample();
  SolReport bound = report();
  bound.certified.memory_us = 1000;
  bound.certified.tensor_us = 10;
  const auto raised = raise(seen, h200(), bound, 1050, "copy", "");
  ASSERT_EQ(raised.size(), 1u);
  EXPECT_EQ(raised[0].unit, "memory");
  EXPECT_NEAR(raised[0].now, h200().dram_bytes_per_second() / 1e12 / 1.05, 1e-9);
}

}  // namespace
}  // namespace uc
