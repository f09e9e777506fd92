#pragma once
// Why: convolutions as implicit GEMMs on CUTLASS 2's main loops: the kernels of contractions, with iterators
// of ours over images and filters (templates/uc_conv2.cuh).
#include <string>
#include <string_view>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// Empty when emit_cutlass2_conv can emit the kernel for `backend` ("cutlass2" or "simt") and `arch`, else
/// one line on why not.
std::string cutlass2_conv_refuses(const Convolution& kernel, std::string_view backend, std::string_view arch);

EmittedKernel emit_cutlass2_conv(const Convolution& kernel, const ContractionConfig& config,
                                 std::string_view backend, std::string_view arch);

}  // namespace uc
