// Piecewise linear activations.
#include <array>

#include "ops/activation_row.h"

namespace uc::ops {
namespace {

NodeId bounded(ScalarBuilder& b, NodeId x, double low, double high) {
  return b.minimum(b.maximum(x, b.constant(low)), b.constant(high));
}

NodeId relu(ScalarBuilder& b, Nodes in, const Attrs&) { return b.maximum(in[0], b.constant(0.0)); }
constexpr AtenImport kReluAten[] = {{"aten.relu.default", import_plain<"relu", 1>}};
constexpr std::string_view kReluExamples[] = {UC_STEP_EXAMPLE("relu(x)"), UC_FUSED_EXAMPLE("relu()")};

NodeId relu6(ScalarBuilder& b, Nodes in, const Attrs&) { return bounded(b, in[0], 0.0, 6.0); }
constexpr AtenImport kRelu6Aten[] = {{"aten.relu6.default", import_plain<"relu6", 1>}};
constexpr std::string_view kRelu6Examples[] = {UC_STEP_EXAMPLE("relu6(x)"), UC_FUSED_EXAMPLE("relu6()")};

// For a slope in (0, 1] the larger of x and slope x is the same, and one instruction shorter.
NodeId leaky_relu(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  const double slope = attrs.get_float("slope", 0.01);
  const NodeId scaled = b.mul(in[0], b.constant(slope));
  if (slope > 0.0 && slope <= 1.0) return b.maximum(in[0], scaled);
  return b.select(b.call("gt", {in[0], b.constant(0.0)}), in[0], scaled);
}
constexpr ParamSpec kLeakyParams[] = {
    kX, {"slope", ParamKind::number, "0.01", false, {}, "factor of negative values"}};
bool import_leaky(ImportContext& context, const GraphOp& op) {
  static constexpr Number kSlope[] = {{1, "negative_slope", "slope", 0.01}};
  return import_numbers(context, op, "leaky_relu", kSlope);
}
constexpr AtenImport kLeakyAten[] = {{"aten.leaky_relu.default", import_leaky}};
constexpr std::string_view kLeakyExamples[] = {UC_STEP_EXAMPLE("leaky_relu(x)"),
                                               UC_FUSED_EXAMPLE("leaky_relu(0.1)")};

NodeId hardtanh(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  return bounded(b, in[0], attrs.get_float("min", -1.0), attrs.get_float("max", 1.0));
}
constexpr ParamSpec kHardtanhParams[] = {kX,
                                         {"min", ParamKind::number, "-1.0", false, {}, "lower bound"},
                                         {"max", ParamKind::number, "1.0", false, {}, "upper bound"}};
bool import_hardtanh(ImportContext& context, const GraphOp& op) {
  static constexpr Number kBounds[] = {{1, "min_val", "min", -1.0}, {2, "max_val", "max", 1.0}};
  return import_numbers(context, op, "hardtanh", kBounds);
}
constexpr AtenImport kHardtanhAten[] = {{"aten.hardtanh.default", import_hardtanh}};
constexpr std::string_view kHardtanhExamples[] = {UC_STEP_EXAMPLE("hardtanh(x)"),
                                                  UC_FUSED_EXAMPLE("hardtanh(-2, 2)")};

// relu6(x + 3) / 6
NodeId sixth(ScalarBuilder& b, NodeId x) {
  return b.mul(bounded(b, b.add(x, b.constant(3.0)), 0.0, 6.0), b.constant(1.0 / 6.0));
}
NodeId hardsigmoid(ScalarBuilder& b, Nodes in, const Attrs&) { return sixth(b, in[0]); }
constexpr AtenImport kHardsigmoidAten[] = {{"aten.hardsigmoid.default", import_plain<"hardsigmoid", 1>}};
constexpr std::string_view kHardsigmoidExamples[] = {UC_STEP_EXAMPLE("hardsigmoid(x)"),
                                                     UC_FUSED_EXAMPLE("hardsigmoid()")};

NodeId hardswish(ScalarBuilder& b, Nodes in, const Attrs&) { return b.mul(in[0], sixth(b, in[0])); }
constexpr AtenImport kHardswishAten[] = {{"aten.hardswish.default", import_plain<"hardswish", 1>}};
constexpr std::string_view kHardswishExamples[] = {UC_STEP_EXAMPLE("hardswish(x)"),
                                                   UC_FUSED_EXAMPLE("hardswish()")};

constexpr ParamSpec kLambdaParams[] = {
    kX, {"lambd", ParamKind::number, "0.5", false, {}, "half width of the zero band"}};
template <Word Name>
bool import_shrink(ImportContext& context, const GraphOp& op) {
  static constexpr Number kLambda[] = {{1, "lambd", "lambd", 0.5}};
  return import_numbers(context, op, Name.view(), kLambda);
}

// x outside [-lambd, lambd], else 0.
NodeId hardshrink(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  const NodeId inside = b.call("le", {b.call("abs", {in[0]}), b.constant(attrs.get_float("lambd", 0.5))});
  return b.select(inside, b.constant(0.0), in[0]);
}
constexpr AtenImport kHardshrinkAten[] = {{"aten.hardshrink.default", import_shrink<"hardshrink">}};
constexpr std::string_view kHardshrinkExamples[] = {UC_STEP_EXAMPLE("hardshrink(x)"),
                                                    UC_FUSED_EXAMPLE("hardshrink(1.0)")};

// Towards 0 by lambd: x less x held in [-lambd, lambd].
NodeId softshrink(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  const double width = attrs.get_float("lambd", 0.5);
  return b.sub(in[0], bounded(b, in[0], -width, width));
}
constexpr AtenImport kSoftshrinkAten[] = {{"aten.softshrink.default", import_shrink<"softshrink">}};
constexpr std::string_view kSoftshrinkExamples[] = {UC_STEP_EXAMPLE("softshrink(x)"),
                                                    UC_FUSED_EXAMPLE("softshrink(0.25)")};

constexpr auto kSameType = OpSpec::ResultType::promoted;

constexpr std::array kRows{
    row({"relu", "max(x, 0)", relu, kReluAten, kReluExamples, kUnary, kSameType}),
    row({"relu6", "x held between 0 and 6", relu6, kRelu6Aten, kRelu6Examples, kUnary, kSameType}),
    row({"leaky_relu", "x, times slope where negative", leaky_relu, kLeakyAten, kLeakyExamples,
         kLeakyParams}),
    row({"hardtanh", "x held between min and max", hardtanh, kHardtanhAten, kHardtanhExamples,
         kHardtanhParams, kSameType}),
    row({"hardsigmoid", "relu6(x + 3) / 6", hardsigmoid, kHardsigmoidAten, kHardsigmoidExamples}),
    row({"hardswish", "x relu6(x + 3) / 6", hardswish, kHardswishAten, kHardswishExamples}),
    row({"hardshrink", "x, 0 where |x| <= lambd", hardshrink, kHardshrinkAten, kHardshrinkExamples,
         kLambdaParams}),
    row({"softshrink", "x moved towards 0 by lambd", softshrink, kSoftshrinkAten, kSoftshrinkExamples,
         kLambdaParams}),
};

}  // namespace

std::span<const OpSpec> activations_rows() { return kRows; }

}  // namespace uc::ops
