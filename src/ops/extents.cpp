// Views with extents of 1 more, fewer, or stretched.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "ops/detail/import_broadcast.h"
#include "ops/view_row.h"

namespace uc::ops {
namespace {

constexpr ParamSpec kDimParams[] = {kX,
                                    {"dim", ParamKind::integer, {}, true, {}, "a dimension of the result"}};
constexpr ParamSpec kSqueezeParams[] = {kX,
                                        {"dim", ParamKind::integer, {}, true, {}, "a dimension of extent 1"}};

bool infer_unsqueeze(InferContext& context) {
  const Value& x = context.in(0);
  const auto dim = dimension(context, context.op().attrs.get_int("dim", 0), x.shape.size() + 1);
  if (!dim) return false;
  Shape shape = x.shape;
  Strides stride = x.stride;
  const auto at = static_cast<int64_t>(*dim);
  stride.insert(stride.begin() + at, *dim < x.shape.size() ? x.stride[*dim] * x.shape[*dim] : 1);
  shape.insert(shape.begin() + at, 1);
  context.view(0, std::move(shape), std::move(stride), x.offset);
  return true;
}

bool infer_squeeze(InferContext& context) {
  const Value& x = context.in(0);
  const auto dim = dimension(context, context.op().attrs.get_int("dim", 0), x.shape.size());
  if (!dim) return false;
  if (x.shape[*dim] != 1) {
    context
        .error(kinds::squeeze_extent,
               fmt::format("dimension {} of {} has extent {}", *dim, describe(x), x.shape[*dim]))
        .help = "only an extent of 1 can be dropped; `reshape` merges dimensions";
    return false;
  }
  Shape shape = x.shape;
  Strides stride = x.stride;
  shape.erase(shape.begin() + static_cast<int64_t>(*dim));
  stride.erase(stride.begin() + static_cast<int64_t>(*dim));
  context.view(0, std::move(shape), std::move(stride), x.offset);
  return true;
}

bool infer_expand(InferContext& context) {
  const Value& x = context.in(0);
  Shape shape = list(context.op().attrs, "shape");
  const size_t extra = shape.size() - std::min(shape.size(), x.shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && i >= extra) shape[i] = x.shape[i - extra];
  }
  const bool positive = std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent >= 1; });
  if (!positive || shape.size() > 8 || broadcast(x.shape, shape) != shape) {
    context.error(kinds::expand_extent, fmt::format("{} does not expand to {}", describe(x), to_text(shape)))
        .help = "an extent is kept (or -1), or stretched from 1; new dimensions stand in front";
    return false;
  }
  context.view(0, shape, broadcast_strides(x.shape, x.stride, shape), x.offset);
  return true;
}

// ---- import

template <Word Name>
bool import_dim(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto dim = context.integer(op, 1, "dim");
  if (!x || !dim) return false;
  Attrs attrs;
  attrs.set("dim", *dim);
  return finish(context, op, context.apply(Name.view(), {*x}, std::move(attrs)));
}

bool import_expand(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  auto shape = context.integers(op, 1, "size");
  return x && shape && finish(context, op, with_list(context, "expand", *x, "shape", std::move(*shape)));
}

// torch: all dimensions of extent 1, or those listed that have it.
bool import_squeeze(ImportContext& context, const GraphOp& op) {
  auto x = context.value(op, 0);
  if (!x) return false;
  const Shape shape = context.program()[*x].shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const auto listed = context.integers(op, 1, "dim");
  for (int64_t d = rank; d-- > 0;) {
    const bool meant =
        !listed || std::ranges::any_of(*listed, [&](int64_t dim) { return dim == d || dim + rank == d; });
    if (!meant || shape[static_cast<size_t>(d)] != 1) continue;
    Attrs attrs;
    attrs.set("dim", d);
    x = context.apply("squeeze", {*x}, std::move(attrs));
    if (!x) return false;
  }
  return finish(context, op, x);
}

