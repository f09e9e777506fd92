#pragma once
// Why: a pointwise launch is bound by memory or by its arithmetic; both are counted. Modelled times.
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

std::vector<Config> map_configs(const Launch& launch, const DeviceSpec& device);
Estimate map_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
