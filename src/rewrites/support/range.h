#pragma once
// Why: a clamp that nothing reaches, or that everything is beyond, is found by what values can be, whatever
// comes in.
#include "plan/simplifier.h"

namespace uc::rewrites {

/// What an operator's result is between, whatever comes in.
Range bounds_of(const Op& op);
/// True where f(x) is at most max(x, 0).
bool shrinks(const Op& op);
/// What `clamp`, `hardtanh`, `relu` and `relu6` keep as it is. A lower bound above the upper one counts for
/// nothing, as in PyTorch: all elements become the upper one.
std::optional<Range> clamp_of(const Op& op);

/// What the elements of the value are between, for all finite data. Kept in the simplifier.
Range range_of(Simplifier& s, ValueId id, int depth = 0);

}  // namespace uc::rewrites
