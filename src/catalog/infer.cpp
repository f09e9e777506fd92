#include "catalog/infer.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
#include <optional>

#include "catalog/diags.h"
#include "ir/layout.h"

namespace uc {
namespace {

// `lower` (numbers of no dimension, literals) counts only when its class is higher (torch:
// combine_categories).
std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher || !lower) return higher ? higher : lower;
  if (is_floating(*higher)) return higher;
  if (*higher == DType::boolean || is_floating(*lower)) return promote(*higher, *lower);
  return higher;
}

void join(std::optional<DType>& into, DType type) { into = into ? promote(*into, type) : type; }

// Equal but for the strides of extents of 1, which nothing reads.
bool same_order(const Shape& shape, const Strides& a, const Strides& b) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 && a[i] != b[i]) return false;
  }
  return true;
}

// What would make two shapes broadcast.
std::string broadcast_help(const Value& a, const Value& b) {
  const Value& small = a.shape.size() < b.shape.size() ? a : b;
  const Value& large = a.shape.size() < b.shape.size() ? b : a;
  const std::string name = small.name.empty() ? "v" : small.name;
  if (small.shape.size() == 1) {
    for (size_t i = 0; i + 1 < large.shape.size(); ++i) {
      if (large.shape[i] != small.shape[0]) continue;
      Shape lifted(large.shape.size() - i, 1);
      lifted[0] = small.shape[0];
      return fmt::format("to run along dimension {}: `reshape({}, {})`", i, name, to_text(lifted));
    }
  }
  const size_t rank = small.shape.size();
  if (rank == 2 && large.shape.size() >= 2) {
    Shape swapped{small.shape[1], small.shape[0]};
    if (broadcast(swapped, large.shape)) return fmt::format("`transpose({})` would fit", name);
  }
  for (size_t i = 1; i <= rank; ++i) {
    const int64_t x = a.shape[a.shape.size() - i];
    const int64_t y = b.shape[b.shape.size() - i];
    if (x != y && x != 1 && y != 1)
      return fmt::format("dimension -{} has extents {} and {}: make them equal, or one of them 1", i, x, y);
  }
  return {};
}

}  // namespace

std::string describe(const Value& value) {
  return value.name.empty() ? to_text(value.shape)
                            : fmt::format("`{}` of {}", value.name, to_text(value.shape));
}

DType promoted_type(const Program& program, std::span<const ValueId> operands) {
  std::optional<DType> tensors;
  std::optional<DType> numbers;
  std::optional<DType> literals;
  for (const ValueId id : operands) {
    const Value& value = program[id];
    if (value.kind == ValueKind::literal) {
      join(literals, value.literal_is_int ? DType::i64 : DType::f32);
    } else {
      join(value.shape.empty() ? numbers : tensors, value.dtype);
    }
  }
  return combine(combine(tensors, numbers), literals).value_or(DType::f32);
}

DType compute_type_of(const Program& program, const Op& op) {
  DType type = compute_type(program[op.out[0]].dtype);
  for (const ValueId in : op.in) {
    const Value& value = program[in];
    const bool literal = value.kind == ValueKind::literal;
    const DType each = !literal ? compute_type(value.dtype) : value.literal_is_int ? DType::i64 : DType::f32;
    if (each == DType::f64 || (each == DType::f32 && type == DType::i64)) type = each;
  }
  return type;
}

Strides dense_like(const Shape& shape, const Strides& strides) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1 && strides[i] == 0)
      return row_major(shape);  // a broadcast view says nothing about order
  }
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return shape[i] == 1; });
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return std::abs(strides[a]) > std::abs(strides[b]); });
  Strides out(shape.size(), 1);
  int64_t next = 1;
  for (size_t i = order.size(); i-- > 0;) {
    out[order[i]] = next;
    next *= std::max<int64_t>(shape[order[i]], 1);
  }
  for (const std::string_view layout : layout_names()) {
    const auto named = layout_strides(layout, shape);
    if (named && same_order(shape, *named, out)) return *named;
  }
  return out;
}

Strides pointwise_strides(const InferContext& context, const Shape& shape) {
  const Value* of_rank = nullptr;
  for (size_t i = 0; i < context.count(); ++i) {
    const Value& value = context.in(i);
    if (value.shape == shape) return dense_like(shape, value.stride);
    if (of_rank == nullptr && value.shape.size() == shape.size()) of_rank = &value;
  }
  return of_rank == nullptr ? row_major(shape) : dense_like(shape, of_rank->stride);
}

DType pointwise_type(const InferContext& context) {
  using ResultType = OpSpec::ResultType;
  const Op& op = context.op();
  const DType promoted = promoted_type(context.program(), op.in);
  switch (op.spec->result_type) {
    case ResultType::promoted: return promoted;
    case ResultType::promoted_floating: return is_floating(promoted) ? promoted : DType::f32;
    case ResultType::boolean: return DType::boolean;
    case ResultType::first: return context.in(0).dtype;
    case ResultType::attr_dtype: break;
  }
  const AttrValue* type = op.attrs.find("dtype");
  return type == nullptr ? context.in(0).dtype : std::get<DType>(*type);
}

bool infer_pointwise(InferContext& context) {
  Shape shape;
  size_t widest = 0;  // the operand that gave `shape` most of its extents, to show
  for (size_t i = 0; i < context.count(); ++i) {
    const auto joined = broadcast(shape, context.in(i).shape);
    if (!joined) {
      const Value& a = context.in(widest);
      const Value& b = context.in(i);
      context
          .error(kinds::broadcast_shapes, fmt::format("{} and {} do not broadcast", describe(a), describe(b)))
          .help = broadcast_help(a, b);
      return false;
    }
    if (context.in(i).shape.size() > context.in(widest).shape.size()) widest = i;
    shape = *joined;
  }
  Strides strides = pointwise_strides(context, shape);
  context.result(pointwise_type(context), std::move(shape), std::move(strides));
  return true;
}

std::optional<size_t> dimension(InferContext& context, int64_t dim, size_t rank) {
  const auto extent = static_cast<int64_t>(rank);
  if (dim >= -extent && dim < extent) return static_cast<size_t>(dim < 0 ? dim + extent : dim);
  context.error(kinds::dim_range, fmt::format("dimension {} of a tensor of rank {}", dim, rank)).help =
      rank == 0 ? std::string("a number has no dimensions")
                : fmt::format("dimensions are 0 to {}, or -{} to -1", extent - 1, extent);
  return std::nullopt;
}

}  // namespace uc
