#pragma once
// Why: the meaning of convolutions on the host, fast enough for recorded runs: windows are laid out as the
// columns of a matrix, and operands are rounded as gemm rounds them.
#include "ir/host_tensor.h"
#include "ir/kernel.h"
#include "ops/detail/window.h"

namespace uc::ops {

struct ConvShape {
  int64_t batch = 1;
  int64_t groups = 1;
  int64_t in_channels = 1, out_channels = 1;  ///< of a group
  Windows windows;
};

/// out[n, g O + o, p] = sum over c, k of x[n, g C + c, p * stride - before + k * dilation] * w[g O + o, c,
/// k]; zero outside x. Operands contiguous. Sums in f64, integers in i64; out is not rounded to its type, but
/// for f32.
void convolve(const HostTensor& x, const HostTensor& w, const ConvShape& shape, Math math, HostTensor& out);

/// out[n, g O + o, p * stride - before + k * dilation] += x[n, g C + c, p] * w[g C + c, o, k]: the adjoint,
/// where `windows` have the input's extents in `in` and the result's in `out`.
void convolve_transposed(const HostTensor& x, const HostTensor& w, const ConvShape& shape, Math math,
                         HostTensor& out);

}  // namespace uc::ops
