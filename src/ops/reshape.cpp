// reshape: refused when it needs a copy.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "ops/view_row.h"

namespace uc::ops {
namespace {

// The extents with -1 filled in, or nothing when the counts do not fit.
std::optional<Shape> resolved(Shape shape, int64_t count) {
  const auto free = std::find(shape.begin(), shape.end(), -1);
  if (free != shape.end()) {
    *free = 1;
    const int64_t known = numel(shape);
    if (known <= 0 || count % known != 0) return std::nullopt;
    *free = count / known;
  }
  const bool positive = std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent >= 1; });
  return positive && numel(shape) == count ? std::optional(shape) : std::nullopt;
}

bool infer_reshape(InferContext& context) {
  const Value& x = context.in(0);
  const Dims wanted = list(context.op().attrs, "shape");
  const auto shape = resolved(wanted, numel(x.shape));
  if (!shape || shape->size() > 8) {
    context
        .error(kinds::reshape_count, fmt::format("{} has {} elements, not those of {}", describe(x),
                                                 numel(x.shape), to_text(wanted)))
        .help = fmt::format("extents whose product is {}; one of them may be -1", numel(x.shape));
    return false;
  }
  auto strides = reshape_strides(x.shape, x.stride, *shape);
  if (!strides) {
    const std::string operand = x.name.empty() ? "v" : x.name;
    context
        .error(kinds::reshape_copy, fmt::format("{} with strides {} cannot be seen as {} without a copy",
                                                describe(x), to_text(x.stride), to_text(*shape)))
        .help = fmt::format("copy it in a step before: `t = to({}, row)`, then `reshape(t, {})`", operand,
                            to_text(*shape));
    return false;
  }
  context.view(0, *shape, std::move(*strides), x.offset);
  return true;
}

// torch's reshape copies when it has to; here the copy is a step.
std::optional<ValueId> reshaped(ImportContext& context, ValueId x, Shape shape) {
  const Value& from = context.program()[x];
  const auto target = resolved(shape, numel(from.shape));
  if (target && !reshape_strides(from.shape, from.stride, *target)) {
    Attrs row;
    row.set("layout", std::string("row"));
    const auto copy = context.apply("to", {x}, std::move(row));
    if (!copy) return std::nullopt;
    x = *copy;
  }
  return with_list(context, "reshape", x, "shape", std::move(shape));
}

bool import_reshape(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  auto shape = context.integers(op, 1, "size");
  return x && shape && finish(context, op, reshaped(context, *x, std::move(*shape)));
}

bool import_flatten(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  const Shape& shape = context.program()[*x].shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t first = context.integer(op, 1, "start_dim").value_or(0);
  const int64_t last = context.integer(op, 2, "end_dim").value_or(-1);
  const int64_t from = first < 0 ? first + rank : first;
  const int64_t to = last < 0 ? last + rank : last;
  if (from < 0 || to >= rank || from > to) return false;
  Shape flat(shape.begin(), shape.begin() + from);
  flat.push_back(numel(Shape(shape.begin() + from, shape.begin() + to + 1)));
  flat.insert(flat.end(), shape.begin() + to + 1, shape.end());
  return finish(context, op, reshaped(context, *x, std::move(flat)));
}

// One dimension as several, one of which may be -1.
bool import_unflatten(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto dim = context.integer(op, 1, "dim");
  const auto sizes = context.integers(op, 2, "sizes");
  if (!x || !dim || !sizes) return false;
  const Shape& shape = context.program()[*x].shape;
  const int64_t at = *dim < 0 ? *dim + static_cast<int64_t>(shape.size()) : *dim;
  if (at < 0 || at >= static_cast<int64_t>(shape.size())) return false;
  const auto parts = resolved(*sizes, shape[static_cast<size_t>(at)]);
  if (!parts) return false;
  Shape split(shape.begin(), shape.begin() + at);
  split.insert(split.end(), parts->begin(), parts->end());
  split.insert(split.end(), shape.begin() + at + 1, shape.end());
  return finish(context, op, reshaped(context, *x, std::move(split)));
}

// torch: windows of `size` every `step` along a dimension, the window's own dimension last. Without overlap
// these are other extents over the same elements.
bool import_unfold(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto dim = context.integer(op, 1, "dimension");
  const auto size = context.integer(op, 2, "size");
  const auto step = context.integer(op, 3, "step");
  if (!x || !dim || !size || !step || *size < 1 || *size != *step) return false;
  const Shape& shape = context.program()[*x].shape;
  const int64_t at = *dim < 0 ? *dim + static_cast<int64_t>(shape.size()) : *dim;
  if (at < 0 || at >= static_cast<int64_t>(shape.size())) return false;
  if (shape[static_cast<size_t>(at)] % *size != 0) return false;
  Shape windows = shape;
  windows[static_cast<size_t>(at)] /= *size;
  windows.insert(windows.begin() + at + 1, *size);
  Dims order;
  for (int64_t d = 0; d < static_cast<int64_t>(windows.size()); ++d) {
    if (d != at + 1) order.push_back(d);
  }
  order.push_back(at + 1);
  const auto parts = reshaped(context, *x, std::move(windows));
  return parts && finish(context, op, with_list(context, "permute", *parts, "dims", std::move(order)));
}

constexpr AtenImport kReshapeAten[] = {
    {"aten.view.default", import_reshape},         {"aten.reshape.default", import_reshape},
    {"aten._unsafe_view.default", import_reshape}, {"aten.flatten.using_ints", import_flatten},
    {"aten.unflatten.int", import_unflatten},      {"aten.unfold.default", import_unfold}};
constexpr std::string_view kReshapeExamples[] = {UC_VIEW_EXAMPLE("v = reshape(x, [8, 8, -1])"),
                                                 UC_VIEW_EXAMPLE("v = reshape(x, [8192])")};

constexpr OpSpec kRows[] = {
    {.name = "reshape",
     .summary = "other extents over the same elements; refused when that needs a copy",
     .family = "view",
     .place = Place::view,
     .params = kShapeParams,
     .infer = infer_reshape,
     .aten = kReshapeAten,
     .examples = kReshapeExamples},
};

}  // namespace

std::span<const OpSpec> reshape_rows() { return kRows; }

}  // namespace uc::ops
