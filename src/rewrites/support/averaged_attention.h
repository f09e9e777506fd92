#pragma once
// Why: the mean of attention over its queries needs the mean of its weights alone, not a product for each
// query.
#include "rewrites/support/rule.h"

namespace uc::rewrites {

/// The sum or mean over the queries of what the operator `attention` gives, kept as an extent of 1: its
/// weights written out, reduced, and multiplied with the values. Nothing when `dims` holds no positions, or
/// when heads share keys, or scores are an expression.
std::optional<ValueId> averaged_attention(Simplifier& s, const Op& attention, std::string_view reduction,
                                          const DimSet& dims);

}  // namespace uc::rewrites
