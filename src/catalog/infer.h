#pragma once
// Why: result types, shapes and layouts of pointwise operators follow one rule; rows that check something
// first call it.
#include <span>
#include <string>

#include "catalog/op_spec.h"
#include "ir/program.h"

namespace uc {

/// PyTorch's promotion (torch.result_type): tensors first; numbers of no dimension and literals only when
/// their class (bool, integer, floating) is higher. A float literal counts as f32, an integer literal as i64.
DType promoted_type(const Program& program, std::span<const ValueId> operands);

/// The type that a pointwise op computes in: f64 where present, f32 with any float (a float literal counts),
/// else i64.
DType compute_type_of(const Program& program, const Op& op);

/// Dense strides of `shape` in the memory order of a tensor of that rank with `strides`; row major for
/// broadcast views.
Strides dense_like(const Shape& shape, const Strides& strides);

/// Broadcast shape; type by the row's ResultType; layout of the first operand of full rank and shape.
bool infer_pointwise(InferContext& context);

/// The type that the row's ResultType gives, for rows that find their shape themselves.
DType pointwise_type(const InferContext& context);

/// The layout of a result of `shape` over the operands: of the first of that shape, else of that rank, else
/// row.
Strides pointwise_strides(const InferContext& context, const Shape& shape);

/// "[1024, 8192]" and the name, when it has one: "`x` of [1024, 8192]".
std::string describe(const Value& value);

/// A dimension from 0 on, or an error of kind dim_range.
std::optional<size_t> dimension(InferContext& context, int64_t dim, size_t rank);

}  // namespace uc
