#pragma once
// Why: modelled time of attention: tensor cores, exponentials and memory.
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

std::vector<Config> attention_configs(const Launch& launch, const DeviceSpec& device);
Estimate attention_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
