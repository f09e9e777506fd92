// Conversion of type and layout, as steps and inside kernels.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "catalog/scalar_builder.h"
#include "catalog/scale.h"
#include "ir/layout.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

using Nodes = std::span<const NodeId>;
using ResultType = OpSpec::ResultType;

constexpr ParamSpec kDtype{"dtype", ParamKind::dtype, {}, false, {}, "type to round to"};
constexpr ParamSpec kLayout{
    "layout", ParamKind::layout, {}, false, {}, "row, col, nhwc, ...: strides, never the shape"};
constexpr ParamSpec kPitch{
    "pitch", ParamKind::integer, {}, false, {}, "pads the stride of rows to a multiple of so many elements"};
constexpr ParamSpec kChannels{"channels", ParamKind::integer,
                              {},         false,
                              {},         "channels last, each pixel's padded to a multiple of so many"};
constexpr ParamSpec kToParams[] = {
    {"x", ParamKind::tensors, {}, true, {}, "several are converted in one launch"},
    kDtype,
    kLayout,
    kPitch,
    kChannels,
    {"scale", ParamKind::tensor, {}, false, {}, "f8 alone: stores x / scale, which counts times scale"}};
constexpr ParamSpec kStoreParams[] = {kX, kDtype, kLayout, kPitch, kChannels};

std::optional<Strides> padded(InferContext& context, const Shape& shape, const Strides& dense,
                              int64_t multiple) {
  if (multiple < 1 || multiple > 4096 || shape.size() < 2 || dense != row_major(shape)) {
    context.error(kinds::pitch, fmt::format("pitch {} for a tensor of {}", multiple, to_text(shape))).help =
        "`to(x, f16, row, pitch=8)` for a tensor of rank 2 or more";
    return std::nullopt;
  }
  Shape wide = shape;
  wide.back() = (wide.back() + multiple - 1) / multiple * multiple;
  return row_major(wide);
}

// Channels (dimension 1) fastest; a pixel is `multiple` channels or a multiple of that apart from the next.
std::optional<Strides> padded_channels(InferContext& context, const Shape& shape, int64_t multiple) {
  const Attrs& attrs = context.op().attrs;
  const std::string layout = attrs.get_word("layout", "nhwc");
  const bool last = layout == "nwc" || layout == "nhwc" || layout == "ndhwc";
  if (multiple < 1 || multiple > 4096 || shape.size() < 3 || shape.size() > 5 || !last ||
      attrs.has("pitch")) {
    context.error(kinds::pitch, fmt::format("channels {} for a tensor of {}", multiple, to_text(shape)))
        .help = "`to(x, f16, channels=4)` for [N, C, W], [N, C, H, W] or [N, C, D, H, W]; channels come last";
    return std::nullopt;
  }
  Shape wide = shape;
  wide[1] = (wide[1] + multiple - 1) / multiple * multiple;
  return layout_strides(shape.size() == 3 ? "nwc" : shape.size() == 4 ? "nhwc" : "ndhwc", wide);
}

std::optional<Strides> strides_of(InferContext& context, const Value& x) {
  const Attrs& attrs = context.op().attrs;
  Strides strides = dense_like(x.shape, x.stride);
  if (attrs.has("layout")) {
    const std::string layout = attrs.get_word("layout", "row");
    const auto named = layout_strides(layout, x.shape);
    if (!named) {
      context.error(kinds::layout_rank, fmt::format("layout {} for a tensor of {}", layout, to_text(x.shape)))
          .help = "nwc takes rank 3, nhwc and nchw rank 4, ndhwc rank 5, col at least rank 2";
      return std::nullopt;
    }
    strides = *named;
  }
  if (attrs.has("channels")) return padded_channels(context, x.shape, attrs.get_int("channels", 1));
  return attrs.has("pitch") ? padded(context, x.shape, strides, attrs.get_int("pitch", 1))
                            : std::optional(strides);
}

