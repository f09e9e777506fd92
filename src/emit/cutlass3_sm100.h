#pragma once
// Why: a plain product as a CUTLASS 3 kernel for SM100: other instructions (tcgen05, accumulators in tensor
// memory), schedules of one or two SMs, and no chain beside the rounding of the result yet.
#include <string>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// Empty when emit_sm100_gemm can emit the contraction (whatever its configuration), else one line on why
/// not.
std::string sm100_gemm_refuses(const Contraction& kernel);

/// Two SMs share a tile of 256 rows, each with half of them and half of B.
bool sm100_two_sms(const ContractionConfig& config);

/// Requires that nothing is refused and that tile and cluster are chosen (stages 0 means as many as fit).
EmittedKernel emit_sm100_gemm(const Contraction& kernel, const ContractionConfig& config);

}  // namespace uc
