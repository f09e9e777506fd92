#pragma once
// Why: a row-wise operator after `>>` (softmax, a norm, logsumexp) is part of a contraction's epilogue when
// what it needs are consecutive columns of the result; how many, and what it computes, is asked here.
#include <optional>
#include <vector>

#include "catalog/catalog.h"
#include "check/scalar_lowering.h"
#include "ir/kernel.h"

namespace uc {

/// Columns of one row that meet in `op`, a call of the chain of a step whose main operator gives values of
/// the shape `result`: a divisor of its last extent; 0 when nothing meets (statistics are given). Nothing
/// when other elements meet, or `op` has no expression over rows.
std::optional<int64_t> epilogue_columns(const Program& program, const Op& op, const Shape& result);

/// Adds what `op` computes to the epilogue and binds its results. False when an operand cannot be read, which
/// is said.
bool lower_row(const Catalog& catalog, const Program& program, const Op& op, Contraction& kernel,
               const Shape& result, ScalarLowering& lowering);

}  // namespace uc
