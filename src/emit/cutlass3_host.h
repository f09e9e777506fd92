#pragma once
// Why: the host half of a CUTLASS 3 kernel: g++ compiles it with the kernel's types, and it turns sizes into
// the kernel's parameters, grid and scratch memory (templates/uc_kernel_args.h).
#include <string>

#include "emit/cutlass3_epilogue.h"
#include "emit/cutlass3_gemm.h"

namespace uc::cutlass3 {

std::string host_half(const Contraction& kernel, const ContractionConfig& config, const EpilogueTree& tree,
                      const GemmPart& part);

}  // namespace uc::cutlass3