bool is_f8(DType type) { return type == DType::f8e4m3 || type == DType::f8e5m2; }

bool check_scale(InferContext& context, const AttrValue* type, size_t at) {
  const Value& x = context.in(0);
  const Value& scale = context.in(at);
  if (context.count() != 2) {
    context.error(kinds::scale_shape, fmt::format("one scale for {} tensors", context.count() - 1)).help =
        "a step each: `y = to(x, f8e4m3, scale=s)`";
    return false;
  }
  if (type == nullptr || !is_f8(std::get<DType>(*type))) {
    context.error(kinds::scale_shape, "a scale for what is not stored as f8").help =
        "`to(x, f8e4m3, scale=s)`; for other types `to(x / s, f16)` and a product afterwards";
    return false;
  }
  if (scale.dtype == DType::f32 && scale_blocks(x.shape, scale.shape)) return true;
  auto& diag = context.error(kinds::scale_shape, fmt::format("{} {} as scale of {}", name(scale.dtype),
                                                             describe(scale), describe(x)));
  const bool vector = scale.shape.size() == 1 && x.shape.size() == 2 && scale.shape[0] == x.shape[0];
  diag.help = scale.dtype != DType::f32 ? "make it f32: `>> to(f32)`"
              : vector                  ? fmt::format("a factor a row: `scale=unsqueeze({}, 1)`",
                                     scale.name.empty() ? "s" : scale.name)
                       : "f32 of one element, or with an extent for each of x that divides it";
  return false;
}

bool infer_to(InferContext& context) {
  const AttrValue* type = context.op().attrs.find("dtype");
  const auto scale = operand(context.op(), "scale");
  if (scale && !check_scale(context, type, *scale)) return false;
  for (const size_t i : operands(context.op(), "x")) {
    const Value& x = context.in(i);
    auto strides = strides_of(context, x);
    if (!strides) return false;
    context.result(type == nullptr ? x.dtype : std::get<DType>(*type), x.shape, std::move(*strides));
    context.keep_structure(i);
    if (scale) context.scaled_by(*scale);
  }
  return true;
}

// x / scale where there is one, kept within what the type holds; what is not a number stays so.
NodeId round(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  const AttrValue* type = attrs.find("dtype");
  if (type == nullptr) return in[0];
  const DType to = std::get<DType>(*type);
  if (in.size() == 1) return b.cast(in[0], to);
  const double most = to == DType::f8e4m3 ? 448 : 57344;
  const NodeId quotient = b.div(in[0], in[1]);
  return b.cast(b.minimum(b.maximum(quotient, b.constant(-most)), b.constant(most)), to);
}

// The store rounds what it writes; the running value goes on as it is.
NodeId unchanged(ScalarBuilder&, Nodes in, const Attrs&) { return in[0]; }

// ---- import

bool convert(ImportContext& context, const GraphOp& op, std::optional<DType> type) {
  const auto x = context.value(op, 0);
  if (!x || !type) return false;
  if (context.program()[*x].dtype == *type) return finish(context, op, x);
  Attrs attrs;
  attrs.set("dtype", *type);
  return finish(context, op, context.apply("to", {*x}, std::move(attrs)));
}

// A copy of the same type, or a conversion: memory is the compiler's affair.
bool import_to_copy(ImportContext& context, const GraphOp& op) {
  const auto type = context.dtype(op, 1, "dtype");
  return type ? convert(context, op, type) : import_identity(context, op);
}

bool import_convert(ImportContext& context, const GraphOp& op) {
  return convert(context, op, context.dtype(op, 1, "dtype"));
}

bool import_type_as(ImportContext& context, const GraphOp& op) {
  const auto like = context.value(op, 1);
  return like && convert(context, op, context.program()[*like].dtype);
}

