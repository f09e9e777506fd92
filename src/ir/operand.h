#pragma once
// Why: how an operand of a contraction lies in memory is asked by rules, planner and every emitter.
#include "ir/scalar.h"

namespace uc {

/// K is contiguous. An operand is [L, M, K] or [L, N, K].
inline bool k_major(const View& operand) { return operand.shape[2] == 1 || operand.stride[2] == 1; }

}  // namespace uc
