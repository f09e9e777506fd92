#pragma once
// Why: programs that measure print lines; here lines become a calibration, and what cannot be true is left
// out with a word on why.
#include <string>
#include <string_view>
#include <vector>

#include "sol/calibration.h"

namespace uc::cli {

/// What the measuring program said of the GPU.
struct MeasuredGpu {
  std::string name;  ///< "NVIDIA H200"
  int sms = 0;
  int64_t l2_bytes = 0;
  double max_sm_mhz = 0;  ///< 0: not known
};

struct Measured {
  MeasuredGpu gpu;
  Calibration seen;                   ///< device, driver, date and source are the caller's
  std::vector<std::string> warnings;  ///< lines that could not be read, rates that were left out
};

/// Adds the JSON lines of rates.cu and products.py.
void add_lines(std::string_view lines, Measured& to);

/// Adds what a benchmark of `ucutlass compile --emit standalone` printed: its own rate and cuBLAS's.
/// `failed`: why it did not run, or what it said was wrong; empty when its results were right.
void add_benchmark(std::string_view printed, std::string_view failed, std::string_view math,
                   std::string_view shape, Measured& to);

/// Leaves out rates above what the device can do, and fills in the clocks (medians of what was sampled).
void finish(const DeviceSpec& device, Measured& measured);

/// Nothing, or how the GPU differs from the row of its name: SMs, L2, highest clock. A row with other factors
/// gives wrong bounds.
std::vector<std::string> differences(const MeasuredGpu& gpu, const DeviceSpec& device);

}  // namespace uc::cli
