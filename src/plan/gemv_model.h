#pragma once
// Why: a kernel that only reads is ranked beside those with tiles: bytes over the bandwidth that its blocks
// can ask for.
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

/// K in one piece, and in slices that give every SM a few blocks. A number of slices that is set stays.
std::vector<Config> gemv_configs(const Launch& launch, const DeviceSpec& device);

/// Constants are assumed, not fitted.
Estimate gemv_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
