#pragma once
// Why: ranks configurations of a contraction before anything is compiled. Modelled times, never shown as measured.
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

/// Candidates for a contraction: every tile, cluster and schedule worth compiling on SM90, knobs already set kept as they
/// are. Legality is the rules' business.
std::vector<Config> gemm_configs(const Launch& launch, const DeviceSpec& device);

/// Time of one launch with every knob set: waves of tiles, operand traffic of a tile, the epilogue (hidden behind the
/// other group's main loop by pingpong), memory. Fitted to H200 measurements, see the test.
Estimate gemm_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
