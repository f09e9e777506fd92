#pragma once
// Why: windowed and adaptive pools refuse the same types.
#include "catalog/op_spec.h"

namespace uc::ops {

/// Averages are of floats, maxima of anything but bool; else an error.
bool check_pool_type(InferContext& context, bool mean);

}  // namespace uc::ops
