#pragma once
// Why: a convolution operator becomes a kernel whose operands have their channels last, whatever their
// strides.
#include "ir/kernel.h"
#include "ops/detail/window.h"

namespace uc::ops {

/// Of `op`, x[N, C, ...] (or without N) and W; its epilogue still empty.
Convolution convolution_kernel(const Program& program, const Op& op, const Windows& windows, size_t rank,
                               bool transposed);

}  // namespace uc::ops
