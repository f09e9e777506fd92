#pragma once
// Why: cost models of contractions and pointwise launches count in the same way what does not depend on the
// kernel: bytes, bandwidth, operations.
#include "catalog/device_spec.h"
#include "ir/kernel.h"

namespace uc {

/// a / b rounded up.
constexpr int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr double real(int64_t value) { return static_cast<double>(value); }

/// The best rate of the memory that was seen, bytes a second; the theoretical one when none was.
double seen_bandwidth(const DeviceSpec& device);

/// Bytes of all matrices that the epilogue reads and writes, an element of the result.
double epilogue_bytes(const Contraction& kernel);

/// 2 L M N K over the best rate that was seen for the math, as a share of `us`; 0 when none was.
double efficiency(const Contraction& kernel, Math math, double us, const DeviceSpec& device);

}  // namespace uc
