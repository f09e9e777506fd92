#pragma once
// Why: what rules of the kind that simplifies share: dimensions counted from 0, sums as they are written in
// several operators, numbers that an operand is made of.
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/simplify.h"

namespace uc::rewrites {

using DimSet = std::vector<size_t>;  ///< ascending

/// The row of a rule that simplifies.
template <Simplifier::Rule rule>
constexpr RewriteSpec simplifying(std::string_view id, std::string_view summary, std::string_view why,
                                  Claim claim = Claim::algebraic, Holds holds = Holds::always) {
  RewriteSpec row;
  row.id = id;
  row.summary = summary;
  row.claim = claim;
  row.cause = Cause::algebra;
  row.simplifies = true;
  row.holds = holds;
  row.justification = why;
  row.simplify = rule;
  row.find = find_simplification<rule>;
  row.apply = apply_simplification<rule>;
  return row;
}

/// Of a rule that speed of light counts by, too.
template <Simplifier::Rule rule>
constexpr RewriteSpec simplifying(const WorkRule& said, Claim claim = Claim::algebraic,
                                  Holds holds = Holds::always) {
  return simplifying<rule>(said.id, said.summary, said.justification, claim, holds);
}

/// True for an operator with one of these names.
inline bool is_any(const Op& op, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (op.spec->name == name) return true;
  }
  return false;
}

/// Dimensions named by attribute `dim` of an operator over a tensor of `rank`; the last without the
/// attribute.
DimSet dims_attr(const Op& op, size_t rank);
/// An attribute of integers, one for all or one a dimension, as `count` integers.
std::vector<int64_t> spread(const Op& op, std::string_view key, size_t count, int64_t otherwise);

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
/// `x` broadcast to a shape, as a view.
std::optional<ValueId> expanded(Simplifier& s, ValueId x, const Shape& shape);
/// A tensor of one number, of the type and shape of `like`.
std::optional<ValueId> filled(Simplifier& s, double number, const Value& like);

/// The number that all elements are: of a literal, or of `zeros`, `ones` and `full` behind views.
std::optional<double> number_of(const Simplifier& s, ValueId id);

/// True when the operand is the same along these dimensions of a result that it broadcasts to.
bool same_along(const Simplifier& s, ValueId operand, const Shape& result, const DimSet& dims);

/// Product of the extents of `dims`.
double extent_of(const Shape& shape, const DimSet& dims);

}  // namespace uc::rewrites
