// Comparisons, and what takes conditions or bounds: where, clamp.
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "catalog/scalar_builder.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

using Nodes = std::span<const NodeId>;
using ResultType = OpSpec::ResultType;

constexpr ParamSpec kBinary[] = {
    kX, {"other", ParamKind::tensor, {}, true, {}, "a tensor or number that broadcasts"}};

template <Word Name>
NodeId compare(ScalarBuilder& b, Nodes in, const Attrs&) {
  return b.call(Name.view(), {in[0], in[1]});
}

template <Word Name>
constexpr OpSpec comparison(std::string_view infix, std::string_view summary,
                            std::span<const AtenImport> aten, std::span<const std::string_view> examples) {
  OpSpec row;
  row.name = Name.view();
  row.summary = summary;
  row.family = "pointwise";
  row.params = kBinary;
  row.infix = infix;
  row.scalar = compare<Name>;
  row.aten = aten;
  row.examples = examples;
  row.result_type = ResultType::boolean;
  return row;
}

// ---- where

constexpr ParamSpec kWhereParams[] = {
    {"condition", ParamKind::tensor, {}, true, {}, "bool"},
    {"x", ParamKind::tensor, {}, true, {}, "taken where the condition holds"},
    {"other", ParamKind::tensor, {}, true, {}, "taken elsewhere"}};

bool infer_where(InferContext& context) {
  if (context.in(0).dtype != DType::boolean) {
    context
        .error(kinds::boolean_operand,
               fmt::format("the condition of `where` is {}", name(context.in(0).dtype)))
        .help = fmt::format("compare it: `where({} != 0, ...)`",
                            context.in(0).name.empty() ? "v" : context.in(0).name);
    return false;
  }
  return infer_pointwise(context);
}

// torch: masked_fill(x, mask, value).
bool import_masked_fill(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto mask = context.value(op, 1);
  const auto fill = context.value(op, 2);
  return x && mask && fill && finish(context, op, context.apply("where", {*mask, *fill, *x}));
}

// torch: ~x of bool, logical_not(x) of anything.
template <bool BoolOnly>
bool import_not(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x || (BoolOnly && context.program()[*x].dtype != DType::boolean)) return false;
  return finish(context, op, context.apply("eq", {*x, context.literal(0, true)}));
}

// ---- clamp

constexpr ParamSpec kClampParams[] = {kX,
                                      {"min", ParamKind::number, {}, false, {}, "lower bound"},
                                      {"max", ParamKind::number, {}, false, {}, "upper bound"}};

// A bound written with a point makes f32 of integers, as PyTorch's promotion does.
bool infer_clamp(InferContext& context) {
  const AttrValue* low = context.op().attrs.find("min");
  const AttrValue* high = context.op().attrs.find("max");
  if (low == nullptr && high == nullptr) {
    context.error(kinds::clamp_bounds, "`clamp` without bounds").help =
        "`clamp(0, 6)`, `clamp(min=0)` or `clamp(max=6)`";
    return false;
  }
  const auto real = [](const AttrValue* bound) {
    return bound != nullptr && std::holds_alternative<double>(*bound);
  };
  const Value& x = context.in(0);
  const DType widened = x.dtype == DType::boolean ? DType::i64 : x.dtype;
  const DType type = is_floating(x.dtype) || !(real(low) || real(high)) ? widened : DType::f32;
  context.result(type, x.shape, dense_like(x.shape, x.stride));
  return true;
}

// torch: min first, then max, so max wins when they cross.
NodeId clamp(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  NodeId y = in[0];
  if (attrs.has("min")) y = b.maximum(y, b.constant(attrs.get_float("min", 0.0)));
  if (attrs.has("max")) y = b.minimum(y, b.constant(attrs.get_float("max", 0.0)));
  return y;
}

bool import_clamp(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  Attrs attrs;
  const auto bound = [&](size_t index, std::string_view key) {
    if (const auto whole = context.integer(op, index, key)) {
      attrs.set(key, *whole);
    } else if (const auto real = context.number(op, index, key)) {
      attrs.set(key, *real);
    }
  };
  bound(1, "min");
  bound(2, "max");
  return finish(context, op, context.apply("clamp", {*x}, std::move(attrs)));
}

// torch: clamp with tensors for bounds.
bool import_clamp_tensor(ImportContext& context, const GraphOp& op) {
  auto y = context.value(op, 0);
  const auto low = context.value(op, 1);
  const auto high = context.value(op, 2);
  if (y && low) y = context.apply("maximum", {*y, *low});
  if (y && high) y = context.apply("minimum", {*y, *high});
  return (low || high) && finish(context, op, y);
}

