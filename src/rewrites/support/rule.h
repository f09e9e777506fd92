#pragma once
// Why: what rules of the kind that simplifies share: dimensions counted from 0, sums as they are written in
// several operators, numbers that an operand is made of.
#include <optional>
#include <string>
#include <vector>

#include "plan/simplify.h"

namespace uc::rewrites {

using DimSet = std::vector<size_t>;  ///< ascending

/// Dimensions named by attribute `dim` of an operator over a tensor of `rank`; all without the attribute.
DimSet dims_attr(const Op& op, size_t rank);

/// `sum` or `mean` over dimensions of one operand, whatever operator says so (a mean may be a pooling).
struct Reduction {
  std::string name;  ///< "sum" or "mean"
  ValueId x;
  DimSet dims;
  bool keepdim = false;
};
std::optional<Reduction> reduction_of(const Simplifier& s, OpId op);

/// The reduction of x with `dims` kept as extents of 1; x itself where all of them are 1 already.
std::optional<ValueId> reduced(Simplifier& s, std::string_view name, ValueId x, const DimSet& dims);

/// `x` with its extents of 1 in `dims` dropped.
std::optional<ValueId> squeezed(Simplifier& s, ValueId x, const DimSet& dims);
/// A view of x, or a copy where memory has no such view; x itself when the shape is its own.
std::optional<ValueId> reshaped(Simplifier& s, ValueId x, const Shape& shape);
/// A tensor of one number.
std::optional<ValueId> filled(Simplifier& s, double number, const Value& like);

/// The number that all elements are: of a literal, or of `zeros`, `ones` and `full` behind views.
std::optional<double> number_of(const Simplifier& s, ValueId id);

/// Product of the extents of `dims`.
double extent_of(const Shape& shape, const DimSet& dims);

}  // namespace uc::rewrites
