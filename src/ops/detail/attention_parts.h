#pragma once
// Why: what a part of attention's result needs, and takes: a query needs all keys that it sees, and under
// `causal` the first ones see few.
#include "catalog/op_spec.h"

namespace uc::ops {

/// OpSpec::needs.
Part attention_needs(const Program& program, const Op& op, size_t i, size_t result, const Part& part);

/// OpSpec::part_flops, of `all` FLOPs of the whole.
double attention_part_flops(const Program& program, const Op& op, double all, const Part& part);

}  // namespace uc::ops