constexpr AtenImport kLt[] = {{"aten.lt.Scalar", import_plain<"lt", 2>},
                              {"aten.lt.Tensor", import_plain<"lt", 2>}};
constexpr AtenImport kLe[] = {{"aten.le.Scalar", import_plain<"le", 2>},
                              {"aten.le.Tensor", import_plain<"le", 2>}};
constexpr AtenImport kGt[] = {{"aten.gt.Scalar", import_plain<"gt", 2>},
                              {"aten.gt.Tensor", import_plain<"gt", 2>}};
constexpr AtenImport kGe[] = {{"aten.ge.Scalar", import_plain<"ge", 2>},
                              {"aten.ge.Tensor", import_plain<"ge", 2>}};
constexpr AtenImport kEq[] = {{"aten.eq.Scalar", import_plain<"eq", 2>},
                              {"aten.eq.Tensor", import_plain<"eq", 2>},
                              {"aten.bitwise_not.default", import_not<true>},
                              {"aten.logical_not.default", import_not<false>}};
constexpr AtenImport kNe[] = {{"aten.ne.Scalar", import_plain<"ne", 2>},
                              {"aten.ne.Tensor", import_plain<"ne", 2>}};
constexpr AtenImport kWhere[] = {
    {"aten.where.self", import_plain<"where", 3>},       {"aten.where.ScalarOther", import_plain<"where", 3>},
    {"aten.where.ScalarSelf", import_plain<"where", 3>}, {"aten.where.Scalar", import_plain<"where", 3>},
    {"aten.masked_fill.Scalar", import_masked_fill},     {"aten.masked_fill.Tensor", import_masked_fill}};
constexpr AtenImport kClamp[] = {{"aten.clamp.default", import_clamp},
                                 {"aten.clamp.Tensor", import_clamp_tensor}};

constexpr std::string_view kLtExamples[] = {UC_BINARY_EXAMPLE("x < z"),
                                            UC_FUSED_EXAMPLE("map(where(it < 0, it * 0.1, it))")};
constexpr std::string_view kLeExamples[] = {UC_BINARY_EXAMPLE("x <= z"),
                                            UC_FUSED_EXAMPLE("map(where(it <= 0, 0, it))")};
constexpr std::string_view kGtExamples[] = {UC_BINARY_EXAMPLE("x > z"),
                                            UC_FUSED_EXAMPLE("map(where(it > 1, 1, it))")};
constexpr std::string_view kGeExamples[] = {UC_BINARY_EXAMPLE("x >= z"),
                                            UC_FUSED_EXAMPLE("map(where(it >= 1, 1, it))")};
constexpr std::string_view kEqExamples[] = {UC_BINARY_EXAMPLE("x == z"),
                                            UC_FUSED_EXAMPLE("map(where(it == 0, 1, it))")};
constexpr std::string_view kNeExamples[] = {UC_BINARY_EXAMPLE("x != z"),
                                            UC_FUSED_EXAMPLE("map(where(it != 0, it, 1))")};
constexpr std::string_view kWhereExamples[] = {UC_BINARY_EXAMPLE("where(x > 0, x, z)"),
                                               UC_FUSED_EXAMPLE("map(where(it > 0, it, it * 0.01))")};
constexpr std::string_view kClampExamples[] = {UC_STEP_EXAMPLE("clamp(x, -1, 1)"),
                                               UC_FUSED_EXAMPLE("clamp(min=0)")};

constexpr OpSpec kRows[] = {
    comparison<"lt">("<", "x < other, as bool", kLt, kLtExamples),
    comparison<"le">("<=", "x <= other, as bool", kLe, kLeExamples),
    comparison<"gt">(">", "x > other, as bool", kGt, kGtExamples),
    comparison<"ge">(">=", "x >= other, as bool", kGe, kGeExamples),
    comparison<"eq">("==", "x == other, as bool", kEq, kEqExamples),
    comparison<"ne">("!=", "x != other, as bool", kNe, kNeExamples),
    {.name = "where",
     .summary = "x where the condition holds, other elsewhere",
     .family = "pointwise",
     .params = kWhereParams,
     .infer = infer_where,
     .scalar = [](ScalarBuilder& b, Nodes in, const Attrs&) { return b.select(in[0], in[1], in[2]); },
     .aten = kWhere,
     .examples = kWhereExamples},
    {.name = "clamp",
     .summary = "x held between min and max",
     .family = "pointwise",
     .params = kClampParams,
     .infer = infer_clamp,
     .scalar = clamp,
     .aten = kClamp,
     .examples = kClampExamples},
};

}  // namespace

std::span<const OpSpec> comparison_rows() { return kRows; }

}  // namespace uc::ops
