// Normalisations by mean and variance, with weight and bias.
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <span>

#include "catalog/diags.h"
#include "catalog/diags_reduce.h"
#include "ops/detail/affine.h"
#include "ops/detail/moments.h"
#include "ops/detail/normalised.h"
#include "ops/detail/reduction_row.h"

namespace uc::ops {
namespace {

using In = std::span<const HostTensor* const>;
using Out = std::span<HostTensor>;

double inverse_root(double value, Compute compute) { return compute(1.0 / std::sqrt(compute(value))); }

void standardise(std::vector<double>& row, Moments of, double eps, Compute compute) {
  const double scale = inverse_root(of.variance + eps, compute);
  for (double& value : row) value = (value - of.mean) * scale;
}

bool result_like_x(InferContext& context) {
  const Value& x = context.in(0);
  context.result(x.dtype, x.shape, dense_like(x.shape, x.stride));
  return true;
}

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

RowScope layer_scope(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  RowScope scope;
  scope.dims = dims_of(op, shape.size(), layer_dims(program, op));
  scope.extent = shape[scope.dims.back()];
  return scope;
}

// ---- group_norm, instance_norm: channels are dimension 1

int64_t groups_of(const Op& op, const Shape& shape) { return op.attrs.get_int("groups", shape[1]); }

// [N, G, elements of a group]: a group's channels lie one after the other.
Shape grouped(const Op& op, const Shape& shape) {
  const int64_t groups = groups_of(op, shape);
  return {shape[0], groups, numel(shape) / (shape[0] * groups)};
}

bool channels_fit(InferContext& context) {
  const Shape& shape = context.in(0).shape;
  if (!must_be_floating(context, 0)) return false;
  if (shape.size() < 2) {
    context
        .error(kinds::operand_rank,
               fmt::format("`{}` of {}", context.op().spec->name, describe(context.in(0))))
        .help = "dimension 0 is the batch and dimension 1 the channels: rank 2 or more";
    return false;
  }
  for (const std::string_view name : {"weight", "bias", "mean", "var"}) {
    if (!operand_fits(context, name, {shape[1]}, "the channels")) return false;
  }
  return true;
}

bool infer_groups(InferContext& context) {
  if (!channels_fit(context)) return false;
  const Shape& shape = context.in(0).shape;
  const int64_t groups = groups_of(context.op(), shape);
  if (groups >= 1 && shape[1] % groups == 0) return result_like_x(context);
  context
      .error(kinds::groups_divide,
             fmt::format("{} groups of {} channels of {}", groups, shape[1], describe(context.in(0))))
      .help = fmt::format("a number of groups that divides {}", shape[1]);
  return false;
}

void group(const Program&, const Op& op, In in, Out out) {
  const HostTensor& x = *in[0];
  const Compute compute(x);
  const Affine affine(op, in);
  const double eps = op.attrs.get_float("eps", 1e-5);
  const auto groups = static_cast<size_t>(groups_of(op, x.shape));
  const size_t channels = static_cast<size_t>(x.shape[1]) / groups;
  rewrite_slices(x, Slices(grouped(op, x.shape), {2}), out[0], [&](std::vector<double>& row, size_t slice) {
    standardise(row, moments(row, compute), eps, compute);
    const size_t first = slice % groups * channels;
    const size_t inner = row.size() / channels;
    for (size_t k = 0; k < row.size(); ++k) row[k] = affine(row[k], first + k / inner);
  });
}

RowScope group_scope(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  RowScope scope;
  for (size_t i = 1; i < shape.size(); ++i) scope.dims.push_back(i);
  scope.extent = shape.size() == 2 ? shape[1] / groups_of(op, shape) : shape.back();
  return scope;
}

// ---- batch_norm: one mean and variance a channel, of the batch or given

bool infer_batch(InferContext& context) {
  if (!channels_fit(context)) return false;
  if (operand(context.op(), "mean").has_value() == operand(context.op(), "var").has_value())
    return result_like_x(context);
  context.error(kinds::statistics_pair, "`batch_norm` with one of `mean` and `var`").help =
      "give both (evaluation), or neither (statistics of the batch)";
  return false;
}

std::vector<size_t> all_but_channels(const Shape& shape) {
  std::vector<size_t> dims;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != 1) dims.push_back(i);
  }
  return dims;
}

