#pragma once
// Why: a program with named dimensions is resolved at one choice of sizes. It is legal when it is so at
// others too; it runs at those of the tensors that it is given.
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/program.h"

namespace uc {

/// The program at other sizes: declarations, integer attributes, and everything inferred from them. Steps and
/// knobs stay. What does not fit is in `diags`, and the program must not be used then.
Program at_sizes(const Catalog& catalog, const Program& program, std::vector<int64_t> sizes, DiagSink& diags);

/// Sizes inside the ranges, the ends and an odd multiple of each step among them: what holds at all of them
/// is taken to hold. Empty without named dimensions.
std::vector<std::vector<int64_t>> sizes_to_try(const Program& program);

/// Distinct large primes times the steps, outside of the ranges if need be: two dimensions are equal there
/// only when they have the same name.
std::vector<int64_t> unequal_sizes(const Program& program);

/// "m = 8, n = 64"
std::string describe_sizes(const Program& program, const std::vector<int64_t>& sizes);

struct GivenShape {
  ValueId value;  ///< an input or a param
  Shape shape;
};
/// The dimensions of tensors as given. Errors: two tensors disagree; outside the range or step.
Result<std::vector<int64_t>> sizes_of(const Program& program, std::span<const GivenShape> given);

}  // namespace uc
