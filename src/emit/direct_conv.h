#pragma once
// Why: convolutions without tensor cores (templates/uc_conv_direct.cuh): those that memory bounds, and all
// that implicit GEMM refuses.
#include <string>
#include <string_view>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// Empty when emit_direct_conv can emit the kernel, else one line on why not.
std::string direct_conv_refuses(const Convolution& kernel);

EmittedKernel emit_direct_conv(const Convolution& kernel, std::string_view arch);

}  // namespace uc
