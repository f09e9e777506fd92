// Arithmetic of one and two operands; the infix forms of expressions.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
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

// torch: x +- alpha * other.
template <Word Name>
bool import_scaled(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  auto other = context.value(op, 1);
  if (!x || !other) return false;
  const double alpha = context.number(op, 2, "alpha").value_or(1.0);
  if (alpha != 1.0) {
    const auto factor = context.literal(alpha, alpha == std::floor(alpha));
    other = context.apply("mul", {*other, factor});
    if (!other) return false;
  }
  return finish(context, op, context.apply(Name.view(), {*x, *other}));
}

// torch: alpha == 1 only; other - x.
bool import_rsub(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto other = context.value(op, 1);
  if (!x || !other || context.number(op, 2, "alpha").value_or(1.0) != 1.0) return false;
  return finish(context, op, context.apply("sub", {*other, *x}));
}

// bool has no difference and no negative, as in PyTorch.
bool infer_not_bool(InferContext& context) {
  bool all = true;
  for (size_t i = 0; i < context.count(); ++i) all = all && context.in(i).dtype == DType::boolean;
  if (!all) return infer_pointwise(context);
  context.error(kinds::boolean_operand, fmt::format("`{}` of bool", context.op().spec->name)).help =
      "`!=` compares conditions; `to(x, f32)` makes numbers of them";
  return false;
}

bool infer_pow(InferContext& context) {
  const Value& exponent = context.in(1);
  if (!is_floating(pointwise_type(context)) && exponent.kind == ValueKind::literal && exponent.literal < 0) {
    context.error(kinds::integer_power, fmt::format("an integer to the power {}", exponent.literal)).help =
        "make it floating first: `to(x, f32)`, or write `1.0 / x`";
    return false;
  }
  return infer_pointwise(context);
}

// Division by a constant is multiplication by its reciprocal in f32 (half an ulp more error, five times
// cheaper).
NodeId divide(ScalarBuilder& b, Nodes in, const Attrs&) {
  const auto divisor = b.constant_value(in[1]);
  if (b.compute() != DType::f32 || !divisor) return b.div(in[0], in[1]);
  const double inverse = 1.0 / *divisor;
  constexpr double kMost = 1e30;  // both stay normal numbers of f32
  const bool safe = std::abs(*divisor) < kMost && std::abs(inverse) < kMost;
  return safe ? b.mul(in[0], b.constant(inverse)) : b.div(in[0], in[1]);
}

// The exponents that have a shorter form (PyTorch's list, and 1, 4).
NodeId power(ScalarBuilder& b, Nodes in, const Attrs&) {
  const NodeId x = in[0];
  const double exponent = b.constant_value(in[1]).value_or(std::numeric_limits<double>::quiet_NaN());
  if (exponent == 1.0) return x;
  if (exponent == 2.0) return b.mul(x, x);
  if (exponent == 3.0) return b.mul(b.mul(x, x), x);
  if (exponent == 4.0) return b.mul(b.mul(x, x), b.mul(x, x));
  if (b.compute() == DType::i64) return b.call("pow", {x, in[1]});
  if (exponent == 0.5) return b.call("sqrt", {x});
  if (exponent == -0.5) return b.call("rsqrt", {x});
  if (exponent == -1.0) return b.div(b.constant(1.0), x);
  if (exponent == -2.0) return b.div(b.constant(1.0), b.mul(x, x));
  return b.call("pow", {x, in[1]});
}

constexpr AtenImport kAddAten[] = {{"aten.add.Tensor", import_scaled<"add">},
                                   {"aten.add.Scalar", import_scaled<"add">}};
constexpr std::string_view kAddExamples[] = {UC_BINARY_EXAMPLE("x + z"), UC_FUSED_EXAMPLE("add(1.5)")};
constexpr AtenImport kSubAten[] = {{"aten.sub.Tensor", import_scaled<"sub">},
                                   {"aten.sub.Scalar", import_scaled<"sub">},
                                   {"aten.rsub.Scalar", import_rsub},
                                   {"aten.rsub.Tensor", import_rsub}};
constexpr std::string_view kSubExamples[] = {UC_BINARY_EXAMPLE("x - z"), UC_FUSED_EXAMPLE("sub(0.5)")};
constexpr AtenImport kMulAten[] = {{"aten.mul.Tensor", import_plain<"mul", 2>},
                                   {"aten.mul.Scalar", import_plain<"mul", 2>},
                                   {"aten.multiply.Tensor", import_plain<"mul", 2>}};
constexpr std::string_view kMulExamples[] = {UC_BINARY_EXAMPLE("x * z"), UC_FUSED_EXAMPLE("mul(0.1)")};
constexpr AtenImport kDivAten[] = {{"aten.div.Tensor", import_plain<"div", 2>},
                                   {"aten.div.Scalar", import_plain<"div", 2>},
                                   {"aten.true_divide.Tensor", import_plain<"div", 2>},
                                   {"aten.divide.Tensor", import_plain<"div", 2>}};
