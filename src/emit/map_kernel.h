#pragma once
// Why: pointwise launches (conversions too) as plain CUDA: each thread moves whole vectors along the fastest
// dimension, or a block turns boxes in shared memory where tensors lie differently.
#include <string>
#include <string_view>

#include "emit/emitted.h"
#include "plan/map_shape.h"

namespace uc {

/// Empty when emit_map can emit the kernel, else one line on why not.
std::string map_refuses(const Map& kernel);

/// `arch`: what it is compiled for, "sm_90a".
EmittedKernel emit_map(const Map& kernel, const MapConfig& config, std::string_view arch);

}  // namespace uc
