#include "ops/detail/dims.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "catalog/diags_reduce.h"

namespace uc::ops {
namespace {

std::vector<int64_t> written(const Op& op, const std::vector<int64_t>& otherwise) {
  const AttrValue* value = op.attrs.find("dim");
  if (value == nullptr) return otherwise;
  if (const auto* one = std::get_if<int64_t>(value)) return {*one};
  return std::get<std::vector<int64_t>>(*value);
}

std::string all_of(size_t rank) {
  std::vector<size_t> dims(rank);
  std::iota(dims.begin(), dims.end(), size_t{0});
  return fmt::format("{}", fmt::join(dims, ", "));
}

}  // namespace

std::vector<size_t> dims_of(const Op& op, size_t rank, const std::vector<int64_t>& otherwise) {
  std::vector<size_t> out;
  for (const int64_t dim : written(op, otherwise))
    out.push_back(static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim));
  std::ranges::sort(out);
  return out;
}

std::optional<std::vector<size_t>> checked_dims(InferContext& context, size_t rank,
                                                const std::vector<int64_t>& otherwise) {
  const auto dims = written(context.op(), otherwise);
  const std::string_view name = context.op().spec->name;
  if (dims.empty()) {
    context.error(kinds::no_dims, fmt::format("`{}` names no dimension", name)).help =
        fmt::format("`dim=[{}]` goes over all of them", all_of(rank));
    return std::nullopt;
  }
  std::vector<size_t> out;
  for (const int64_t dim : dims) {
    const auto at = dimension(context, dim, rank);
    if (!at) return std::nullopt;
    out.push_back(*at);
  }
  std::ranges::sort(out);
  if (const auto twice = std::ranges::adjacent_find(out); twice != out.end()) {
    context.error(kinds::dim_twice, fmt::format("`{}` names dimension {} twice", name, *twice)).help =
        "name it once; a negative one counts from the end";
    return std::nullopt;
  }
  return out;
}

Shape without(const Shape& shape, const std::vector<size_t>& dims, bool keepdim) {
  Shape out;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (std::ranges::find(dims, i) == dims.end()) {
      out.push_back(shape[i]);
    } else if (keepdim) {
      out.push_back(1);
    }
  }
  return out;
}

bool must_be_floating(InferContext& context, size_t i) {
  const Value& value = context.in(i);
  if (is_floating(value.dtype)) return true;
  context
      .error(kinds::floating_operand, fmt::format("`{}` of {}, which is {}", context.op().spec->name,
                                                  describe(value), name(value.dtype)))
      .help = fmt::format("make it floating: `to({}, f32)`", value.name.empty() ? "v" : value.name);
  return false;
}

std::optional<ValueId> converted(ImportContext& context, std::optional<ValueId> x,
                                 std::optional<DType> type) {
  if (!x || !type || context.program()[*x].dtype == *type) return x;
  Attrs attrs;
  attrs.set("dtype", *type);
  return context.apply("to", {*x}, std::move(attrs));
}

std::vector<int64_t> captured_dims(ImportContext& context, const GraphOp& op, size_t index, size_t rank) {
  auto dims = context.integers(op, index, "dim");
  if (dims && !dims->empty()) return *dims;
  std::vector<int64_t> all(rank);
  std::iota(all.begin(), all.end(), int64_t{0});
  return all;
}

}  // namespace uc::ops