bool import_expand_as(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto like = context.value(op, 1);
  return x && like &&
         finish(context, op, with_list(context, "expand", *x, "shape", context.program()[*like].shape));
}

// torch: repeat(x, repeats) writes copies side by side: a view that stretches, then a copy.
bool import_repeat(ImportContext& context, const GraphOp& op) {
  auto x = context.value(op, 0);
  const auto repeats = context.integers(op, 1, "repeats");
  if (!x || !repeats || repeats->size() < context.program()[*x].shape.size()) return false;
  Shape shape = context.program()[*x].shape;
  shape.insert(shape.begin(), repeats->size() - shape.size(), 1);
  Shape apart;
  Shape wide;
  Shape joined;
  for (size_t i = 0; i < shape.size(); ++i) {
    if ((*repeats)[i] < 1) return false;
    joined.push_back((*repeats)[i] * shape[i]);
    if ((*repeats)[i] != 1) {
      apart.push_back(1);
      wide.push_back((*repeats)[i]);
    }
    apart.push_back(shape[i]);
    wide.push_back(shape[i]);
  }
  if (apart.size() > 8) return false;
  x = with_list(context, "reshape", *x, "shape", std::move(apart));
  if (x) x = with_list(context, "expand", *x, "shape", std::move(wide));
  if (!x) return false;
  Attrs row;
  row.set("layout", std::string("row"));
  x = context.apply("to", {*x}, std::move(row));
  return x && finish(context, op, with_list(context, "reshape", *x, "shape", std::move(joined)));
}

constexpr AtenImport kUnsqueezeAten[] = {{"aten.unsqueeze.default", import_dim<"unsqueeze">}};
constexpr AtenImport kSqueezeAten[] = {{"aten.squeeze.dim", import_squeeze},
                                       {"aten.squeeze.dims", import_squeeze},
                                       {"aten.squeeze.default", import_squeeze}};
constexpr AtenImport kExpandAten[] = {{"aten.expand.default", import_expand},
                                      {"aten.broadcast_tensors.default", import_broadcast},
                                      {"aten.broadcast_to.default", import_expand},
                                      {"aten.expand_as.default", import_expand_as},
                                      {"aten.repeat.default", import_repeat}};

constexpr std::string_view kUnsqueezeExamples[] = {UC_VIEW_EXAMPLE("v = unsqueeze(x, 0)"),
                                                   UC_VIEW_EXAMPLE("v = unsqueeze(x, -1)")};
constexpr std::string_view kSqueezeExamples[] = {UC_VIEW_EXAMPLE("v = squeeze(x, 1)"),
                                                 UC_VIEW_EXAMPLE("v = squeeze(x, dim=-2)")};
constexpr std::string_view kExpandExamples[] = {UC_VIEW_EXAMPLE("v = expand(x, [64, 16, 128])"),
                                                UC_VIEW_EXAMPLE("v = expand(x, [2, -1, 4, -1])")};

constexpr OpSpec kRows[] = {
    {.name = "unsqueeze",
     .summary = "a dimension of extent 1 more",
     .family = "view",
     .place = Place::view,
     .params = kDimParams,
     .infer = infer_unsqueeze,
     .aten = kUnsqueezeAten,
     .examples = kUnsqueezeExamples},
    {.name = "squeeze",
     .summary = "a dimension of extent 1 less",
     .family = "view",
     .place = Place::view,
     .params = kSqueezeParams,
     .infer = infer_squeeze,
     .aten = kSqueezeAten,
     .examples = kSqueezeExamples},
    {.name = "expand",
     .summary = "extents of 1 stretched with stride 0",
     .family = "view",
     .place = Place::view,
     .params = kShapeParams,
     .infer = infer_expand,
     .aten = kExpandAten,
     .examples = kExpandExamples},
};

}  // namespace

std::span<const OpSpec> extents_rows() { return kRows; }

}  // namespace uc::ops
