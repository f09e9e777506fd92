#pragma once
// Why: a roofline has one ceiling for each way to multiply; which of them the problem uses is read off its
// steps.
#include <string>
#include <vector>

#include "report/sol_page.h"

namespace uc {

/// A way to multiply that the device has.
struct Roof {
  std::string name;
  double peak = 0, calibrated = 0;  // FLOP/s; calibrated 0 when never measured
  bool used = false;
};

/// At the report's clock, one for each rate; the one that does most of the work is `used`, f32 without any.
std::vector<Roof> roofs_of(const SolSubject& subject);

}  // namespace uc
