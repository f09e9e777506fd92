#pragma once
// Why: a product of products can be multiplied in the order that takes least; the order that it was written
// in is no bound.
#include <vector>

#include "sol/work.h"

namespace uc::sol {

/// Lowers the minimum FLOPs of products whose factors are products that nobody else reads, to those of the
/// cheapest order: dynamic programming over the chain. Factors of params alone are multiplied when they are
/// loaded. `work`: one an operator, changed in place.
void reorder_chains(const Program& program, const std::vector<OpId>& running, std::vector<OpWork>& work);

}  // namespace uc::sol
