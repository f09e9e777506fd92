#pragma once
// Why: the same random inputs on every machine: for property tests, `check` runs and the judge's host side.
#include <cstdint>

#include "ir/host_tensor.h"

namespace uc {

/// 64 bits from a seed (SplitMix64); the seed is advanced.
uint64_t next_random(uint64_t& seed);

/// Standard normal values (Box-Muller) rounded to `dtype`; integers uniform in [-8, 8] (u8: [0, 16]), bool a
/// coin.
HostTensor random_tensor(DType dtype, const Shape& shape, uint64_t seed);

}  // namespace uc
