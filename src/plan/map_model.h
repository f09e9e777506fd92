#pragma once
// Why: a pointwise launch is bound by memory, by the loads in flight, or by its arithmetic; all are counted.
// Modelled times.
#include <span>
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

/// Candidates with every knob set: vectors of `widest` (what the launch's tensors allow) and half of that,
/// blocks of 128 to 512 threads. Knobs already set are kept.
std::vector<Config> map_configs(const Launch& launch, int64_t widest);

/// Requires vector and threads.
Estimate map_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
