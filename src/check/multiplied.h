#pragma once
// Why: some launches multiply something else than what they mean: halves of f32 data, slices of K. Rules and
// models ask here what that is.
#include "ir/kernel.h"

namespace uc {

/// The launch with the product that runs in place of its kernel (check/f16x3.h, check/slices.h), or as it is.
/// Slices are of launches that name the CUTLASS 3 back end.
Launch as_multiplied(const Launch& launch);

}  // namespace uc
