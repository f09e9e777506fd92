#pragma once
// Why: how a step multiplies is its `.math` knob's and the precision's say, whatever the operator.
#include "ir/kernel.h"
#include "ir/program.h"

namespace uc::ops {

/// As the step's `.math` says, else the fastest that the precision allows for the op's operands.
Math math_of(const Program& program, const Op& op);

}  // namespace uc::ops
