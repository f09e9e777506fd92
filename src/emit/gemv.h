#pragma once
// Why: with few rows or columns a contraction is as fast as memory, and a kernel that reads the long operand
// once, in order, is all it needs: no tiles, any alignment, any chain (templates/uc_gemv.cuh).
#include <string>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// Empty when emit_gemv can emit the contraction, else one line on why not.
std::string gemv_refuses(const Contraction& kernel, const ContractionConfig& config, std::string_view arch);

/// Requires that nothing is refused.
EmittedKernel emit_gemv(const Contraction& kernel, const ContractionConfig& config, std::string_view arch);

}  // namespace uc