void batch(const Program&, const Op& op, In in, Out out) {
  const HostTensor& x = *in[0];
  const Compute compute(x);
  const Affine affine(op, in);
  const HostTensor* mean = operand_data(op, in, "mean");
  const HostTensor* var = operand_data(op, in, "var");
  const double eps = op.attrs.get_float("eps", 1e-5);
  rewrite_slices(
      x, Slices(x.shape, all_but_channels(x.shape)), out[0], [&](std::vector<double>& row, size_t channel) {
        const auto c = static_cast<int64_t>(channel);
        const Moments of = mean == nullptr ? moments(row, compute) : Moments{mean->at(c), var->at(c)};
        standardise(row, of, eps, compute);
        for (double& value : row) value = affine(value, channel);
      });
}

RowScope batch_scope(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  RowScope scope;
  if (operand(op, "mean")) return scope;  // elementwise
  scope.dims = all_but_channels(shape);
  scope.extent = shape[scope.dims.back()];
  return scope;
}

// ---- work: the least that is known to do it, for bounds: one addition and one multiply-add an element for
// the statistics (a multiply-add for the mean square), one to apply them, one for weight and bias

template <int Statistics>
Work norm_work(const Program& program, const Op& op) {
  const bool scaled = operand(op, "weight") || operand(op, "bias");
  const int statistics = operand(op, "mean") ? 0 : Statistics;
  const auto elements = static_cast<double>(numel(program[op.in[0]].shape));
  return {.tensor_flops = 0, .fma_ops = (statistics + 1 + (scaled ? 1 : 0)) * elements, .special_ops = 0};
}

// ---- import

Attrs with_eps(std::optional<double> eps) {
  Attrs attrs;
  if (eps && *eps != 1e-5) attrs.set("eps", *eps);
  return attrs;
}

// layer_norm(x, normalized_shape, weight, bias, eps), and native_layer_norm, which has it required.
template <Word Name, bool HasBias>
bool import_layer(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto normal = context.integers(op, 1, "normalized_shape");
  if (!x || !normal) return false;
  const auto weight = context.value(op, 2);
  const auto bias = HasBias ? context.value(op, 3) : std::nullopt;
  const DType type = context.program()[*x].dtype;
  const double least = type == DType::f64    ? 0x1p-52
                       : type == DType::f16  ? 0x1p-10
                       : type == DType::bf16 ? 0x1p-7
                                             : 0x1p-23;
  Attrs attrs;
  if (!weight && !bias && normal->size() != 1) attrs.set("dim", trailing(normal->size()));
  const double eps = context.number(op, HasBias ? 4 : 3, "eps").value_or(HasBias ? 1e-5 : least);
  if (eps != 1e-5) attrs.set("eps", eps);
  return finish(context, op, apply_given(context, Name.view(), {x, weight, bias}, std::move(attrs)));
}

// group_norm(x, groups, weight, bias, eps).
bool import_group(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto groups = context.integer(op, 1, "num_groups");
  if (!x || !groups) return false;
  Attrs attrs;
  attrs.set("groups", *groups);
  if (const double eps = context.number(op, 4, "eps").value_or(1e-5); eps != 1e-5) attrs.set("eps", eps);
  return finish(
      context, op,
      apply_given(context, "group_norm", {x, context.value(op, 2), context.value(op, 3)}, std::move(attrs)));
}

// batch_norm and instance_norm(x, weight, bias, running_mean, running_var, statistics of the batch, momentum,
// eps). What they do to the running statistics is seen by nobody who only reads the result.
bool import_batch(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  const bool of_batch = context.integer(op, 5, "training").value_or(1) != 0;
  const auto mean = of_batch ? std::nullopt : context.value(op, 3);
  const auto var = of_batch ? std::nullopt : context.value(op, 4);
  return finish(context, op,
                apply_given(context, "batch_norm", {x, context.value(op, 1), context.value(op, 2), mean, var},
                            with_eps(context.number(op, 7, "eps"))));
}

bool import_instance(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x || context.integer(op, 5, "use_input_stats").value_or(1) == 0) return false;
  return finish(context, op,
                apply_given(context, "instance_norm", {x, context.value(op, 1), context.value(op, 2)},
                            with_eps(context.number(op, 7, "eps"))));
}

constexpr ParamSpec kLayerDims{"dim", ParamKind::integers,
                               {},    false,
                               {},    "dimensions to normalise over; else those of the weight, or the last"};
constexpr ParamSpec kLayerParams[] = {kX, kWeight, kBias, kLayerDims, kEps};
constexpr ParamSpec kRmsParams[] = {kX, kWeight, kLayerDims, kEps};
constexpr ParamSpec kGroupParams[] = {
    kX, {"groups", ParamKind::integer, {}, true, {}, "divides the channels"}, kWeight, kBias, kEps};
