// Views of several parts: split and unbind give a name to each.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags_window.h"
#include "catalog/infer.h"
#include "ir/graph.h"
#include "ops/view_row.h"

namespace uc::ops {
namespace {

constexpr ParamSpec kDim{"dim", ParamKind::integer, "0", false, {}, "the dimension to cut"};
constexpr ParamSpec kSplitParams[] = {
    kX,
    {"sizes", ParamKind::integers, {}, true, {}, "extents of the parts, or one for all but the last"},
    kDim};
constexpr ParamSpec kUnbindParams[] = {kX, kDim};

// The extents of the parts: as given, or of one length but for the last.
std::optional<Dims> parts(const Dims& sizes, int64_t extent) {
  if (sizes.empty() || std::ranges::any_of(sizes, [](int64_t size) { return size < 1; })) return std::nullopt;
  if (sizes.size() > 1) {
    int64_t left = extent;
    for (const int64_t size : sizes) {
      if (size > left) return std::nullopt;
      left -= size;
    }
    return left == 0 ? std::optional(sizes) : std::nullopt;
  }
  constexpr int64_t kMost = 4096;
  if ((extent - 1) / sizes[0] >= kMost) return std::nullopt;
  Dims out;
  for (int64_t at = 0; at < extent; at += sizes[0]) out.push_back(std::min(sizes[0], extent - at));
  return out;
}

bool infer_split(InferContext& context) {
  const Value& x = context.in(0);
  const auto dim = dimension(context, context.op().attrs.get_int("dim", 0), x.shape.size());
  if (!dim) return false;
  const Dims sizes = list(context.op().attrs, "sizes");
  const auto extents = parts(sizes, x.shape[*dim]);
  if (!extents) {
    context
        .error(kinds::split_sizes,
               fmt::format("{} into parts of {} along dimension {}", describe(x), to_text(sizes), *dim))
        .help = fmt::format("parts that add up to {}, or one size for all of them", x.shape[*dim]);
    return false;
  }
  int64_t at = 0;
  for (const int64_t extent : *extents) {
    cut(context, *dim, {at, extent, 1});
    at += extent;
  }
  return true;
}

bool infer_unbind(InferContext& context) {
  const Value& x = context.in(0);
  const auto dim = dimension(context, context.op().attrs.get_int("dim", 0), x.shape.size());
  if (!dim) return false;
  constexpr int64_t kMost = 4096;
  if (x.shape[*dim] > kMost) {
    context
        .error(kinds::split_sizes,
               fmt::format("dimension {} of {} into {} tensors", *dim, describe(x), x.shape[*dim]))
        .help = fmt::format("at most {} results", kMost);
    return false;
  }
  Shape shape = x.shape;
  Strides stride = x.stride;
  const auto drop = static_cast<int64_t>(*dim);
  shape.erase(shape.begin() + drop);
  stride.erase(stride.begin() + drop);
  for (int64_t i = 0; i < x.shape[*dim]; ++i) context.view(0, shape, stride, x.offset + i * x.stride[*dim]);
  return true;
}

// ---- import

bool finish_all(ImportContext& context, const GraphOp& op, const std::vector<ValueId>& values) {
  if (values.size() != op.out.size()) return false;
  for (size_t i = 0; i < values.size(); ++i) context.result(op, i, values[i]);
  return true;
}

// torch: split(x, size, dim), split_with_sizes(x, sizes, dim).
bool import_split(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  auto sizes = context.integers(op, 1, "split_size");
  if (!sizes) sizes = context.integers(op, 1, "split_sizes");
  if (!x || !sizes) return false;
  Attrs attrs;
  attrs.set("sizes", std::move(*sizes));
  if (const int64_t dim = context.integer(op, 2, "dim").value_or(0); dim != 0) attrs.set("dim", dim);
  return finish_all(context, op, context.apply_all("split", {*x}, std::move(attrs)));
}

// torch: chunk(x, chunks, dim): parts of one size but for the last, at most so many.
bool import_chunk(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const int64_t chunks = context.integer(op, 1, "chunks").value_or(0);
  const int64_t dim = context.integer(op, 2, "dim").value_or(0);
  const auto rank = x ? static_cast<int64_t>(context.program()[*x].shape.size()) : 0;
  if (!x || chunks < 1 || dim < -rank || dim >= rank) return false;
  const int64_t extent = context.program()[*x].shape[static_cast<size_t>(dim < 0 ? dim + rank : dim)];
  Attrs attrs;
  attrs.set("sizes", Dims{(extent + chunks - 1) / chunks});
  if (dim != 0) attrs.set("dim", dim);
  return finish_all(context, op, context.apply_all("split", {*x}, std::move(attrs)));
}

bool import_unbind(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  Attrs attrs;
  if (const int64_t dim = context.integer(op, 1, "dim").value_or(0); dim != 0) attrs.set("dim", dim);
  return finish_all(context, op, context.apply_all("unbind", {*x}, std::move(attrs)));
}

constexpr AtenImport kSplitAten[] = {{"aten.split.Tensor", import_split},
                                     {"aten.split.sizes", import_split},
                                     {"aten.split_with_sizes.default", import_split},
                                     {"aten.chunk.default", import_chunk}};
constexpr AtenImport kUnbindAten[] = {{"aten.unbind.int", import_unbind}};

constexpr std::string_view kSplitExamples[] = {
    UC_VIEW_EXAMPLE("u, v = split(x, 32)"),
    "target sm_90a\ninput x: f32[64, 128]\nq, k, v = split(x, [64, 32, 32], dim=-1)\ny = relu(q)\nz = k * "
    "v\nreturn y, z\n"};
constexpr std::string_view kUnbindExamples[] = {
    "target sm_90a\ninput x: f32[3, 64, 128]\nq, k, v = unbind(x)\ny = q * k + v\nreturn y\n",
    "target sm_90a\ninput x: f32[64, 2, 128]\na, b = unbind(x, dim=1)\ny = a - b\nreturn y\n"};

constexpr OpSpec kRows[] = {
    {.name = "split",
     .summary = "consecutive parts of one dimension, a name each",
     .family = "view",
     .place = Place::view,
     .params = kSplitParams,
     .infer = infer_split,
     .aten = kSplitAten,
     .examples = kSplitExamples},
    {.name = "unbind",
     .summary = "one tensor for each index of a dimension, which is dropped",
     .family = "view",
     .place = Place::view,
     .params = kUnbindParams,
     .infer = infer_unbind,
     .aten = kUnbindAten,
     .examples = kUnbindExamples},
};

}  // namespace

std::span<const OpSpec> parts_rows() { return kRows; }

}  // namespace uc::ops
