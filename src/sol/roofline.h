#pragma once
// Why: the two ceilings as rates, and work against them. A missing rate is an error of the caller's choice of
// device, never replaced by another.
#include <map>

#include "catalog/device_spec.h"
#include "sol/sol.h"

namespace uc::sol {

enum class Ceiling : uint8_t { theoretical, calibrated };

/// Work by unit and by way to multiply.
struct Demand {
  std::map<Math, double> flops;
  double fma_ops = 0;
  double special_ops = 0;
  double integer_ops = 0;
  double read_bytes = 0;
  double write_bytes = 0;
};

/// The fastest way in which a device multiplies f32 data under a precision: the precision's own, or a more
/// accurate one where a device is no slower in it (a GeForce has FP32 units faster than three FP16 products).
/// The precision's own where the device lacks it, so that the lack shows.
Math fastest_math(Precision precision, const DeviceSpec& device);

/// At `clock_mhz` of the SMs. Infinite when the device lacks a unit. The calibrated ceiling takes each rate
/// that was never measured from the theoretical one.
SolTime time_of(const Demand& demand, const DeviceSpec& device, Ceiling ceiling, double clock_mhz);

/// The certified bound of a whole program: theoretical rates, and what an implementation may always save.
/// Results may still lie in L2 when the kernel ends. Scalar work as written is no bound: halves can be
/// packed, chains of functions merged, special functions moved to the multiply-add units; together that has
/// saved less than kScalarSlack.
SolTime certified_time(Demand demand, const DeviceSpec& device, double clock_mhz);
inline constexpr double kScalarSlack = 8;

}  // namespace uc::sol
