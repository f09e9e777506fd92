// Operators that exist only after `>>`: they name what an epilogue reads.
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "catalog/scalar_builder.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

constexpr ParamSpec kBiasParams[] = {kX, {"b", ParamKind::tensor, {}, true, {}, "one value a column"}};
constexpr ParamSpec kResidualParams[] = {
    kX, {"r", ParamKind::tensor, {}, true, {}, "a tensor of the same shape"}};

NodeId sum(ScalarBuilder& b, std::span<const NodeId> in, const Attrs&) { return b.add(in[0], in[1]); }

// The dimension, from the end, that columns are of: as the step's main op says.
int64_t columns_of(const InferContext& context) {
  const Program& program = context.program();
  const Value* value = &context.in(0);
  while (value->def && program[value->def].spec->is_pointwise() && !program[value->def].in.empty())
    value = &program[program[value->def].in[0]];
  return value->def ? program[value->def].spec->columns : -1;
}

bool infer_bias(InferContext& context) {
  const Shape& x = context.in(0).shape;
  const Value& bias = context.in(1);
  const auto from_end = static_cast<size_t>(-columns_of(context));
  if (from_end <= x.size()) {
    Shape columns(from_end, 1);
    columns[0] = x[x.size() - from_end];
    if (bias.shape == columns) return infer_pointwise(context);
  }
  const std::string operand = bias.name.empty() ? "v" : bias.name;
  auto& diag =
      context.error(kinds::bias_shape, fmt::format("bias {} for columns of {}", describe(bias), to_text(x)));
  diag.help = broadcast(x, bias.shape) == x ? fmt::format("`>> add({})` broadcasts it", operand)
              : from_end > x.size()         ? "`>> add(...)`"
                                            : fmt::format("give it the shape [{}]", x[x.size() - from_end]);
  return false;
}

bool infer_residual(InferContext& context) {
  const Shape& x = context.in(0).shape;
  const Value& residual = context.in(1);
  if (residual.shape == x) return infer_pointwise(context);
  const std::string operand = residual.name.empty() ? "v" : residual.name;
  auto& diag =
      context.error(kinds::residual_shape, fmt::format("residual {} for {}", describe(residual), to_text(x)));
  diag.help = broadcast(x, residual.shape) == x ? fmt::format("`>> add({})` broadcasts it", operand)
              : numel(residual.shape) == numel(x)
                  ? fmt::format("`residual(reshape({}, {}))`", operand, to_text(x))
                  : fmt::format("give it the shape {}", to_text(x));
  return false;
}

constexpr std::string_view kBiasExamples[] = {
    "target sm_90a\ninput x: f16[128, 64]\nparam W: f16[256, 64]\nparam b: f16[256]\ny = linear(x, W) >> "
    "bias(b)\nreturn y\n",
    "target sm_90a\nprecision f16\ninput x: f32[128, 64]\nparam W: f32[256, 64]\nparam b: f32[256]\nxh = "
    "to(x, f16)\n"
    "y = linear(xh, prepack(W, f16)) >> bias(b) >> relu() >> to(f32)\nreturn y\n"};
constexpr std::string_view kResidualExamples[] = {
    "target sm_90a\ninput x: f16[128, 64]\ninput r: f16[128, 256]\nparam W: f16[256, 64]\ny = linear(x, W) "
    ">> residual(r)\nreturn y\n",
    "target sm_90a\ninput x: f16[128, 64]\ninput r: f32[256, 128]\nparam W: f16[256, 64]\n"
    "y = linear(x, W) >> residual(transpose(r)) >> gelu() >> to(f32)\nreturn y\n"};

constexpr OpSpec kRows[] = {
    {.name = "bias",
     .summary = "adds b[n] to column n",
     .family = "pointwise",
     .place = Place::fused,
     .params = kBiasParams,
     .along_columns = true,
     .infer = infer_bias,
     .scalar = sum,
     .examples = kBiasExamples},
    {.name = "residual",
     .summary = "adds a tensor of the same shape, which may be a strided view",
     .family = "pointwise",
     .place = Place::fused,
     .params = kResidualParams,
     .infer = infer_residual,
     .scalar = sum,
     .examples = kResidualExamples},
};

}  // namespace

std::span<const OpSpec> fused_rows() { return kRows; }

}  // namespace uc::ops
