#pragma once
// Why: what rows of reductions share: result types, the walk over slices, work, import.
#include <algorithm>

#include "catalog/scalar_builder.h"
#include "ops/detail/dims.h"
#include "ops/detail/slices.h"

namespace uc::ops {

/// What type a reduction gives.
enum class Reduced : uint8_t {
  same,      ///< its operand's
  summed,    ///< i64 of integers and bool
  floating,  ///< floating operands only; theirs
  as_float,  ///< f32 of integers and bool
  boolean,
  index  ///< i64
};

inline constexpr ParamSpec kReducedXs{
    "x", ParamKind::tensors, {}, true, {}, "several give a result each; after `>>` over `it`"};
inline constexpr ParamSpec kReduceParams[] = {kReducedXs, kDims, kKeepdim};
inline constexpr ParamSpec kReduceOneParams[] = {kX, kDims, kKeepdim};

inline DType reduced_type(Reduced kind, DType type) {
  switch (kind) {
    case Reduced::summed: return is_floating(type) ? type : DType::i64;
    case Reduced::as_float: return is_floating(type) ? type : DType::f32;
    case Reduced::boolean: return DType::boolean;
    case Reduced::index: return DType::i64;
    default: return type;
  }
}

/// `Results` results an operand, each of the operand's shape without the dimensions.
template <Reduced Kind, size_t Results = 1>
bool infer_reduction(InferContext& context) {
  for (size_t i = 0; i < context.count(); ++i) {
    const Value& x = context.in(i);
    if (Kind == Reduced::floating && !must_be_floating(context, i)) return false;
    const auto dims = checked_dims(context, x.shape.size());
    if (!dims) return false;
    for (size_t k = 0; k < Results; ++k) {
      context.result(reduced_type(Kind, x.dtype),
                     without(x.shape, *dims, context.op().attrs.get_bool("keepdim", false)));
    }
  }
  return true;
}

/// Of(compute, attrs) is called with the elements of every slice, as Floats or Wholes.
template <class Of>
void reduce(const Program&, const Op& op, std::span<const HostTensor* const> in, std::span<HostTensor> out) {
  for (size_t i = 0; i < in.size(); ++i) {
    const Slices slices(in[i]->shape, dims_of(op, in[i]->shape.size()));
    over_slices(*in[i], slices, out[i], Of{Compute(*in[i]), op.attrs});
  }
}

using RowNodes = std::span<const NodeId>;

/// Elements that meet in a row of the first operand.
inline double row_length(const Program& program, const Op& op, const std::vector<int64_t>& otherwise = {}) {
  const Shape& shape = program[op.in[0]].shape;
  double out = 1;
  for (const size_t dim : dims_of(op, shape.size(), otherwise)) out *= static_cast<double>(shape[dim]);
  return out;
}

/// A result an operand: what meets, combined; of a mean over the count.
template <Combine How, bool Mean = false>
std::vector<NodeId> row_combined(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  std::vector<NodeId> out;
  for (const NodeId x : in) {
    const NodeId met = b.across(How, x);
    out.push_back(Mean ? b.mul(met, b.constant(1.0 / row_length(program, op))) : met);
  }
  return out;
}

inline double elements_in(const Program& program, const Op& op) {
  double total = 0;
  for (const ValueId in : op.in) total += static_cast<double>(numel(program[in].shape));
  return total;
}

inline double elements_out(const Program& program, const Op& op) {
  return static_cast<double>(numel(program[op.out[0]].shape)) * static_cast<double>(op.out.size());
}

/// Instructions an element read and a result written.
template <int FmaIn, int SpecialIn, int FmaOut, int SpecialOut>
Work reduction_work(const Program& program, const Op& op) {
  const double in = elements_in(program, op);
  const double out = elements_out(program, op);
  const double steps = FmaIn * in + FmaOut * out;
  const bool floating = is_floating(program[op.in[0]].dtype);
  return {.tensor_flops = 0,
          .fma_ops = floating ? steps : 0,
          .special_ops = SpecialIn * in + SpecialOut * out,
          .integer_ops = floating ? 0 : steps};
}

/// Floats that combine one by one; a mean adds up parts of its elements.
template <Combine How, bool Mean = false>
std::optional<Combined> combined(const Program& program, const Op& op) {
  if (!is_floating(program[op.in[0]].dtype)) return std::nullopt;
  const auto elements = static_cast<double>(numel(program[op.in[0]].shape));
  const auto results = static_cast<double>(numel(program[op.out[0]].shape));
  return Combined{How, Mean ? results / elements : 1.0};
}

/// Applies a reduction over the dims of a captured op (argument 1) with its keepdim (argument 2).
inline std::optional<ValueId> apply_reduction(ImportContext& context, std::string_view name, ValueId x,
                                              std::vector<int64_t> dims, bool keepdim) {
  Attrs attrs;
  attrs.set("dim", std::move(dims));
  if (keepdim) attrs.set("keepdim", true);
  return context.apply(name, {x}, std::move(attrs));
}

/// sum(x, dims, keepdim, dtype=) and its like; all dims where the captured op names none.
template <Word Name>
bool import_reduction(ImportContext& context, const GraphOp& op) {
  const auto type = context.dtype(op, op.args.size(), "dtype");
  const auto x = converted(context, context.value(op, 0), type);
  const size_t rank = x ? context.program()[*x].shape.size() : 0;
  if (rank == 0) return false;
  const bool keepdim = context.integer(op, 2, "keepdim").value_or(0) != 0;
  const auto y = apply_reduction(context, Name.view(), *x, captured_dims(context, op, 1, rank), keepdim);
  return finish(context, op, converted(context, y, type));
}

}  // namespace uc::ops
