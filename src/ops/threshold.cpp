// threshold: what does not exceed a bound is replaced by a value.
#include "ops/activation_row.h"

namespace uc::ops {
namespace {

NodeId threshold(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  // Asked this way round, NaN stays NaN.
  const NodeId replaced = b.call("le", {in[0], b.constant(attrs.get_float("threshold", 0.0))});
  return b.select(replaced, b.constant(attrs.get_float("value", 0.0)), in[0]);
}

constexpr ParamSpec kParams[] = {kX,
                                 {"threshold", ParamKind::number, {}, true, {}, "elements above it are kept"},
                                 {"value", ParamKind::number, {}, true, {}, "what the others become"}};

bool import_threshold(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto bound = context.number(op, 1, "threshold");
  const auto value = context.number(op, 2, "value");
  if (!x || !bound || !value) return false;
  Attrs attrs;
  attrs.set("threshold", *bound);
  attrs.set("value", *value);
  return finish(context, op, context.apply("threshold", {*x}, std::move(attrs)));
}

constexpr AtenImport kAten[] = {{"aten.threshold.default", import_threshold}};
constexpr std::string_view kExamples[] = {UC_STEP_EXAMPLE("threshold(x, 0.1, 20.0)"),
                                          UC_FUSED_EXAMPLE("threshold(0.5, -1.0)")};

constexpr OpSpec kRows[] = {row({.name = "threshold",
                                 .summary = "the value where x is at most the threshold, else x",
                                 .scalar = threshold,
                                 .aten = kAten,
                                 .examples = kExamples,
                                 .params = kParams})};

}  // namespace

std::span<const OpSpec> threshold_rows() { return kRows; }

}  // namespace uc::ops
