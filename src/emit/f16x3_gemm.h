#pragma once
// Why: a product of f32 matrices by f16 tensor cores that is as exact as f32 is: kernels that scale and split
// the operands into scratch memory, then the CUTLASS 3 kernel over the halves, as parts of one launch.
#include <string>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// Empty when emit_f16x3_gemm can emit the contraction (whatever its configuration), else one line on why
/// not.
std::string f16x3_gemm_refuses(const Contraction& kernel);

/// Parts: the look for the largest magnitudes (only where an operand is not contiguous along K), the writing
/// of halves, the multiplication. Requires that nothing is refused and that every knob is resolved.
EmittedKernel emit_f16x3_gemm(const Contraction& kernel, const ContractionConfig& config);

}  // namespace uc
