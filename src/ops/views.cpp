// Views: the same memory under another shape. Free, and never a copy.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "ops/detail/import_broadcast.h"
#include "ops/view_row.h"

namespace uc::ops {
namespace {

bool view_as_ordered(InferContext& context, const std::vector<size_t>& order) {
  const Value& x = context.in(0);
  Shape shape;
  Strides stride;
  for (const size_t dim : order) {
    shape.push_back(x.shape[dim]);
    stride.push_back(x.stride[dim]);
  }
  context.view(0, std::move(shape), std::move(stride), x.offset);
  return true;
}

// ---- transpose, permute

constexpr ParamSpec kTransposeParams[] = {
    kX, {"dims", ParamKind::integers, {}, false, {}, "the two dimensions to swap: the last two"}};
constexpr ParamSpec kPermuteParams[] = {
    kX, {"dims", ParamKind::integers, {}, true, {}, "every dimension once, in the new order"}};

bool infer_transpose(InferContext& context) {
  const size_t rank = context.in(0).shape.size();
  const Dims dims = list(context.op().attrs, "dims", {-2, -1});
  if (rank < 2 || dims.size() != 2) {
    context
        .error(kinds::operand_rank, fmt::format("`transpose` of {} with {} dimensions to swap",
                                                describe(context.in(0)), dims.size()))
        .help =
        "`transpose(x)` swaps the last two dimensions of rank 2 or more, `transpose(x, [0, 1])` any two";
    return false;
  }
  const auto a = dimension(context, dims[0], rank);
  const auto b = dimension(context, dims[1], rank);
  if (!a || !b) return false;
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  std::swap(order[*a], order[*b]);
  return view_as_ordered(context, order);
}

bool infer_permute(InferContext& context) {
  const size_t rank = context.in(0).shape.size();
  std::vector<size_t> order;
  for (const int64_t dim : list(context.op().attrs, "dims")) {
    const auto at = dimension(context, dim, rank);
    if (!at) return false;
    order.push_back(*at);
  }
  std::vector<size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  const bool once = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  if (once && order.size() == rank) return view_as_ordered(context, order);
  context
      .error(kinds::permutation, fmt::format("[{}] is no order of the {} dimensions of {}",
                                             fmt::join(order, ", "), rank, describe(context.in(0))))
      .help = "name every dimension once: `permute(x, [0, 2, 1])` for rank 3";
  return false;
}

// ---- squeeze, unsqueeze, expand

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

bool reorder(ImportContext& context, const GraphOp& op, std::string_view name, Dims dims) {
  const auto x = context.value(op, 0);
  return x && finish(context, op, with_list(context, name, *x, "dims", std::move(dims)));
}

bool import_transpose(ImportContext& context, const GraphOp& op) {
  const auto a = context.integer(op, 1, "dim0");
  const auto b = context.integer(op, 2, "dim1");
  return a && b && reorder(context, op, "transpose", {*a, *b});
}

// t() of a matrix swaps; of a vector it is the vector.
bool import_t(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  return context.program()[*x].shape.size() < 2 ? finish(context, op, x)
                                                : finish(context, op, context.apply("transpose", {*x}));
}

bool import_reversed(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  const size_t rank = context.program()[*x].shape.size();
  if (rank < 2) return finish(context, op, x);
  Dims dims(rank);
  std::iota(dims.rbegin(), dims.rend(), int64_t{0});
  return reorder(context, op, "permute", std::move(dims));
}

bool import_permute(ImportContext& context, const GraphOp& op) {
  auto dims = context.integers(op, 1, "dims");
  return dims && reorder(context, op, "permute", std::move(*dims));
}

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

// torch: movedim(x, source, destination).
bool import_movedim(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto from = context.integers(op, 1, "source");
  const auto to = context.integers(op, 2, "destination");
  if (!x || !from || !to || from->size() != to->size()) return false;
  const auto rank = static_cast<int64_t>(context.program()[*x].shape.size());
  Dims order(static_cast<size_t>(rank), -1);
  std::vector<bool> moved(static_cast<size_t>(rank), false);
  for (size_t i = 0; i < from->size(); ++i) {
    const int64_t source = (*from)[i] < 0 ? (*from)[i] + rank : (*from)[i];
    const int64_t target = (*to)[i] < 0 ? (*to)[i] + rank : (*to)[i];
    if (source < 0 || source >= rank || target < 0 || target >= rank) return false;
    order[static_cast<size_t>(target)] = source;
    moved[static_cast<size_t>(source)] = true;
  }
  int64_t next = 0;
  for (int64_t& each : order) {
    if (each >= 0) continue;
    while (next < rank && moved[static_cast<size_t>(next)]) ++next;
    each = next++;
  }
  return reorder(context, op, "permute", std::move(order));
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

constexpr AtenImport kTransposeAten[] = {{"aten.t.default", import_t},
                                         {"aten.transpose.int", import_transpose},
                                         {"aten.swapaxes.default", import_transpose},
                                         {"aten.swapdims.default", import_transpose}};
constexpr AtenImport kPermuteAten[] = {{"aten.permute.default", import_permute},
                                       {"aten.numpy_T.default", import_reversed},
                                       {"aten.movedim.int", import_movedim},
                                       {"aten.movedim.intlist", import_movedim}};
constexpr AtenImport kUnsqueezeAten[] = {{"aten.unsqueeze.default", import_dim<"unsqueeze">}};
constexpr AtenImport kSqueezeAten[] = {{"aten.squeeze.dim", import_squeeze},
                                       {"aten.squeeze.dims", import_squeeze},
                                       {"aten.squeeze.default", import_squeeze}};
constexpr AtenImport kExpandAten[] = {{"aten.expand.default", import_expand},
                                      {"aten.broadcast_tensors.default", import_broadcast},
                                      {"aten.broadcast_to.default", import_expand},
                                      {"aten.expand_as.default", import_expand_as},
                                      {"aten.repeat.default", import_repeat}};

constexpr std::string_view kTransposeExamples[] = {UC_VIEW_EXAMPLE("v = transpose(x)"),
                                                   UC_VIEW_EXAMPLE("v = transpose(x, [0, 2])")};
constexpr std::string_view kPermuteExamples[] = {UC_VIEW_EXAMPLE("v = permute(x, [2, 0, 1])"),
                                                 UC_VIEW_EXAMPLE("v = permute(x, [0, -1, 1])")};
constexpr std::string_view kUnsqueezeExamples[] = {UC_VIEW_EXAMPLE("v = unsqueeze(x, 0)"),
                                                   UC_VIEW_EXAMPLE("v = unsqueeze(x, -1)")};
constexpr std::string_view kSqueezeExamples[] = {UC_VIEW_EXAMPLE("v = squeeze(x, 1)"),
                                                 UC_VIEW_EXAMPLE("v = squeeze(x, dim=-2)")};
constexpr std::string_view kExpandExamples[] = {UC_VIEW_EXAMPLE("v = expand(x, [64, 16, 128])"),
                                                UC_VIEW_EXAMPLE("v = expand(x, [2, -1, 4, -1])")};

constexpr OpSpec kRows[] = {
    {.name = "transpose",
     .summary = "two dimensions swapped, the last two unless said",
     .family = "view",
     .place = Place::view,
     .params = kTransposeParams,
     .infer = infer_transpose,
     .aten = kTransposeAten,
     .examples = kTransposeExamples},
    {.name = "permute",
     .summary = "dimensions in another order",
     .family = "view",
     .place = Place::view,
     .params = kPermuteParams,
     .infer = infer_permute,
     .aten = kPermuteAten,
     .examples = kPermuteExamples},
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

std::span<const OpSpec> views_rows() { return kRows; }

}  // namespace uc::ops
