#pragma once
// Why: a reduction after `>>` is part of a contraction's epilogue when rows or columns of the kernel's result
// meet in it; which, and where the result lies, is asked here.
#include <optional>

#include "catalog/op_spec.h"
#include "ir/kernel.h"

namespace uc {

/// How an epilogue carries a reduction out.
struct EpilogueReduction {
  Combined combined;
  Strides stride;  ///< of a result over the kernel's [L, M, N]: 0 where elements meet
};

/// Of `op`, a call of the chain of a step whose main operator makes `kernel` and a value of the shape
/// `result`. Nothing when it is no reduction that combines, or combines other elements than those of rows, or
/// of columns.
std::optional<EpilogueReduction> epilogue_reduction(const Program& program, const Op& op,
                                                    const Contraction& kernel, const Shape& result);

/// The same products with the operands exchanged, so that what was stored by columns is stored by rows.
void transpose(Contraction& kernel);

/// All that the epilogue stores lies in columns.
bool stored_by_columns(const Contraction& kernel);

}  // namespace uc
