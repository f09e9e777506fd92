#pragma once
// Why: moving a step's work into the chain of the step that makes its operand is one mechanism; which steps
// may be joined, and what that is good for, stands in the rows.
#include <optional>

#include "rewrites/support/edit.h"

namespace uc::rewrites {

/// `consumer` reads what `producer` makes last, nothing else does, and both can be one kernel.
struct Join {
  StepId producer;
  StepId consumer;
};

/// Operators that can stand in an expression: elementwise, of one result each, and none that stores.
bool fits_expression(const Program& program, const std::vector<OpId>& ops);

/// The join that takes the step into the producer of one of its operands, if there is one. The meaning stays
/// the same bit for bit but for the contraction of a multiply with an add: what was rounded in memory is
/// rounded in the chain.
std::optional<Join> find_join(const Program& program, StepId consumer);

/// The joined program; the unchanged one when the result does not type.
Program join(const Catalog& catalog, const Program& program, const Join& at);

}  // namespace uc::rewrites
