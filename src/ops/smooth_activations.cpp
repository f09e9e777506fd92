// Smooth activations, each in the form that takes few special-function instructions
// (emit/templates/uc_math.cuh).
#include <array>

#include "ops/activation_row.h"

namespace uc::ops {
namespace {

constexpr double kHalfRoot = 0.70710678118654752440;      // sqrt(1/2)
constexpr double kTwoRootTwoOverPi = 1.5957691216057308;  // 2 sqrt(2/pi)
constexpr double kGeluCubic = 0.044715;

// PyTorch: nn.GELU. The tanh form by 1 + tanh(u) = 2 sigmoid(2u), which does not cancel for negative x.
NodeId gelu(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  const NodeId x = in[0];
  if (attrs.get_word("approximate", "none") == "tanh") {
    const NodeId cubic = b.add(b.constant(1.0), b.mul(b.constant(kGeluCubic), b.mul(x, x)));
    return b.mul(x, b.call("sigmoid", {b.mul(b.mul(b.constant(kTwoRootTwoOverPi), x), cubic)}));
  }
  const NodeId half = b.mul(b.constant(0.5), x);
  return b.mul(half, b.add(b.constant(1.0), b.call("erf", {b.mul(x, b.constant(kHalfRoot))})));
}
constexpr ParamSpec kGeluParams[] = {
    kX, {"approximate", ParamKind::word, "none", false, "none|tanh", "none: by erf"}};
bool import_gelu(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const std::string form = context.word(op, 1, "approximate").value_or("none");
  if (!x || (form != "none" && form != "tanh")) return false;
  Attrs attrs;
  if (form == "tanh") attrs.set("approximate", form);
  return finish(context, op, context.apply("gelu", {*x}, std::move(attrs)));
}
constexpr AtenImport kGeluAten[] = {{"aten.gelu.default", import_gelu}};
constexpr std::string_view kGeluExamples[] = {UC_STEP_EXAMPLE("gelu(x)"), UC_FUSED_EXAMPLE("gelu(tanh)")};

NodeId silu(ScalarBuilder& b, Nodes in, const Attrs&) { return b.mul(in[0], b.call("sigmoid", {in[0]})); }
constexpr AtenImport kSiluAten[] = {{"aten.silu.default", import_plain<"silu", 1>}};
constexpr std::string_view kSiluExamples[] = {UC_STEP_EXAMPLE("silu(x)"), UC_FUSED_EXAMPLE("silu()")};

// tanh(log(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2); from 20 on it is 1 to double precision.
NodeId mish(ScalarBuilder& b, Nodes in, const Attrs&) {
  const NodeId e = b.call("exp", {b.minimum(in[0], b.constant(20.0))});
  const NodeId n = b.mul(e, b.add(e, b.constant(2.0)));
  return b.mul(in[0], b.mul(n, b.call("rcp", {b.add(n, b.constant(2.0))})));
}
constexpr AtenImport kMishAten[] = {{"aten.mish.default", import_plain<"mish", 1>}};
constexpr std::string_view kMishExamples[] = {UC_STEP_EXAMPLE("mish(x)"), UC_FUSED_EXAMPLE("mish()")};

constexpr AtenImport kSigmoidAten[] = {{"aten.sigmoid.default", import_plain<"sigmoid", 1>}};
constexpr std::string_view kSigmoidExamples[] = {UC_STEP_EXAMPLE("sigmoid(x)"),
                                                 UC_FUSED_EXAMPLE("sigmoid()")};
constexpr AtenImport kTanhAten[] = {{"aten.tanh.default", import_plain<"tanh", 1>}};
constexpr std::string_view kTanhExamples[] = {UC_STEP_EXAMPLE("tanh(x)"), UC_FUSED_EXAMPLE("tanh()")};

// Above the threshold PyTorch returns x. From beta x = 20 on f32 cannot tell, so no comparison is spent on
// it.
NodeId softplus(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  const double beta = attrs.get_float("beta", 1.0);
  const double threshold = attrs.get_float("threshold", 20.0);
  const NodeId scaled = beta == 1.0 ? in[0] : b.mul(in[0], b.constant(beta));
  const NodeId log = b.call("log1p_exp", {scaled});
  const NodeId smooth = beta == 1.0 ? log : b.mul(log, b.constant(1.0 / beta));
  if (b.compute() == DType::f32 && threshold >= 20.0 && beta > 0.0) return smooth;
  return b.select(b.call("gt", {scaled, b.constant(threshold)}), in[0], smooth);
}
constexpr ParamSpec kSoftplusParams[] = {
    kX,
    {"beta", ParamKind::number, "1.0", false, {}, "sharpness"},
    {"threshold", ParamKind::number, "20.0", false, {}, "x itself where beta x exceeds it"}};
bool import_softplus(ImportContext& context, const GraphOp& op) {
  static constexpr Number kNumbers[] = {{1, "beta", "beta", 1.0}, {2, "threshold", "threshold", 20.0}};
  return import_numbers(context, op, "softplus", kNumbers);
}
constexpr AtenImport kSoftplusAten[] = {{"aten.softplus.default", import_softplus}};
constexpr std::string_view kSoftplusExamples[] = {UC_STEP_EXAMPLE("softplus(x)"),
                                                  UC_FUSED_EXAMPLE("softplus(beta=2)")};

NodeId logsigmoid(ScalarBuilder& b, Nodes in, const Attrs&) {
  return b.call("neg", {b.call("log1p_exp", {b.call("neg", {in[0]})})});
}
constexpr AtenImport kLogsigmoidAten[] = {
    {"aten.log_sigmoid.default", import_plain<"logsigmoid", 1>},
    {"aten.log_sigmoid_forward.default", import_plain<"logsigmoid", 1>}};
constexpr std::string_view kLogsigmoidExamples[] = {UC_STEP_EXAMPLE("logsigmoid(x)"),
                                                    UC_FUSED_EXAMPLE("logsigmoid()")};

NodeId softsign(ScalarBuilder& b, Nodes in, const Attrs&) {
  return b.div(in[0], b.add(b.constant(1.0), b.call("abs", {in[0]})));
}
constexpr AtenImport kSoftsignAten[] = {{"aten.softsign.default", import_plain<"softsign", 1>}};
constexpr std::string_view kSoftsignExamples[] = {UC_STEP_EXAMPLE("softsign(x)"),
                                                  UC_FUSED_EXAMPLE("softsign()")};

NodeId tanhshrink(ScalarBuilder& b, Nodes in, const Attrs&) { return b.sub(in[0], b.call("tanh", {in[0]})); }
constexpr AtenImport kTanhshrinkAten[] = {{"aten.tanhshrink.default", import_plain<"tanhshrink", 1>}};
constexpr std::string_view kTanhshrinkExamples[] = {UC_STEP_EXAMPLE("tanhshrink(x)"),
                                                    UC_FUSED_EXAMPLE("tanhshrink()")};

// ---- exponential linear units

// scale * (x where positive, alpha * expm1(x * inside) elsewhere)
NodeId exponential_unit(ScalarBuilder& b, NodeId x, double alpha, double scale, double inside) {
  const auto times = [&b](NodeId node, double factor) {
    return factor == 1.0 ? node : b.mul(node, b.constant(factor));
  };
  const NodeId negative = times(b.call("expm1", {times(x, inside)}), alpha * scale);
  return b.select(b.call("gt", {x, b.constant(0.0)}), times(x, scale), negative);
}

constexpr ParamSpec kAlphaParams[] = {
    kX, {"alpha", ParamKind::number, "1.0", false, {}, "-alpha is the limit to the left"}};

NodeId elu(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  return exponential_unit(b, in[0], attrs.get_float("alpha", 1.0), 1.0, 1.0);
}
bool import_elu(ImportContext& context, const GraphOp& op) {
  static constexpr Number kAlpha[] = {{1, "alpha", "alpha", 1.0}};
  const bool plain = context.number(op, 2, "scale").value_or(1.0) == 1.0 &&
                     context.number(op, 3, "input_scale").value_or(1.0) == 1.0;
  return plain && import_numbers(context, op, "elu", kAlpha);
}
constexpr AtenImport kEluAten[] = {{"aten.elu.default", import_elu}};
constexpr std::string_view kEluExamples[] = {UC_STEP_EXAMPLE("elu(x)"), UC_FUSED_EXAMPLE("elu(alpha=0.5)")};

// Constants of torch.nn.SELU.
NodeId selu(ScalarBuilder& b, Nodes in, const Attrs&) {
  return exponential_unit(b, in[0], 1.6732632423543772848170429916717, 1.0507009873554804934193349852946,
                          1.0);
}
constexpr AtenImport kSeluAten[] = {{"aten.selu.default", import_plain<"selu", 1>}};
constexpr std::string_view kSeluExamples[] = {UC_STEP_EXAMPLE("selu(x)"), UC_FUSED_EXAMPLE("selu()")};

NodeId celu(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  const double alpha = attrs.get_float("alpha", 1.0);
  return exponential_unit(b, in[0], alpha, 1.0, 1.0 / alpha);
}
bool import_celu(ImportContext& context, const GraphOp& op) {
  static constexpr Number kAlpha[] = {{1, "alpha", "alpha", 1.0}};
  return import_numbers(context, op, "celu", kAlpha);
}
constexpr AtenImport kCeluAten[] = {{"aten.celu.default", import_celu}};
constexpr std::string_view kCeluExamples[] = {UC_STEP_EXAMPLE("celu(x)"), UC_FUSED_EXAMPLE("celu(2.0)")};

constexpr std::array kRows{
    row({"gelu", "x times the normal distribution function; approximate=tanh for PyTorch's other form", gelu,
         kGeluAten, kGeluExamples, kGeluParams}),
    row({"silu", "x sigmoid(x), also called swish", silu, kSiluAten, kSiluExamples}),
    row({"mish", "x tanh(softplus(x))", mish, kMishAten, kMishExamples}),
    row({"sigmoid", "1 / (1 + exp(-x))", primitive<"sigmoid">, kSigmoidAten, kSigmoidExamples}),
    row({"tanh", "hyperbolic tangent", primitive<"tanh">, kTanhAten, kTanhExamples}),
    row({"softplus", "log(1 + exp(beta x)) / beta", softplus, kSoftplusAten, kSoftplusExamples,
         kSoftplusParams}),
    row({"logsigmoid", "log(sigmoid(x))", logsigmoid, kLogsigmoidAten, kLogsigmoidExamples}),
    row({"softsign", "x / (1 + |x|)", softsign, kSoftsignAten, kSoftsignExamples}),
    row({"tanhshrink", "x - tanh(x)", tanhshrink, kTanhshrinkAten, kTanhshrinkExamples}),
    row({"elu", "x, alpha (exp(x) - 1) where negative", elu, kEluAten, kEluExamples, kAlphaParams}),
    row({"selu", "elu with the constants of self-normalising networks", selu, kSeluAten, kSeluExamples}),
    row({"celu", "x, alpha (exp(x / alpha) - 1) where negative", celu, kCeluAten, kCeluExamples,
         kAlphaParams}),
};

}  // namespace

std::span<const OpSpec> smooth_activations_rows() { return kRows; }

}  // namespace uc::ops
