#pragma once
// Why: `dim=` and `keepdim=` mean the same in every operator that goes over dimensions.
#include <optional>
#include <string_view>
#include <vector>

#include "catalog/infer.h"
#include "catalog/op_spec.h"
#include "ir/graph.h"
#include "ops/support.h"

/// A whole program of a rank-3 input with one step that applies `call`.
#define UC_ROWS_EXAMPLE(call) "target sm_90a\ninput x: f32[8, 16, 32]\ny = " call "\nreturn y\n"

namespace uc::ops {

/// The dimensions that attribute `dim` names (a list or one), counted from 0, ascending; `otherwise` where it
/// is absent. Without a check: after infer.
std::vector<size_t> dims_of(const Op& op, size_t rank, const std::vector<int64_t>& otherwise = {});

/// The same while inferring: reports dimensions out of range, named twice, or none.
std::optional<std::vector<size_t>> checked_dims(InferContext& context, size_t rank,
                                                const std::vector<int64_t>& otherwise = {});

/// What is left of `shape` without `dims`, or with extents of 1 there.
Shape without(const Shape& shape, const std::vector<size_t>& dims, bool keepdim);

/// False after an error when operand `i` is not floating.
bool must_be_floating(InferContext& context, size_t i);

/// `x` as `type`, where there is one and it is another: torch converts before it computes, and gives that
/// type.
std::optional<ValueId> converted(ImportContext& context, std::optional<ValueId> x, std::optional<DType> type);

/// The captured op's dims for a tensor of `rank`: all of them when it names none.
std::vector<int64_t> captured_dims(ImportContext& context, const GraphOp& op, size_t index, size_t rank);

inline constexpr ParamSpec kDims{
    "dim", ParamKind::integers, {}, true, {}, "dimensions to go over; -1 is the last"};
inline constexpr ParamSpec kKeepdim{
    "keepdim", ParamKind::boolean, "false", false, {}, "keep the dimensions, with extent 1"};

}  // namespace uc::ops
