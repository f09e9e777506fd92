// Constants: tensors that take no memory inside an expression, and what tells an element where it stands.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>

#include "catalog/diags_window.h"
#include "catalog/infer.h"
#include "catalog/scalar_builder.h"
#include "ops/view_row.h"

namespace uc::ops {
namespace {

using Nodes = std::span<const NodeId>;

constexpr int64_t kMostElements = int64_t{1} << 40;

// ---- zeros, ones, full

constexpr ParamSpec kExtents{"shape", ParamKind::integers, {}, true, {}, "extents"};
constexpr ParamSpec kFloatType{"dtype", ParamKind::dtype, "f32", false, {}, "type of the elements"};
constexpr ParamSpec kFilledParams[] = {kExtents, kFloatType};
constexpr ParamSpec kFullParams[] = {
    kExtents, {"value", ParamKind::number, {}, true, {}, "of every element"}, kFloatType};

DType type_of(const Attrs& attrs, DType otherwise) {
  const AttrValue* type = attrs.find("dtype");
  return type == nullptr ? otherwise : std::get<DType>(*type);
}

bool infer_filled(InferContext& context) {
  const Shape shape = list(context.op().attrs, "shape");
  const bool positive = std::ranges::all_of(shape, [](int64_t extent) { return extent >= 1; });
  if (!positive || shape.size() > 8 || numel(shape) > kMostElements) {
    context.error(kinds::constant_extent, fmt::format("`{}` of {}", context.op().spec->name, to_text(shape)))
        .help = "at most 8 dimensions, each at least 1, and 2^40 elements in all";
    return false;
  }
  context.result(type_of(context.op().attrs, DType::f32), shape);
  return true;
}

template <int Value>
NodeId filled(ScalarBuilder& b, Nodes, const Attrs&) {
  return b.constant(Value);
}

NodeId full(ScalarBuilder& b, Nodes, const Attrs& attrs) {
  const double value = attrs.get_float("value", 0);
  const bool truth = type_of(attrs, DType::f32) == DType::boolean;
  return b.constant(truth ? static_cast<double>(value != 0) : value);
}

// ---- arange

constexpr ParamSpec kArangeParams[] = {
    {"end", ParamKind::number, {}, true, {}, "where it stops; not an element"},
    {"start", ParamKind::number, "0", false, {}, "the first element"},
    {"step", ParamKind::number, "1", false, {}, "from one element to the next"},
    {"dtype", ParamKind::dtype, {}, false, {}, "i64, or f32 when a number has a point"}};

bool infer_arange(InferContext& context) {
  const Attrs& attrs = context.op().attrs;
  const double start = attrs.get_float("start", 0);
  const double step = attrs.get_float("step", 1);
  const double count = std::ceil((attrs.get_float("end", 0) - start) / step);
  if (!(count >= 1) || count > static_cast<double>(kMostElements)) {
    context
        .error(kinds::constant_extent,
               fmt::format("`arange` from {} to {} by {} has no elements, or too many", start,
                           attrs.get_float("end", 0), step))
        .help = "`arange(8)` is 0 to 7; `arange(8, start=2, step=2)` is 2, 4, 6";
    return false;
  }
  const bool point = std::ranges::any_of(
      attrs.entries(), [](const auto& entry) { return std::holds_alternative<double>(entry.second); });
  context.result(type_of(attrs, point ? DType::f32 : DType::i64), {static_cast<int64_t>(count)});
  return true;
}

NodeId arange(ScalarBuilder& b, Nodes, const Attrs& attrs) {
  const NodeId steps = b.mul(b.coordinate(-1), b.constant(attrs.get_float("step", 1)));
  return b.add(b.constant(attrs.get_float("start", 0)), steps);
}

// ---- import

std::optional<ValueId> fill(ImportContext& context, std::string_view name, Dims shape, DType type,
                            std::optional<double> value) {
  Attrs attrs;
  attrs.set("shape", std::move(shape));
  if (value) attrs.set("value", *value);
  attrs.set("dtype", type);
  return context.apply(name, {}, std::move(attrs));
}

// torch: zeros(size), ones(size).
template <Word Name>
bool import_filled(ImportContext& context, const GraphOp& op) {
  auto shape = context.integers(op, 0, "size");
  const DType type = context.dtype(op, 1, "dtype").value_or(DType::f32);
  return shape && finish(context, op, fill(context, Name.view(), std::move(*shape), type, {}));
}

// torch: zeros_like(x), and new_zeros(x, size): the type of x unless said.
template <Word Name, bool Sized>
bool import_like(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  Dims shape = context.program()[*x].shape;
  if (Sized) {
    auto size = context.integers(op, 1, "size");
    if (!size) return false;
    shape = std::move(*size);
  }
  const DType type = context.dtype(op, Sized ? 2 : 1, "dtype").value_or(context.program()[*x].dtype);
  return finish(context, op, fill(context, Name.view(), std::move(shape), type, {}));
}

bool import_full(ImportContext& context, const GraphOp& op) {
  auto shape = context.integers(op, 0, "size");
  const auto value = context.number(op, 1, "fill_value");
  const DType type = context.dtype(op, 2, "dtype").value_or(DType::f32);
  return shape && value && finish(context, op, fill(context, "full", std::move(*shape), type, value));
}

template <bool Sized>
bool import_full_like(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto value = context.number(op, Sized ? 2 : 1, "fill_value");
  if (!x || !value) return false;
  Dims shape = context.program()[*x].shape;
  if (Sized) {
    auto size = context.integers(op, 1, "size");
    if (!size) return false;
    shape = std::move(*size);
  }
  const DType type = context.dtype(op, Sized ? 3 : 2, "dtype").value_or(context.program()[*x].dtype);
  return finish(context, op, fill(context, "full", std::move(shape), type, value));
}

template <size_t EndAt>
bool import_arange(ImportContext& context, const GraphOp& op) {
  Attrs attrs;
  const auto number = [&](std::string_view key, size_t index) {
    const auto whole = context.integer(op, index, key);
    const auto value = context.number(op, index, key);
    if (whole) {
      attrs.set(key, *whole);
    } else if (value) {
      attrs.set(key, *value);
    }
    return value.has_value();
  };
  if (!number("end", EndAt)) return false;
  if (EndAt > 0) number("start", 0);
  if (EndAt > 0) number("step", 2);
  if (const auto type = context.dtype(op, 9, "dtype")) attrs.set("dtype", *type);
  return finish(context, op, context.apply("arange", {}, std::move(attrs)));
}

constexpr AtenImport kZerosAten[] = {{"aten.zeros.default", import_filled<"zeros">},
                                     {"aten.zeros_like.default", import_like<"zeros", false>},
                                     {"aten.new_zeros.default", import_like<"zeros", true>}};
constexpr AtenImport kOnesAten[] = {{"aten.ones.default", import_filled<"ones">},
                                    {"aten.ones_like.default", import_like<"ones", false>},
                                    {"aten.new_ones.default", import_like<"ones", true>}};
constexpr AtenImport kFullAten[] = {{"aten.full.default", import_full},
                                    {"aten.full_like.default", import_full_like<false>},
                                    {"aten.new_full.default", import_full_like<true>}};
constexpr AtenImport kArangeAten[] = {{"aten.arange.default", import_arange<0>},
                                      {"aten.arange.start", import_arange<1>},
                                      {"aten.arange.start_step", import_arange<1>}};

constexpr std::string_view kZerosExamples[] = {UC_STEP_EXAMPLE("maximum(x, zeros([128]))"),
                                               "target sm_90a\nz = zeros([4, 8], f16)\nreturn z\n"};
constexpr std::string_view kOnesExamples[] = {UC_STEP_EXAMPLE("ones([128]) - x"),
                                              "target sm_90a\nz = ones([4, 8], i32)\nreturn z\n"};
constexpr std::string_view kFullExamples[] = {UC_STEP_EXAMPLE("minimum(x, full([1, 128], 6.0))"),
                                              "target sm_90a\nz = full([4, 8], -3, i64)\nreturn z\n"};
constexpr std::string_view kArangeExamples[] = {UC_STEP_EXAMPLE("x * arange(128)"),
                                                "target sm_90a\nz = arange(1.0, step=0.25)\nreturn z\n"};

constexpr OpSpec kRows[] = {
    {.name = "zeros",
     .summary = "a tensor of zeros",
     .family = "constant",
     .params = kFilledParams,
     .infer = infer_filled,
     .scalar = filled<0>,
     .aten = kZerosAten,
     .examples = kZerosExamples,
     .result_type = OpSpec::ResultType::attr_dtype},
    {.name = "ones",
     .summary = "a tensor of ones",
     .family = "constant",
     .params = kFilledParams,
     .infer = infer_filled,
     .scalar = filled<1>,
     .aten = kOnesAten,
     .examples = kOnesExamples,
     .result_type = OpSpec::ResultType::attr_dtype},
    {.name = "full",
     .summary = "a tensor of one number",
     .family = "constant",
     .params = kFullParams,
     .infer = infer_filled,
     .scalar = full,
     .aten = kFullAten,
     .examples = kFullExamples,
     .result_type = OpSpec::ResultType::attr_dtype},
    {.name = "arange",
     .summary = "numbers from start to end, end left out, as a tensor of one dimension",
     .family = "constant",
     .params = kArangeParams,
     .infer = infer_arange,
     .scalar = arange,
     .aten = kArangeAten,
     .examples = kArangeExamples,
     .result_type = OpSpec::ResultType::attr_dtype},
};

}  // namespace

std::span<const OpSpec> constants_rows() { return kRows; }

}  // namespace uc::ops
