// Normalisations of channels, which are dimension 1: in groups, one by one, over the batch.
#include <fmt/format.h>
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

// Weights and statistics are one a channel, which is not the last dimension.
std::vector<Shape> channel_operands(const Program& program, const Op& op) {
  std::vector<Shape> out(op.in.size());
  Shape wide(program[op.in[0]].shape.size() - 1, 1);
  wide[0] = program[op.in[0]].shape[1];
  for (size_t i = 1; i < out.size(); ++i) out[i] = wide;
  return out;
}

RowDomain group_domain(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  const int64_t groups = groups_of(op, shape);
  RowDomain out;
  out.shape = shape;
  out.domain = {shape[0], groups, shape[1] / groups};
  out.domain.insert(out.domain.end(), shape.begin() + 2, shape.end());
  for (size_t d = 2; d < out.domain.size(); ++d) out.meet.push_back(d);
  out.operands = channel_operands(program, op);
  return out;
}

std::vector<NodeId> row_group(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  const auto count = static_cast<double>(grouped(op, program[op.in[0]].shape)[2]);
  const RowMoments of = row_moments(b, in[0], count);
  return {scaled(b, in, op, row_standardised(b, of, op.attrs.get_float("eps", 1e-5)))};
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

// By given statistics nothing meets: rows are what a channel of a sample has.
RowDomain batch_domain(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  RowDomain out{.shape = shape, .domain = shape, .meet = all_but_channels(shape)};
  if (operand(op, "mean")) {
    out.meet.erase(out.meet.begin());
    if (out.meet.empty()) out.meet = {1};
  }
  out.operands = channel_operands(program, op);
  return out;
}

std::vector<NodeId> row_batch(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  const double eps = op.attrs.get_float("eps", 1e-5);
  if (const auto mean = operand(op, "mean")) {
    const NodeId variance = in[*operand(op, "var")];
    return {scaled(b, in, op, row_standardised(b, {in[*mean], b.sub(in[0], in[*mean]), variance}, eps))};
  }
  const auto count = static_cast<double>(numel(shape)) / static_cast<double>(shape[1]);
  return {scaled(b, in, op, row_standardised(b, row_moments(b, in[0], count), eps))};
}

RowScope batch_scope(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  RowScope scope;
  if (operand(op, "mean")) return scope;  // elementwise
  scope.dims = all_but_channels(shape);
  scope.extent = shape[scope.dims.back()];
  return scope;
}

// ---- import

Attrs with_eps(std::optional<double> eps) {
  Attrs attrs;
  if (eps && *eps != 1e-5) attrs.set("eps", *eps);
  return attrs;
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

constexpr ParamSpec kGroupParams[] = {
    kX, {"groups", ParamKind::integer, {}, true, {}, "divides the channels"}, kWeight, kBias, kEps};
constexpr ParamSpec kInstanceParams[] = {kX, kWeight, kBias, kEps};
constexpr ParamSpec kBatchParams[] = {kX,
                                      kWeight,
                                      kBias,
                                      {"mean", ParamKind::tensor, {}, false, {}, "one a channel, with `var`"},
                                      {"var", ParamKind::tensor, {}, false, {}, "one a channel, with `mean`"},
                                      kEps};

constexpr AtenImport kGroupAten[] = {{"aten.group_norm.default", import_group}};
constexpr AtenImport kInstanceAten[] = {{"aten.instance_norm.default", import_instance}};
constexpr AtenImport kBatchAten[] = {{"aten.batch_norm.default", import_batch}};

#define UC_IMAGES "target sm_90a\ninput x: f32[4, 8, 6, 6]\nparam g: f32[8]\nparam b: f32[8]\n"

constexpr std::string_view kGroupExamples[] = {UC_IMAGES "y = group_norm(x, 4, g, b)\nreturn y\n",
                                               UC_IMAGES "y = group_norm(x, 2) >> mul(0.5)\nreturn y\n"};
constexpr std::string_view kInstanceExamples[] = {UC_IMAGES "y = instance_norm(x)\nreturn y\n", UC_IMAGES
                                                  "y = instance_norm(x, g, b, eps=1e-3)\nreturn y\n"};
constexpr std::string_view kBatchExamples[] = {
    UC_IMAGES "y = batch_norm(x, g, b)\nreturn y\n", UC_IMAGES
    "param m: f32[8]\nparam v: f32[8] @positive\ny = batch_norm(x, g, b, mean=m, var=v * v)\nreturn y\n"};

constexpr OpSpec kRows[] = {
    {.name = "group_norm",
     .summary = "standardises the channels (dimension 1) of each sample in groups, scaled a channel",
     .family = "normalise",
     .params = kGroupParams,
     .rows = group_scope,
     .infer = infer_groups,
     .row_scalar = row_group,
     .row_domain = group_domain,
     .reference = group,
     .work = norm_work<2>,
     .needs = needs_channel_groups,
     .aten = kGroupAten,
     .examples = kGroupExamples},
    {.name = "instance_norm",
     .summary = "standardises each channel (dimension 1) of each sample, scaled a channel",
     .family = "normalise",
     .params = kInstanceParams,
     .rows = group_scope,
     .infer = infer_groups,
     .row_scalar = row_group,
     .row_domain = group_domain,
     .reference = group,
     .work = norm_work<2>,
     .needs = needs_channel_groups,
     .aten = kInstanceAten,
     .examples = kInstanceExamples},
    {.name = "batch_norm",
     .summary = "standardises each channel (dimension 1) over the batch, or by a given mean and variance",
     .family = "normalise",
     .params = kBatchParams,
     .rows = batch_scope,
     .infer = infer_batch,
     .row_scalar = row_batch,
     .row_domain = batch_domain,
     .reference = batch,
     .work = norm_work<2>,
     .needs = needs_normalised,
     .aten = kBatchAten,
     .examples = kBatchExamples},
};

}  // namespace

std::span<const OpSpec> channel_norms_rows() { return kRows; }

}  // namespace uc::ops
