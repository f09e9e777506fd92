#pragma once
// Why: torch multiplies tensors however they lie, and says products as einsum; imports bring both to gemm's
// form.
#include <optional>

#include "catalog/import_context.h"

namespace uc::ops {

/// `x` as a contraction can read it: itself, or a dense copy when its strides do not fit.
std::optional<ValueId> contractible(ImportContext& context, ValueId x);

/// `x` of another shape: a view, behind a copy where it needs one.
std::optional<ValueId> reshaped_or_copied(ImportContext& context, ValueId x, const Shape& shape);

/// aten.einsum: pairs from the left, each a gemm or, with nothing to sum over, a product of elements.
bool import_einsum(ImportContext& context, const GraphOp& op);

}  // namespace uc::ops
