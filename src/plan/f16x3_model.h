#pragma once
// Why: a product of halves is ranked as the f16 kernel that it is, plus the kernels that split.
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

/// Candidates: those of the f16 product whose two sets of accumulators stay in registers. Knobs that are set
/// stay.
std::vector<Config> f16x3_configs(const Launch& launch, const DeviceSpec& device);

/// Microseconds that scaling and splitting both operands takes: bytes over bandwidth, and launches.
double split_us(const Contraction& kernel, const DeviceSpec& device);

Estimate f16x3_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
