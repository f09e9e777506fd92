#pragma once
// Why: the knobs of kernels over rows that are worth trying, and what each would take.
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

/// Settings of a launch over rows; knobs that are set stay.
std::vector<Config> rows_configs(const Launch& launch, const DeviceSpec& device);

/// Bytes over the bandwidth that the loads under way reach, reads after the first from the L2 cache where the
/// rows at work fit in it.
Estimate rows_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
