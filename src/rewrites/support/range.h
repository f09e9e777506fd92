#pragma once
// Why: a clamp that nothing reaches, or that everything is beyond, is found by what values can be, whatever
// comes in.
#include "plan/simplifier.h"

namespace uc::rewrites {

/// What the elements of the value are between, for all finite data. Kept in the simplifier.
Range range_of(Simplifier& s, ValueId id, int depth = 0);

}  // namespace uc::rewrites
