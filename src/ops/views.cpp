// Views of other order: the same memory, free, and never a copy.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
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

constexpr AtenImport kTransposeAten[] = {{"aten.t.default", import_t},
                                         {"aten.transpose.int", import_transpose},
                                         {"aten.swapaxes.default", import_transpose},
                                         {"aten.swapdims.default", import_transpose}};
constexpr AtenImport kPermuteAten[] = {{"aten.permute.default", import_permute},
                                       {"aten.numpy_T.default", import_reversed},
                                       {"aten.movedim.int", import_movedim},
                                       {"aten.movedim.intlist", import_movedim}};

constexpr std::string_view kTransposeExamples[] = {UC_VIEW_EXAMPLE("v = transpose(x)"),
                                                   UC_VIEW_EXAMPLE("v = transpose(x, [0, 2])")};
constexpr std::string_view kPermuteExamples[] = {UC_VIEW_EXAMPLE("v = permute(x, [2, 0, 1])"),
                                                 UC_VIEW_EXAMPLE("v = permute(x, [0, -1, 1])")};

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
};

}  // namespace

std::span<const OpSpec> views_rows() { return kRows; }

}  // namespace uc::ops