// torch: copy(self, src) is src as self's type and shape; what self held is gone.
bool import_copy(ImportContext& context, const GraphOp& op) {
  const auto self = context.value(op, 0);
  auto source = context.value(op, 1);
  if (!self || !source) return false;
  const Value into = context.program()[*self];
  if (context.program()[*source].dtype != into.dtype) {
    Attrs attrs;
    attrs.set("dtype", into.dtype);
    source = context.apply("to", {*source}, std::move(attrs));
  }
  if (source && context.program()[*source].shape != into.shape) {
    Attrs attrs;
    attrs.set("shape", into.shape);
    source = context.apply("expand", {*source}, std::move(attrs));
  }
  return finish(context, op, source);
}

// Random state stays a PyTorch call: only dropout that drops nothing is imported. For bounds the others are
// products with factors that are drawn: 0, or what keeps the mean.
bool import_dropout(ImportContext& context, const GraphOp& op) {
  const double rate = context.number(op, 1, "p").value_or(0.5);
  const bool train = context.integer(op, 2, "train").value_or(1) != 0;
  if (!train || rate == 0.0) return import_identity(context, op);
  const auto x = context.value(op, 0);
  if (!x || !context.bounds_only()) return false;
  Attrs attrs;
  attrs.set("shape", context.program()[*x].shape);
  attrs.set("dtype", context.program()[*x].dtype);
  attrs.set("low", 0.0);
  attrs.set("high", rate < 1 ? 1 / (1 - rate) : 0.0);
  const auto factors = context.apply("random", {}, std::move(attrs));
  return factors && finish(context, op, context.apply("mul", {*x, *factors}));
}

constexpr AtenImport kToAten[] = {
    {"aten._to_copy.default", import_to_copy},         {"aten.to.dtype", import_convert},
    {"aten.to.dtype_layout", import_to_copy},          {"prims.convert_element_type.default", import_convert},
    {"aten.type_as.default", import_type_as},          {"aten.clone.default", import_identity},
    {"aten.contiguous.default", import_identity},      {"aten.detach.default", import_identity},
    {"aten.detach_.default", import_identity},         {"aten.alias.default", import_identity},
    {"aten.lift_fresh_copy.default", import_identity}, {"aten._conj.default", import_identity},
    {"aten.dropout.default", import_dropout},          {"aten.copy.default", import_copy}};

constexpr std::string_view kToExamples[] = {
    "target sm_90a\nprecision f16\ninput x: f32[64, 128]\ninput z: f32[128, 256]\nxh, zh = to(x, z, f16)\ny "
    "= gemm(xh, zh) >> to(f32)\nreturn y\n",
    "target sm_90a\ninput x: f16[60, 100]\ninput s: f32[60, 1]\ny = to(x, f32, col)\nz = to(x, f16, row, "
    "pitch=8)\n"
    "q = to(x, f8e4m3, scale=s)\nr = to(q, f32)\nreturn y, z, r\n"};
constexpr std::string_view kStoreExamples[] = {
    "target sm_90a\ninput a: f16[128, 64]\ninput b: f16[64, 256]\nc, d = gemm(a, b) >> store(f32) >> relu() "
    ">> to(f16)\nreturn c, d\n",
    "target sm_90a\ninput x: f16[64, 128]\ns, y = sigmoid(x) >> store(f16) >> mul(x)\nreturn s, y\n"};

constexpr OpSpec kRows[] = {
    {.name = "to",
     .summary = "rounds to a type, or changes the layout; inside a chain it rounds, then goes on in f32",
     .family = "data",
     .params = kToParams,
     .scales = true,
     .infer = infer_to,
     .scalar = round,
     .aten = kToAten,
     .examples = kToExamples,
     .result_type = ResultType::attr_dtype},
    {.name = "store",
     .summary = "writes the running value as the next result on the left; the chain goes on unrounded",
     .family = "data",
     .place = Place::fused,
     .params = kStoreParams,
     .stores = true,
     .infer = infer_to,
     .scalar = unchanged,
     .examples = kStoreExamples,
     .result_type = ResultType::attr_dtype},
};

}  // namespace

std::span<const OpSpec> data_rows() { return kRows; }

}  // namespace uc::ops
