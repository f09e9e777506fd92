// What a device multiplies f32 data in, and how units and clocks bound a time.
#include "sol/roofline.h"

#include <gtest/gtest.h>

#include "catalog/builtin.h"

namespace uc::sol {
namespace {

const DeviceSpec& device(std::string_view name) {
  static const Catalog catalog = builtin_catalog();
  return *catalog.device(name);
}

TEST(Roofline, F32IsMultipliedInTheFastestWayThatIsAllowed) {
  EXPECT_EQ(fastest_math(Precision::strict, device("h200")), Math::f16x3);  // 365 TFLOP/s against 67
  EXPECT_EQ(fastest_math(Precision::tf32, device("h200")), Math::tf32);
  EXPECT_EQ(fastest_math(Precision::f16, device("h200")), Math::f16);
  EXPECT_EQ(fastest_math(Precision::bf16, device("h200")), Math::bf16);
  EXPECT_EQ(fastest_math(Precision::f8, device("h200")), Math::f8);
  // A GeForce's tensor cores accumulate f16 in f32 at twice FP32's rate: a third of that is less than FP32.
  EXPECT_EQ(fastest_math(Precision::strict, device("rtx_4090")), Math::f32);
  EXPECT_EQ(fastest_math(Precision::tf32, device("rtx_4090")), Math::tf32);
  // No silent substitute: the way that the precision names, though there is no unit for it.
  EXPECT_EQ(fastest_math(Precision::f8, device("a100")), Math::f8);
  EXPECT_EQ(fastest_math(Precision::f16, device("a100")), Math::f16);
}

// Exact in f16: no device is slower in 8-bit integers than through it.
TEST(Roofline, IntegersAreMultipliedThroughF16WhereThatIsFaster) {
  const DeviceSpec& b300 = device("b300");
  Demand work;
  work.flops[Math::i8] = b300.peak_flops(Math::f16) * 1e-3;
  EXPECT_NEAR(time_of(work, b300, Ceiling::theoretical, b300.boost_mhz).tensor_us, 1000, 1e-6);
  const DeviceSpec& h200 = device("h200");
  work.flops[Math::i8] = h200.peak_flops(Math::i8) * 1e-3;
  EXPECT_NEAR(time_of(work, h200, Ceiling::theoretical, h200.boost_mhz).tensor_us, 1000, 1e-6);
}

TEST(Roofline, EachUnitHasItsOwnTimeAndTheLargestBounds) {
  const DeviceSpec& h200 = device("h200");
  const double clocks = 132 * 1980e6;
  Demand work;
  work.flops[Math::f16] = 4096 * clocks * 1e-3;   // a millisecond
  work.flops[Math::f32] = 256 * clocks * 0.5e-3;  // half
  work.fma_ops = 128 * clocks * 2e-3;
  work.special_ops = 16 * clocks * 3e-3;
  work.integer_ops = 64 * clocks * 4e-3;
  work.read_bytes = work.write_bytes = h200.dram_bytes_per_second() * 0.25e-3;
  const SolTime time = time_of(work, h200, Ceiling::theoretical, 1980);
  EXPECT_NEAR(time.tensor_us, 1500, 1e-6);
  EXPECT_NEAR(time.fma_us, 2000, 1e-6);
  EXPECT_NEAR(time.special_us, 3000, 1e-6);
  EXPECT_NEAR(time.integer_us, 4000, 1e-6);
  EXPECT_NEAR(time.memory_us, 500, 1e-6);
  EXPECT_EQ(time.by, "integer");
  EXPECT_EQ(time.total_us, time.integer_us);
  const SolTime slower = time_of(work, h200, Ceiling::theoretical, 990);
  EXPECT_NEAR(slower.integer_us, 8000, 1e-6);
  EXPECT_NEAR(slower.memory_us, 500, 1e-6);  // DRAM has its own clock
}

TEST(Roofline, CertifiedSparesScalarWorkAndWhatMayStayInL2) {
  const DeviceSpec& h200 = device("h200");
  Demand work;
  work.integer_ops = 64.0 * 132 * 1980e6 * 8e-3;
  work.read_bytes = h200.dram_bytes_per_second() * 1e-3;
  work.write_bytes = static_cast<double>(h200.l2_bytes) / 2;
  const SolTime time = certified_time(work, h200, 1980);
  EXPECT_NEAR(time.integer_us, 1000, 1e-6);
  EXPECT_NEAR(time.memory_us, 1000, 1e-6);
  work.write_bytes = static_cast<double>(h200.l2_bytes) + h200.dram_bytes_per_second() * 1e-3;
  EXPECT_NEAR(certified_time(work, h200, 1980).memory_us, 2000, 1e-6);
}

TEST(Roofline, AUnitThatIsNotThereTakesForever) {
  Demand work;
  work.flops[Math::f8] = 1;
  EXPECT_EQ(time_of(work, device("a100"), Ceiling::theoretical, 1410).total_us,
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(time_of(work, device("a100"), Ceiling::calibrated, 1410).total_us,
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace uc::sol
