#pragma once
// Why: convolutions on SM90a's tensor cores at their full rate: CUTLASS 3's kernels for products of matrices,
// with an image that TMA reads window by window in the place of A (templates/uc_im2col.cuh).
#include <string>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// Empty when emit_cutlass3_conv can emit the kernel with some configuration, else one line on why not.
std::string cutlass3_conv_refuses(const Convolution& kernel);

/// Elements of K that a tile has: a line of 128 bytes.
int64_t cutlass3_conv_depth(const Convolution& kernel);

EmittedKernel emit_cutlass3_conv(const Convolution& kernel, const ContractionConfig& config);

}  // namespace uc
