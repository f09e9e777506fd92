#pragma once
// Why: ranks configurations of a product on SM100 before anything is compiled. No kernel of SM100 was ever
// timed here: the model counts what the device's rates and the tiles say, and nothing is fitted.
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

/// Tiles of one and two SMs, small clusters. Knobs already set are kept as they are.
std::vector<Config> sm100_configs(const Launch& launch, const DeviceSpec& device);

/// Waves of tiles at the multiplier's rate, against the bytes of all matrices.
Estimate sm100_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
