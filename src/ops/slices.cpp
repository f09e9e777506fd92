// Views that step: slice, and flip, which steps backwards.
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <span>

#include "catalog/diags.h"
#include "catalog/diags_window.h"
#include "catalog/infer.h"
#include "ir/graph.h"
#include "ops/view_row.h"

namespace uc::ops {
namespace {

constexpr ParamSpec kSliceParams[] = {
    kX,
    {"dim", ParamKind::integer, {}, true, {}, "the dimension to cut"},
    {"start", ParamKind::integer, {}, false, {}, "the first element; from the end when negative"},
    {"end", ParamKind::integer, {}, false, {}, "where it stops, not an element; absent: all the rest"},
    {"step", ParamKind::integer, "1", false, {}, "from one element to the next; backwards when negative"}};
constexpr ParamSpec kFlipParams[] = {kX,
                                     {"dims", ParamKind::integers, {}, true, {}, "dimensions to reverse"}};

// ---- slice

// As Python's slices: negative ends count from the end, ends beyond the extent are the extent.
Range range_of(const Attrs& attrs, int64_t extent) {
  const int64_t step = attrs.get_int("step", 1);
  if (step == 0) return {};
  const bool forward = step > 0;
  const int64_t lowest = forward ? 0 : -1;
  const int64_t highest = forward ? extent : extent - 1;
  const auto bound = [&](std::string_view key, int64_t otherwise) {
    if (!attrs.has(key)) return otherwise;
    const int64_t at = attrs.get_int(key, 0);
    return std::clamp(at < 0 ? std::max(at, -extent - 1) + extent : at, lowest, highest);
  };
  const int64_t start = bound("start", forward ? lowest : highest);
  const int64_t end = bound("end", forward ? highest : lowest);
  const int64_t length = forward ? end - start : start - end;
  const int64_t size = step == std::numeric_limits<int64_t>::min() ? extent : std::abs(step);
  return {start, length <= 0 ? 0 : (length - 1) / size + 1, step};
}

bool infer_slice(InferContext& context) {
  const Value& x = context.in(0);
  const Attrs& attrs = context.op().attrs;
  const auto dim = dimension(context, attrs.get_int("dim", 0), x.shape.size());
  if (!dim) return false;
  const Range range = range_of(attrs, x.shape[*dim]);
  if (range.count >= 1) {
    cut(context, *dim, range);
    return true;
  }
  auto& diag = context.error(
      kinds::slice_empty, fmt::format("this slice of dimension {} of {} has no element", *dim, describe(x)));
  diag.help = attrs.get_int("step", 1) == 0
                  ? std::string("a step is 1 or more, or negative to go backwards")
                  : fmt::format("elements are 0 to {}; `slice(x, {}, 1, 3)` takes 1 and 2", x.shape[*dim] - 1,
                                attrs.get_int("dim", 0));
  return false;
}

// ---- flip

bool infer_flip(InferContext& context) {
  const Value& x = context.in(0);
  Strides stride = x.stride;
  int64_t offset = x.offset;
  std::vector<size_t> seen;
  for (const int64_t dim : list(context.op().attrs, "dims")) {
    const auto at = dimension(context, dim, x.shape.size());
    if (!at) return false;
    if (std::ranges::find(seen, *at) != seen.end()) {
      context.error(kinds::dims_once, fmt::format("dimension {} is flipped twice", *at)).help =
          "name each dimension once";
      return false;
    }
    seen.push_back(*at);
    offset += (x.shape[*at] - 1) * stride[*at];
    if (x.shape[*at] > 1) stride[*at] = -stride[*at];
  }
  context.view(0, x.shape, std::move(stride), offset);
  return true;
}

// ---- import

// torch: slice(x, dim, start, end, step); the end of all the rest is 2^63 - 1.
bool import_slice(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  const Shape& shape = context.program()[*x].shape;
  const int64_t dim = context.integer(op, 1, "dim").value_or(0);
  const auto rank = static_cast<int64_t>(shape.size());
  if (dim < -rank || dim >= rank) return false;
  const int64_t extent = shape[static_cast<size_t>(dim < 0 ? dim + rank : dim)];
  Attrs attrs;
  attrs.set("dim", dim);
  if (const int64_t start = context.integer(op, 2, "start").value_or(0); start > -extent && start != 0)
    attrs.set("start", start);
  if (const auto end = context.integer(op, 3, "end"); end && *end < extent) attrs.set("end", *end);
  if (const int64_t step = context.integer(op, 4, "step").value_or(1); step != 1) attrs.set("step", step);
  if (attrs.entries().size() == 1) return finish(context, op, x);
  return finish(context, op, context.apply("slice", {*x}, std::move(attrs)));
}

std::optional<ValueId> narrowed(ImportContext& context, ValueId x, int64_t dim, int64_t start,
                                int64_t length) {
  Attrs attrs;
  attrs.set("dim", dim);
  attrs.set("start", start);
  attrs.set("end", start + length);
  return context.apply("slice", {x}, std::move(attrs));
}

// torch: narrow(x, dim, start, length).
bool import_narrow(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto dim = context.integer(op, 1, "dim");
  const auto start = context.integer(op, 2, "start");
  const auto length = context.integer(op, 3, "length");
  return x && dim && start && length && *start >= 0 &&
         finish(context, op, narrowed(context, *x, *dim, *start, *length));
}

// torch: select(x, dim, index) is a slice of one, without its dimension.
bool import_select(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto dim = context.integer(op, 1, "dim");
  const auto index = context.integer(op, 2, "index");
  if (!x || !dim || !index) return false;
  const Shape& shape = context.program()[*x].shape;
  const auto rank = static_cast<int64_t>(shape.size());
  if (*dim < -rank || *dim >= rank) return false;
  const int64_t extent = shape[static_cast<size_t>(*dim < 0 ? *dim + rank : *dim)];
  const auto one = narrowed(context, *x, *dim, *index < 0 ? *index + extent : *index, 1);
  if (!one) return false;
  Attrs attrs;
  attrs.set("dim", *dim);
  return finish(context, op, context.apply("squeeze", {*one}, std::move(attrs)));
}

bool import_flip(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  auto dims = context.integers(op, 1, "dims");
  return x && dims && finish(context, op, with_list(context, "flip", *x, "dims", std::move(*dims)));
}

constexpr AtenImport kSliceAten[] = {{"aten.slice.Tensor", import_slice},
                                     {"aten.select.int", import_select},
                                     {"aten.narrow.default", import_narrow}};
constexpr AtenImport kFlipAten[] = {{"aten.flip.default", import_flip}};

constexpr std::string_view kSliceExamples[] = {UC_VIEW_EXAMPLE("v = slice(x, 0, 8, 40)"),
                                               UC_VIEW_EXAMPLE("v = slice(x, dim=-1, start=-16, step=2)")};
constexpr std::string_view kFlipExamples[] = {UC_VIEW_EXAMPLE("v = flip(x, 2)"),
                                              UC_VIEW_EXAMPLE("v = flip(x, [0, -1])")};

constexpr OpSpec kRows[] = {
    {.name = "slice",
     .summary = "a range of one dimension; ends beyond the extent are the extent, as in Python",
     .family = "view",
     .place = Place::view,
     .params = kSliceParams,
     .infer = infer_slice,
     .aten = kSliceAten,
     .examples = kSliceExamples},
    {.name = "flip",
     .summary = "dimensions reversed",
     .family = "view",
     .place = Place::view,
     .params = kFlipParams,
     .infer = infer_flip,
     .aten = kFlipAten,
     .examples = kFlipExamples},
};

}  // namespace

std::span<const OpSpec> slices_rows() { return kRows; }

}  // namespace uc::ops
