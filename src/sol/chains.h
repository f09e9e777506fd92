#pragma once
// Why: a product of products can be multiplied in the order that takes least; the order that it was written
// in is no bound. Nor are two linear layers without anything but shifts and factors between them.
#include <vector>

#include "catalog/catalog.h"
#include "sol/needs.h"
#include "sol/work.h"

namespace uc::sol {

/// Lowers the FLOPs of products whose factors are products that nothing but products reads, to those of the
/// cheapest order: dynamic programming over the chain, for what is needed of its result. Factors of params
/// alone are multiplied when they are loaded. Where products share a factor, no more is claimed than the
/// chain that takes most. `work`: one an operator, what is needed of it, changed in place.
void reorder_chains(const Program& program, const std::vector<OpId>& running, const Needs& needs,
                    std::vector<OpWork>& work);

/// Lowers the least FLOPs of products and convolutions with weights, of which one is read by the next alone,
/// through shifts and factors of weights: those in a row are one with the product of their weights.
void join_layers(const Catalog& catalog, const Program& program, const std::vector<OpId>& running,
                 const Needs& needs, std::vector<OpWork>& work);

}  // namespace uc::sol
