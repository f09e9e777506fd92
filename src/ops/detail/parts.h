#pragma once
// Why: of which parts of its operands a part of a result is made (OpSpec::needs) is the same for all rows
// that couple the elements of some dimensions.
#include "catalog/op_spec.h"

namespace uc::ops {

/// Normalisations: the dimensions that meet are needed whole, but for one that is cut into groups. Their
/// other operands are needed for the whole result.
Part needs_normalised(const Program& program, const Op& op, size_t i, size_t result, const Part& part);

/// The same where dimension 1 is cut into groups of channels and the following are whole.
Part needs_channel_groups(const Program& program, const Op& op, size_t i, size_t result, const Part& part);

/// Reductions of one or several operands, with as many results an operand: what is reduced is needed whole.
Part needs_reduced(const Program& program, const Op& op, size_t i, size_t result, const Part& part);

/// An operand of which the whole result needs everything, and a part of it nothing that is known.
Part needs_all_or_none(const Program& program, const Op& op, size_t i, size_t result, const Part& part);

}  // namespace uc::ops
