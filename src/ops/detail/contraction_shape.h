#pragma once
// Why: gemm and linear differ in how B lies; shapes, types and strides of both are checked and normalised
// here. Convolutions share what concerns types.
#include <optional>

#include "catalog/op_spec.h"
#include "ir/kernel.h"
#include "ir/program.h"

namespace uc::ops {

/// Operands as the kernel reads them: a is [L, M, K], b is [L, N, K] (ir/kernel.h).
struct Normal {
  View a;
  View b;
};

/// Nothing when the batch dimensions do not broadcast, or need more than one stride. `b_is_nk`: the last two
/// dimensions of b are [N, K], else [K, N].
std::optional<Normal> normalise(const Value& a, const Value& b, bool b_is_nk);

/// Both operands have one type, a floating one, i8 or u8; else an error that says which conversion helps.
bool check_operand_types(InferContext& context);

/// The result of a contraction, or errors that say what is wrong with which operand.
bool infer_contraction(InferContext& context, bool b_is_nk);

}  // namespace uc::ops
