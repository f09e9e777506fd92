#pragma once
// Why: gemm and linear have less to multiply when their operands are triangular, diagonal, symmetric or
// broadcast, whether that is declared or was observed in the data.
#include "catalog/op_spec.h"
#include "ir/kernel.h"

namespace uc::ops {

/// What the last two dimensions of a value hold for sure: by declaration, or by how it was made.
Band band_of(const Program& program, const Value& matrix);

/// The work of a product: dense, and what the structure of its operands leaves. `b_is_nk`: the last two
/// dimensions of b are [N, K], else [K, N].
Work product_work(const Program& program, const Op& op, bool b_is_nk);

/// Of the minimum: the FLOPs that a part of the result takes.
double product_flops(const Program& program, const Op& op, bool b_is_nk, const Part& part);

/// Of operand `i` (OpSpec::needs): its rows or columns, and along K what the other operand does not make
/// zero.
Part product_needs(const Program& program, const Op& op, bool b_is_nk, size_t i, const Part& part);

}  // namespace uc::ops
