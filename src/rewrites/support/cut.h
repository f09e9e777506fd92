#pragma once
// Why: where only a part of a result is read, its operators need only the part of their operands that it is
// made of. Which part that is, is a matter of each operator's dimensions.
#include <optional>

#include "rewrites/support/rule.h"

namespace uc::rewrites {

/// Indices start, start + step, ... of one dimension, `count` of them.
struct Cut {
  size_t dim = 0;
  int64_t start = 0, count = 1, step = 1;
};

/// What a `slice` takes of its operand; nothing when it goes backwards or takes all.
std::optional<Cut> cut_of(const Simplifier& s, const Op& slice);

/// The part of a tensor of shape `from` that holds the elements of this part of its reshape to `to`, in
/// order. Nothing when they are no such part.
std::optional<Cut> cut_before_reshape(const Shape& from, const Shape& to, const Cut& at);

/// That part of x; x itself where its extent is 1 (it is broadcast there).
std::optional<ValueId> cut(Simplifier& s, ValueId x, const Cut& at);

/// That part of the operator's one result, made of parts of its operands. Nothing where an operator needs
/// more of them, and for views of what is given.
std::optional<ValueId> cut_before(Simplifier& s, OpId op, const Cut& at);

}  // namespace uc::rewrites
