#pragma once
// Why: the meaning of contractions on the host. Operands are contiguous in logical order; products are
// accumulated in the type that language.md says (f32; f64 for f64; i32 for integers).
#include "ir/host_tensor.h"
#include "ir/kernel.h"

namespace uc {

/// out[..., m, n] = sum_k a[..., m, k] * b[..., k, n]; with `b_is_nk` the last two of b are [n, k]. Batch
/// dimensions broadcast to out's; `a` of rank 1 is one row. With Math::tf32 f32 operands are rounded to 10
/// stored bits of significand first (nearest, ties away from zero, as cvt.rna.tf32.f32). out is not rounded
/// to its type.
void multiply(const HostTensor& a, const HostTensor& b, bool b_is_nk, Math math, HostTensor& out);

/// An f32 value as the tensor cores read it in TF32.
float round_tf32(float value);

}  // namespace uc
