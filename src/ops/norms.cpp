// Normalisations over dimensions of each sample, with weight and bias of their extents.
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <span>

#include "catalog/diags.h"
#include "catalog/diags_reduce.h"
#include "ops/detail/affine.h"
#include "ops/detail/moments.h"
#include "ops/detail/normalised.h"
#include "ops/detail/parts.h"
#include "ops/detail/reduction_row.h"

namespace uc::ops {
namespace {

using In = std::span<const HostTensor* const>;
using Out = std::span<HostTensor>;

// ---- layer_norm, rms_norm: over the dimensions that `dim` names, else as many trailing ones as the weight
// has

std::vector<int64_t> trailing(size_t count) {
  std::vector<int64_t> dims(count);
  std::iota(dims.begin(), dims.end(), -static_cast<int64_t>(count));
  return dims;
}

std::vector<int64_t> layer_dims(const Program& program, const Op& op) {
  for (const std::string_view name : {"weight", "bias"}) {
    if (const auto at = operand(op, name))
      return trailing(std::max<size_t>(program[op.in[*at]].shape.size(), 1));
  }
  return {-1};
}

Shape extents(const Shape& shape, const std::vector<size_t>& dims) {
  Shape out;
  for (const size_t dim : dims) out.push_back(shape[dim]);
  return out;
}

bool infer_layer(InferContext& context) {
  const Value& x = context.in(0);
  if (!must_be_floating(context, 0)) return false;
  auto wanted = layer_dims(context.program(), context.op());
  if (wanted.size() > x.shape.size()) wanted = {-1};  // the weight does not fit, which is said below
  const auto dims = checked_dims(context, x.shape.size(), wanted);
  if (!dims) return false;
  const Shape normal = extents(x.shape, *dims);
  const std::string_view what = "the normalised dimensions";
  return operand_fits(context, "weight", normal, what) && operand_fits(context, "bias", normal, what) &&
         result_like_x(context);
}

template <bool Centred>
void layer(const Program& program, const Op& op, In in, Out out) {
  const HostTensor& x = *in[0];
  const Compute compute(x);
  const Affine affine(op, in);
  const double eps = op.attrs.get_float("eps", 1e-5);
  rewrite_slices(x, Slices(x.shape, dims_of(op, x.shape.size(), layer_dims(program, op))), out[0],
                 [&](std::vector<double>& row, size_t) {
                   if (Centred) {
                     standardise(row, moments(row, compute), eps, compute);
                   } else {
                     const double scale = inverse_root(mean_square(row, compute) + eps, compute);
                     for (double& value : row) value *= scale;
                   }
                   for (size_t k = 0; k < row.size(); ++k) row[k] = affine(row[k], k);
                 });
}

template <bool Centred>
std::vector<NodeId> row_layer(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  const double count = row_length(program, op, layer_dims(program, op));
  const double eps = op.attrs.get_float("eps", 1e-5);
  if (Centred) return {scaled(b, in, op, row_standardised(b, row_moments(b, in[0], count), eps))};
  const NodeId squares = b.across(Combine::sum, b.mul(in[0], in[0]));
  const NodeId mean = b.mul(squares, b.constant(1.0 / count));
  return {scaled(b, in, op, b.mul(in[0], b.call("rsqrt", {b.add(mean, b.constant(eps))})))};
}

RowScope layer_scope(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  RowScope scope;
  scope.dims = dims_of(op, shape.size(), layer_dims(program, op));
  scope.extent = shape[scope.dims.back()];
  return scope;
}

// ---- import

// layer_norm(x, normalized_shape, weight, bias, eps), and native_layer_norm, which has it required.
template <Word Name, bool HasBias>
bool import_layer(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto normal = context.integers(op, 1, "normalized_shape");
  if (!x || !normal) return false;
  const auto weight = context.value(op, 2);
  const auto bias = HasBias ? context.value(op, 3) : std::nullopt;
  const DType type = context.program()[*x].dtype;
  const double least = type == DType::f64 ? 0x1p-52 : 0x1p-23;  // torch's: of what it computes in
  Attrs attrs;
  if (!weight && !bias && normal->size() != 1) attrs.set("dim", trailing(normal->size()));
  const double eps = context.number(op, HasBias ? 4 : 3, "eps").value_or(HasBias ? 1e-5 : least);
  if (eps != 1e-5) attrs.set("eps", eps);
  return finish(context, op, apply_given(context, Name.view(), {x, weight, bias}, std::move(attrs)));
}

constexpr ParamSpec kLayerDims{"dim", ParamKind::integers,
                               {},    false,
                               {},    "dimensions to normalise over; else those of the weight, or the last"};
constexpr ParamSpec kLayerParams[] = {kX, kWeight, kBias, kLayerDims, kEps};
constexpr ParamSpec kRmsParams[] = {kX, kWeight, kLayerDims, kEps};
constexpr AtenImport kLayerAten[] = {{"aten.layer_norm.default", import_layer<"layer_norm", true>},
                                     {"aten.native_layer_norm.default", import_layer<"layer_norm", true>}};
constexpr AtenImport kRmsAten[] = {{"aten.rms_norm.default", import_layer<"rms_norm", false>}};
constexpr std::string_view kLayerExamples[] = {
    "target sm_90a\ninput x: f32[8, 16, 32]\nparam g: f32[32]\nparam b: f32[32]\ny = layer_norm(x, g, b, "
    "eps=1e-6)\nreturn y\n",
    UC_ROWS_EXAMPLE("layer_norm(x, dim=[1, 2])")};
constexpr std::string_view kRmsExamples[] = {
    "target sm_90a\ninput x: f16[8, 16, 32]\nparam g: f16[32]\ny = rms_norm(x, g)\nreturn y\n",
    UC_ROWS_EXAMPLE("rms_norm(x, dim=1, eps=1e-5)")};
constexpr OpSpec kRows[] = {
    {.name = "layer_norm",
     .summary =
         "less the mean and over the deviation of the normalised dimensions, scaled by weight and bias",
     .family = "normalise",
     .params = kLayerParams,
     .rows = layer_scope,
     .infer = infer_layer,
     .row_scalar = row_layer<true>,
     .reference = layer<true>,
     .work = norm_work<2>,
     .needs = needs_normalised,
     .aten = kLayerAten,
     .examples = kLayerExamples},
    {.name = "rms_norm",
     .summary = "over the root of the mean square of the normalised dimensions, scaled by the weight",
     .family = "normalise",
     .params = kRmsParams,
     .rows = layer_scope,
     .infer = infer_layer,
     .row_scalar = row_layer<false>,
     .reference = layer<false>,
     .work = norm_work<1>,
     .needs = needs_normalised,
     .aten = kRmsAten,
     .examples = kRmsExamples},
};

}  // namespace

std::span<const OpSpec> norms_rows() { return kRows; }

}  // namespace uc::ops
