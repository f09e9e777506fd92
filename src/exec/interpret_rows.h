#pragma once
// Why: what a kernel over rows means, without a GPU: tests hold the expressions of operator rows, and the
// code that is generated of them, against it.
#include <span>

#include "exec/interpret.h"
#include "ir/kernel.h"

namespace uc {

/// Evaluates `wanted[i]` for every element of the domain into `out[i]`, as `interpret` does; what meets is
/// combined in f64 (integers in i64) and rounded to the node's type. `views` holds one entry a view.
void interpret_rows(const Rows& rows, std::span<const LeafData> views, std::span<const NodeId> wanted,
                    std::span<HostTensor> out);

}  // namespace uc