constexpr std::string_view kDivExamples[] = {UC_BINARY_EXAMPLE("x / (z * z + 1)"),
                                             UC_FUSED_EXAMPLE("div(10)")};
constexpr AtenImport kNegAten[] = {{"aten.neg.default", import_plain<"neg", 1>}};
constexpr std::string_view kNegExamples[] = {UC_STEP_EXAMPLE("-x"), UC_FUSED_EXAMPLE("neg()")};
constexpr AtenImport kPowAten[] = {{"aten.pow.Tensor_Scalar", import_plain<"pow", 2>},
                                   {"aten.pow.Tensor_Tensor", import_plain<"pow", 2>},
                                   {"aten.pow.Scalar", import_plain<"pow", 2>}};
constexpr std::string_view kPowExamples[] = {UC_STEP_EXAMPLE("x ** 3"), UC_FUSED_EXAMPLE("pow(2)")};
constexpr AtenImport kMinimumAten[] = {{"aten.minimum.default", import_plain<"minimum", 2>},
                                       {"aten.clamp_max.default", import_plain<"minimum", 2>},
                                       {"aten.clamp_max.Tensor", import_plain<"minimum", 2>},
                                       {"aten.min.other", import_plain<"minimum", 2>}};
constexpr std::string_view kMinimumExamples[] = {UC_BINARY_EXAMPLE("minimum(x, z)"),
                                                 UC_FUSED_EXAMPLE("minimum(6)")};
constexpr AtenImport kMaximumAten[] = {{"aten.maximum.default", import_plain<"maximum", 2>},
                                       {"aten.clamp_min.default", import_plain<"maximum", 2>},
                                       {"aten.clamp_min.Tensor", import_plain<"maximum", 2>},
                                       {"aten.max.other", import_plain<"maximum", 2>}};
constexpr std::string_view kMaximumExamples[] = {UC_BINARY_EXAMPLE("maximum(x, z)"),
                                                 UC_FUSED_EXAMPLE("maximum(0)")};

constexpr OpSpec kRows[] = {
    {.name = "add",
     .summary = "x + other",
     .family = "pointwise",
     .params = kBinary,
     .infix = "+",
     .scalar = [](ScalarBuilder& b, Nodes in, const Attrs&) { return b.add(in[0], in[1]); },
     .aten = kAddAten,
     .examples = kAddExamples},
    {.name = "sub",
     .summary = "x - other",
     .family = "pointwise",
     .params = kBinary,
     .infix = "-",
     .infer = infer_not_bool,
     .scalar = [](ScalarBuilder& b, Nodes in, const Attrs&) { return b.sub(in[0], in[1]); },
     .aten = kSubAten,
     .examples = kSubExamples},
    {.name = "mul",
     .summary = "x * other",
     .family = "pointwise",
     .params = kBinary,
     .infix = "*",
     .along_columns = true,
     .scalar = [](ScalarBuilder& b, Nodes in, const Attrs&) { return b.mul(in[0], in[1]); },
     .aten = kMulAten,
     .examples = kMulExamples},
    {.name = "div",
     .summary = "x / other; of integers f32",
     .family = "pointwise",
     .params = kBinary,
     .infix = "/",
     .scalar = divide,
     .aten = kDivAten,
     .examples = kDivExamples,
     .result_type = ResultType::promoted_floating},
    {.name = "neg",
     .summary = "-x",
     .family = "pointwise",
     .params = kUnary,
     .infix = "-",
     .infer = infer_not_bool,
     .scalar = [](ScalarBuilder& b, Nodes in, const Attrs&) { return b.call("neg", {in[0]}); },
     .aten = kNegAten,
     .examples = kNegExamples},
    {.name = "pow",
     .summary = "x to the power other",
     .family = "pointwise",
     .params = kBinary,
     .infix = "**",
     .infer = infer_pow,
     .scalar = power,
     .aten = kPowAten,
     .examples = kPowExamples},
    {.name = "minimum",
     .summary = "the smaller of x and other; NaN when either is",
     .family = "pointwise",
     .params = kBinary,
     .scalar = [](ScalarBuilder& b, Nodes in, const Attrs&) { return b.minimum(in[0], in[1]); },
     .aten = kMinimumAten,
     .examples = kMinimumExamples},
    {.name = "maximum",
     .summary = "the larger of x and other; NaN when either is",
     .family = "pointwise",
     .params = kBinary,
     .scalar = [](ScalarBuilder& b, Nodes in, const Attrs&) { return b.maximum(in[0], in[1]); },
     .aten = kMaximumAten,
     .examples = kMaximumExamples},
};

}  // namespace

std::span<const OpSpec> arithmetic_rows() { return kRows; }

}  // namespace uc::ops