constexpr ParamSpec kInstanceParams[] = {kX, kWeight, kBias, kEps};
constexpr ParamSpec kBatchParams[] = {kX,
                                      kWeight,
                                      kBias,
                                      {"mean", ParamKind::tensor, {}, false, {}, "one a channel, with `var`"},
                                      {"var", ParamKind::tensor, {}, false, {}, "one a channel, with `mean`"},
                                      kEps};

constexpr AtenImport kLayerAten[] = {{"aten.layer_norm.default", import_layer<"layer_norm", true>},
                                     {"aten.native_layer_norm.default", import_layer<"layer_norm", true>}};
constexpr AtenImport kRmsAten[] = {{"aten.rms_norm.default", import_layer<"rms_norm", false>}};
constexpr AtenImport kGroupAten[] = {{"aten.group_norm.default", import_group}};
constexpr AtenImport kInstanceAten[] = {{"aten.instance_norm.default", import_instance}};
constexpr AtenImport kBatchAten[] = {{"aten.batch_norm.default", import_batch}};

#define UC_IMAGES "target sm_90a\ninput x: f32[4, 8, 6, 6]\nparam g: f32[8]\nparam b: f32[8]\n"

constexpr std::string_view kLayerExamples[] = {
    "target sm_90a\ninput x: f32[8, 16, 32]\nparam g: f32[32]\nparam b: f32[32]\ny = layer_norm(x, g, b, "
    "eps=1e-6)\nreturn y\n",
    UC_ROWS_EXAMPLE("layer_norm(x, dim=[1, 2])")};
constexpr std::string_view kRmsExamples[] = {
    "target sm_90a\ninput x: f16[8, 16, 32]\nparam g: f16[32]\ny = rms_norm(x, g)\nreturn y\n",
    UC_ROWS_EXAMPLE("rms_norm(x, dim=1, eps=1e-5)")};
constexpr std::string_view kGroupExamples[] = {UC_IMAGES "y = group_norm(x, 4, g, b)\nreturn y\n",
                                               UC_IMAGES "y = group_norm(x, 2) >> mul(0.5)\nreturn y\n"};
constexpr std::string_view kInstanceExamples[] = {UC_IMAGES "y = instance_norm(x)\nreturn y\n", UC_IMAGES
                                                  "y = instance_norm(x, g, b, eps=1e-3)\nreturn y\n"};
constexpr std::string_view kBatchExamples[] = {
    UC_IMAGES "y = batch_norm(x, g, b)\nreturn y\n", UC_IMAGES
    "param m: f32[8]\nparam v: f32[8] @positive\ny = batch_norm(x, g, b, mean=m, var=v * v)\nreturn y\n"};

constexpr OpSpec kRows[] = {
    {.name = "layer_norm",
     .summary =
         "less the mean and over the deviation of the normalised dimensions, scaled by weight and bias",
     .family = "normalise",
     .params = kLayerParams,
     .rows = layer_scope,
     .infer = infer_layer,
     .reference = layer<true>,
     .work = norm_work<2>,
     .aten = kLayerAten,
     .examples = kLayerExamples},
    {.name = "rms_norm",
     .summary = "over the root of the mean square of the normalised dimensions, scaled by the weight",
     .family = "normalise",
     .params = kRmsParams,
     .rows = layer_scope,
     .infer = infer_layer,
     .reference = layer<false>,
     .work = norm_work<1>,
     .aten = kRmsAten,
     .examples = kRmsExamples},
    {.name = "group_norm",
     .summary = "standardises the channels (dimension 1) of each sample in groups, scaled a channel",
     .family = "normalise",
     .params = kGroupParams,
     .rows = group_scope,
     .infer = infer_groups,
     .reference = group,
     .work = norm_work<2>,
     .aten = kGroupAten,
     .examples = kGroupExamples},
    {.name = "instance_norm",
     .summary = "standardises each channel (dimension 1) of each sample, scaled a channel",
     .family = "normalise",
     .params = kInstanceParams,
     .rows = group_scope,
     .infer = infer_groups,
     .reference = group,
     .work = norm_work<2>,
     .aten = kInstanceAten,
     .examples = kInstanceExamples},
    {.name = "batch_norm",
     .summary = "standardises each channel (dimension 1) over the batch, or by a given mean and variance",
     .family = "normalise",
     .params = kBatchParams,
     .rows = batch_scope,
     .infer = infer_batch,
     .reference = batch,
     .work = norm_work<2>,
     .aten = kBatchAten,
     .examples = kBatchExamples},
};

}  // namespace

std::span<const OpSpec> norms_rows() { return kRows; }

}  // namespace uc::ops
