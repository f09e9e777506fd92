#pragma once
// Why: ranks CUTLASS 2 and SIMT configurations of a contraction, against each other and against other back
// ends. Modelled times, never shown as measured.
#include <string_view>
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

/// Listed tiles with the stages that fit, in one piece and, where tiles are few, with K in parts. Knobs
/// already set are kept as they are. Legality is the rules' business.
std::vector<Config> gemm2_configs(const Launch& launch, const DeviceSpec& device, std::string_view backend);

/// Requires a listed tile and stages.
Estimate gemm2_model(const Launch& launch, const DeviceSpec& device, std::string_view backend);

}  // namespace uc
