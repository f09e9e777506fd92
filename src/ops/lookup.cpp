// Data read at indexes that are data themselves: gather, embedding.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>

#include "catalog/diags.h"
#include "catalog/diags_window.h"
#include "catalog/infer.h"
#include "ops/detail/gathering.h"
#include "ops/view_row.h"

namespace uc::ops {
namespace {

using Tensors = std::span<const HostTensor* const>;

constexpr ParamSpec kGatherParams[] = {
    kX,
    {"index", ParamKind::tensor, {}, true, {}, "i64 or i32, of x's rank; negative or too large: NaN, or 0"},
    {"dim", ParamKind::integer, {}, true, {}, "the dimension that the index is in"}};
constexpr ParamSpec kEmbeddingParams[] = {
    {"W", ParamKind::tensor, {}, true, {}, "[rows, D]"},
    {"index", ParamKind::tensor, {}, true, {}, "i64 or i32, of any shape; negative or too large: NaN, or 0"}};

bool check_index(InferContext& context) {
  const DType type = context.in(1).dtype;
  if (type == DType::i64 || type == DType::i32) return true;
  context.error(kinds::index_type, fmt::format("an index {} of {}", describe(context.in(1)), name(type)))
      .help = "convert it in a step before: `t = to(v, i64)`";
  return false;
}

bool infer_gather(InferContext& context) {
  const Value& x = context.in(0);
  const Value& index = context.in(1);
  const auto dim = dimension(context, context.op().attrs.get_int("dim", 0), x.shape.size());
  if (!dim || !check_index(context)) return false;
  bool fits = index.shape.size() == x.shape.size();
  for (size_t d = 0; fits && d < x.shape.size(); ++d) fits = d == *dim || index.shape[d] <= x.shape[d];
  if (!fits) {
    context
        .error(kinds::index_shape,
               fmt::format("index {} into {} along dimension {}", describe(index), describe(x), *dim))
        .help = "the index has x's rank and its extents but for `dim`; `embedding` takes whole rows";
    return false;
  }
  context.result(x.dtype, index.shape, dense_like(index.shape, index.stride));
  return true;
}

void reference_gather(const Program& program, const Op& op, Tensors in, std::span<HostTensor> out) {
  const Shape& x = program[op.in[0]].shape;
  const Shape& y = out[0].shape;
  const int64_t asked = op.attrs.get_int("dim", 0);
  const auto dim = static_cast<size_t>(asked < 0 ? asked + static_cast<int64_t>(x.size()) : asked);
  copy_from(*in[0], out[0], outside(out[0].dtype), [&](int64_t i) {
    const int64_t looked = index_at(*in[1], i);
    if (looked < 0 || looked >= x[dim]) return int64_t{-1};
    int64_t at = 0;
    int64_t stride = 1;
    for (size_t d = y.size(); d-- > 0; i /= y[d]) {
      at += (d == dim ? looked : i % y[d]) * stride;
      stride *= x[d];
    }
    return at;
  });
}

bool infer_embedding(InferContext& context) {
  const Value& weights = context.in(0);
  if (!check_index(context)) return false;
  if (weights.shape.size() != 2 || context.in(1).shape.size() > 7) {
    context
        .error(kinds::operand_rank,
               fmt::format("`embedding` of {} at {}", describe(weights), describe(context.in(1))))
        .help = "embedding(W, index) takes W[rows, D] and an index of rank 7 or less";
    return false;
  }
  Shape shape = context.in(1).shape;
  shape.push_back(weights.shape[1]);
  context.result(weights.dtype, std::move(shape));
  return true;
}

void reference_embedding(const Program& program, const Op& op, Tensors in, std::span<HostTensor> out) {
  const Shape& weights = program[op.in[0]].shape;
  const int64_t width = weights[1];
  copy_from(*in[0], out[0], outside(out[0].dtype), [&](int64_t i) {
    const int64_t row = index_at(*in[1], i / width);
    return row < 0 || row >= weights[0] ? int64_t{-1} : row * width + i % width;
  });
}

Work moves_only(const Program&, const Op&) { return {}; }

bool is_given(const Program& program, ValueId id) {
  const Value& value = program[id];
  if (!value.def) return value.kind != ValueKind::literal;
  return std::ranges::any_of(program[value.def].in, [&](ValueId in) { return is_given(program, in); });
}

// Each index reads one element of x, or one row of W: at most what there is. An index that is given may be
// the same everywhere, so it reads no more for sure than one place along the dimension that it is in.
double looked_up(const Program& program, const Op& op, double results) {
  const Shape& shape = program[op.in[0]].shape;
  const auto all = static_cast<double>(numel(shape));
  if (!is_given(program, op.in[1])) return std::min(all, results);
  const int64_t asked = op.attrs.get_int("dim", 0);
  const auto dim = static_cast<size_t>(asked < 0 ? asked + static_cast<int64_t>(shape.size()) : asked);
  const Shape& index = program[op.in[1]].shape;
  const auto place = static_cast<double>(std::max<int64_t>(1, shape[dim]));
  const auto indexed = static_cast<double>(
      std::max<int64_t>(1, index.size() == shape.size() && op.attrs.has("dim") ? index[dim] : numel(index)));
  return std::min({all, all / place, results / indexed});
}

// The index of what is needed: one an element (gather), or one a row (embedding).
Part needs_looked_up(const Program& program, const Op& op, size_t i, size_t, const Part& result) {
  const Shape& shape = program[op.in[i]].shape;
  if (i == 0) {
    const auto all = static_cast<double>(std::max<int64_t>(1, numel(shape)));
    return Part::share(shape, looked_up(program, op, result.elements()) / all);
  }
  std::vector<int> along(shape.size());
  std::iota(along.begin(), along.end(), 0);
  return projected(result, shape, along);
}

// ---- import

// torch: gather(x, dim, index).
bool import_gather(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto dim = context.integer(op, 1, "dim");
  const auto index = context.value(op, 2);
  if (!x || !dim || !index) return false;
  Attrs attrs;
  attrs.set("dim", *dim);
  return finish(context, op, context.apply("gather", {*x, *index}, std::move(attrs)));
}

// torch: embedding(weight, indices, ...): the other arguments are about gradients.
bool import_embedding(ImportContext& context, const GraphOp& op) {
  const auto weights = context.value(op, 0);
  const auto index = context.value(op, 1);
  return weights && index && finish(context, op, context.apply("embedding", {*weights, *index}));
}

// torch: index_select(x, dim, index): whole slices, so the index is the same along all other dimensions.
bool import_index_select(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto dim = context.integer(op, 1, "dim");
  const auto index = context.value(op, 2);
  if (!x || !dim || !index) return false;
  Shape shape = context.program()[*x].shape;
  const int64_t at = *dim < 0 ? *dim + static_cast<int64_t>(shape.size()) : *dim;
  if (at < 0 || at >= static_cast<int64_t>(shape.size()) || context.program()[*index].shape.size() != 1)
    return false;
  Shape lifted(shape.size(), 1);
  const int64_t count = context.program()[*index].shape[0];
  lifted[static_cast<size_t>(at)] = shape[static_cast<size_t>(at)] = count;
  const auto view = with_list(context, "reshape", *index, "shape", std::move(lifted));
  const auto wide = view ? with_list(context, "expand", *view, "shape", std::move(shape)) : std::nullopt;
  if (!wide) return false;
  Attrs attrs;
  attrs.set("dim", *dim);
  return finish(context, op, context.apply("gather", {*x, *wide}, std::move(attrs)));
}

constexpr AtenImport kGatherAten[] = {{"aten.gather.default", import_gather},
                                      {"aten.index_select.default", import_index_select}};
// torch: x[index], one tensor of integers for the first dimension; negative ones count from its end.
bool import_index(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto indices = context.values(op, 1);
  if (!x || !indices || indices->size() != 1) return false;
  const ValueId index = indices->front();
  const Shape& shape = context.program()[*x].shape;
  if (shape.size() != 2 || context.program()[index].dtype == DType::boolean) return false;
  const ValueId rows = context.literal(static_cast<double>(shape[0]), true);
  const auto from_end = context.apply("add", {index, rows});
  const auto negative = context.apply("lt", {index, context.literal(0, true)});
  if (!from_end || !negative) return false;
  const auto place = context.apply("where", {*negative, *from_end, index});
  return place && finish(context, op, context.apply("embedding", {*x, *place}));
}

constexpr AtenImport kEmbeddingAten[] = {{"aten.embedding.default", import_embedding},
                                         {"aten.index.Tensor", import_index}};

constexpr std::string_view kGatherExamples[] = {
    "target sm_90a\ninput x: f32[64, 128]\ninput i: i64[64, 1]\ny = gather(x, maximum(i, 0), dim=1) >> "
    "neg()\nreturn y\n",
    "target sm_90a\ninput x: f16[64, 128]\nr = arange(8)\nv = expand(unsqueeze(r, 1), [8, 128])\ny = "
    "gather(x, v, "
    "0)\nreturn y\n"};
constexpr std::string_view kEmbeddingExamples[] = {
    "target sm_90a\nparam W: f32[100, 64]\ninput i: i64[2, 8]\ny = embedding(W, maximum(i, 0))\nreturn y\n",
    "target sm_90a\nparam W: f16[100, 64]\ninput p: f16[16, 64]\ny = embedding(W, arange(16)) >> "
    "add(p)\nreturn "
    "y\n"};

constexpr OpSpec kRows[] = {
    {.name = "gather",
     .summary = "x at an index along one dimension, element by element",
     .family = "data",
     .place = Place::step,
     .params = kGatherParams,
     .infer = infer_gather,
     .reference = reference_gather,
     .work = moves_only,
     .needs = needs_looked_up,
     .aten = kGatherAten,
     .examples = kGatherExamples},
    {.name = "embedding",
     .summary = "rows of W at an index",
     .family = "data",
     .place = Place::step,
     .params = kEmbeddingParams,
     .infer = infer_embedding,
     .reference = reference_embedding,
     .work = moves_only,
     .needs = needs_looked_up,
     .aten = kEmbeddingAten,
     .examples = kEmbeddingExamples},
};

}  // namespace

std::span<const OpSpec> lookup_rows() { return kRows; }

}  // namespace uc::ops
