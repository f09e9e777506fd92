#pragma once
// Why: gemm and linear have less to multiply when their operands are triangular, diagonal, symmetric or
// broadcast, whether that is declared or was observed in the data.
#include "catalog/op_spec.h"

namespace uc::ops {

/// The work of a product: dense, and what the structure of its operands leaves. `b_is_nk`: the last two
/// dimensions of b are [N, K], else [K, N].
Work product_work(const Program& program, const Op& op, bool b_is_nk);

}  // namespace uc::ops
