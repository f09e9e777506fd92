#pragma once
// Why: a contraction as a CUTLASS 3 kernel for SM90: collective builders, an epilogue visitor tree made from
// the scalar DAG (one functor a segment), and the host half that turns sizes into the kernel's parameters.
#include <string>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// Empty when emit_cutlass3_gemm can emit the contraction (whatever its configuration), else one line on why
/// not.
std::string cutlass3_gemm_refuses(const Contraction& kernel);

/// Requires that nothing is refused and that every knob is resolved (stages 0 means as many as fit).
EmittedKernel emit_cutlass3_gemm(const Contraction& kernel, const ContractionConfig& config);

}  // namespace uc
