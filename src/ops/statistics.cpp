// Reductions of floating tensors with more than one operation an element: moments, norms, logsumexp.
#include <cmath>
#include <span>

#include "ops/detail/moments.h"
#include "ops/detail/normalised.h"
#include "ops/detail/parts.h"
#include "ops/detail/reduction_row.h"

namespace uc::ops {
namespace {

struct LogSumExp {
  Compute compute;
  const Attrs& attrs;
  double operator()(Floats row) const {
    // An infinite maximum is the result, or (-inf) adds nothing but zeros: torch shifts by 0 then.
    const double top = largest(row);
    const double shift = std::isinf(top) ? 0.0 : top;
    std::vector<double> terms(row.begin(), row.end());
    for (double& term : terms) term = std::exp(term - shift);
    return compute(std::log(compute(sum(terms))) + shift);
  }
  double operator()(Wholes row) const { return (*this)(Floats(std::vector<double>(row.begin(), row.end()))); }
};

struct Variance {
  Compute compute;
  const Attrs& attrs;
  double operator()(Floats row) const {
    return moments(row, compute, attrs.get_bool("unbiased", false)).variance;
  }
  double operator()(Wholes) const { return 0; }  // refused by infer
};

template <bool Squared>
struct Norm {
  Compute compute;
  const Attrs& attrs;
  double operator()(Floats row) const { return norm<Squared>(row, compute); }
  double operator()(Wholes) const { return 0; }  // refused by infer
};

void mean_and_variance(const Program&, const Op& op, std::span<const HostTensor* const> in,
                       std::span<HostTensor> out) {
  const Slices slices(in[0]->shape, dims_of(op, in[0]->shape.size()));
  const Compute compute(*in[0]);
  SliceReader reader(*in[0], slices);
  for (size_t i = 0; i < slices.count(); ++i) {
    const Moments each = moments(reader.floats(i), compute, op.attrs.get_bool("unbiased", false));
    put(out[0], i, each.mean);
    put(out[1], i, each.variance);
  }
}

// An infinite greatest element is the result: its differences from itself are NaN.
std::vector<NodeId> row_logsumexp(ScalarBuilder& b, RowNodes in, const Program&, const Op&) {
  std::vector<NodeId> out;
  for (const NodeId x : in) {
    const NodeId top = b.across(Combine::max, x);
    const NodeId total = b.across(Combine::sum, b.call("exp", {b.sub(x, top)}));
    const NodeId infinite = b.call("eq", {b.call("abs", {top}), b.constant(INFINITY)});
    out.push_back(b.select(infinite, top, b.add(top, b.call("log", {total}))));
  }
  return out;
}

NodeId variance_of(ScalarBuilder& b, const RowMoments& of, double count, const Op& op) {
  if (!op.attrs.get_bool("unbiased", false)) return of.variance;
  return b.mul(of.variance, b.constant(count / (count - 1)));  // infinite times 0 of one element, as PyTorch
}

std::vector<NodeId> row_variance(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  const double count = row_length(program, op);
  std::vector<NodeId> out;
  for (const NodeId x : in) out.push_back(variance_of(b, row_moments(b, x, count), count, op));
  return out;
}

std::vector<NodeId> row_mean_var(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  const double count = row_length(program, op);
  const RowMoments of = row_moments(b, in[0], count);
  return {of.mean, variance_of(b, of, count, op)};
}

template <bool Squared>
std::vector<NodeId> row_norm(ScalarBuilder& b, RowNodes in, const Program&, const Op&) {
  std::vector<NodeId> out;
  for (const NodeId x : in) {
    const NodeId total = b.across(Combine::sum, Squared ? b.mul(x, x) : b.call("abs", {x}));
    out.push_back(Squared ? b.call("sqrt", {total}) : total);
  }
  return out;
}

// ---- import

// var(x, unbiased), var(x, dim, unbiased, keepdim), var(x, dim, *, correction, keepdim).
enum class VarForm : uint8_t { whole, dims, correction };

// Whether the divisor is the count less one, as it is unless said; other corrections have no word here.
std::optional<bool> is_unbiased(ImportContext& context, const GraphOp& op, VarForm form) {
  const bool word = form != VarForm::correction;
  const size_t place = form == VarForm::whole ? 1 : form == VarForm::dims ? 2 : op.args.size();
  const double correction = context.number(op, place, word ? "unbiased" : "correction").value_or(1.0);
  if (correction != 0.0 && correction != 1.0) return std::nullopt;
  return correction == 1.0;
}

std::optional<Attrs> variance_attrs(ImportContext& context, const GraphOp& op, ValueId x, VarForm form) {
  const auto unbiased = is_unbiased(context, op, form);
  const size_t rank = context.program()[x].shape.size();
  if (!unbiased || rank == 0) return std::nullopt;
  Attrs attrs;
  attrs.set("dim", captured_dims(context, op, form == VarForm::whole ? op.args.size() : 1, rank));
  const size_t keepdim = form == VarForm::dims ? 3 : op.args.size();
  if (context.integer(op, keepdim, "keepdim").value_or(0) != 0) attrs.set("keepdim", true);
  if (*unbiased) attrs.set("unbiased", true);
  return attrs;
}

template <VarForm Form, bool Root>
bool import_var(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  auto attrs = x ? variance_attrs(context, op, *x, Form) : std::nullopt;
  auto y = attrs ? context.apply("var", {*x}, std::move(*attrs)) : std::nullopt;
  if (Root && y) y = context.apply("sqrt", {*y});
  return finish(context, op, y);
}

// torch gives (var, mean).
bool import_var_mean(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  auto attrs = x ? variance_attrs(context, op, *x, VarForm::correction) : std::nullopt;
  if (!attrs) return false;
  const auto made = context.apply_all("mean_var", {*x}, std::move(*attrs));
  if (made.size() != 2) return false;
  context.result(op, 0, made[1]);
  context.result(op, 1, made[0]);
  return true;
}

// The norms of order 1, 2, infinity; others have no operator.
std::optional<std::string_view> norm_name(double order) {
  if (order == 1.0) return "norm1";
  if (order == 2.0) return "norm2";
  return std::nullopt;
}

std::optional<ValueId> norm_of(ImportContext& context, ValueId x, double order, std::vector<int64_t> dims,
                               bool keepdim) {
  if (const auto name = norm_name(order)) return apply_reduction(context, *name, x, std::move(dims), keepdim);
  if (!std::isinf(order)) return std::nullopt;
  const auto size = context.apply("abs", {x});
  return size ? apply_reduction(context, order > 0 ? "max" : "min", *size, std::move(dims), keepdim)
              : std::nullopt;
}

// linalg.vector_norm(x, ord, dim, keepdim, dtype=) and norm(x, p, dim, keepdim): 2 unless said.
bool import_norm(ImportContext& context, const GraphOp& op) {
  const auto x = converted(context, context.value(op, 0), context.dtype(op, op.args.size(), "dtype"));
  if (!x || context.program()[*x].shape.empty()) return false;
  const double order = context.number(op, 1, op.kwarg("ord") != nullptr ? "ord" : "p").value_or(2.0);
  auto dims = captured_dims(context, op, 2, context.program()[*x].shape.size());
  const bool keepdim = context.integer(op, 3, "keepdim").value_or(0) != 0;
  return finish(context, op, norm_of(context, *x, order, std::move(dims), keepdim));
}

constexpr ParamSpec kUnbiased{
    "unbiased", ParamKind::boolean, "false", false, {}, "divides by the count less one"};
constexpr ParamSpec kVarParams[] = {kReducedXs, kDims, kKeepdim, kUnbiased};
constexpr ParamSpec kMeanVarParams[] = {kX, kDims, kKeepdim, kUnbiased};

// The last dimension unless said: `>> logsumexp()` is of rows.
constexpr ParamSpec kLastDims{"dim", ParamKind::integers, "-1", false, {}, "dimensions to go over"};
constexpr ParamSpec kLogSumExpParams[] = {kReducedXs, kLastDims, kKeepdim};

bool infer_logsumexp(InferContext& context) {
  for (size_t i = 0; i < context.count(); ++i) {
    const Value& x = context.in(i);
    const auto dims = checked_dims(context, x.shape.size(), {-1});
    if (!dims) return false;
    context.result(reduced_type(Reduced::as_float, x.dtype),
                   without(x.shape, *dims, context.op().attrs.get_bool("keepdim", false)));
  }
  return true;
}

void logsumexp(const Program&, const Op& op, std::span<const HostTensor* const> in,
               std::span<HostTensor> out) {
  for (size_t i = 0; i < in.size(); ++i) {
    const Slices slices(in[i]->shape, dims_of(op, in[i]->shape.size(), {-1}));
    over_slices(*in[i], slices, out[i], LogSumExp{Compute(*in[i]), op.attrs});
  }
}

// Terms are shifted by the greatest, so the row is needed at once.
RowScope logsumexp_scope(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  RowScope scope;
  scope.dims = dims_of(op, shape.size(), {-1});
  if (!scope.dims.empty()) scope.extent = shape[scope.dims.back()];
  return scope;
}

constexpr AtenImport kLogSumExpAten[] = {{"aten.logsumexp.default", import_reduction<"logsumexp">}};
constexpr AtenImport kVarAten[] = {{"aten.var.default", import_var<VarForm::whole, false>},
                                   {"aten.var.dim", import_var<VarForm::dims, false>},
                                   {"aten.var.correction", import_var<VarForm::correction, false>},
                                   {"aten.std.default", import_var<VarForm::whole, true>},
                                   {"aten.std.dim", import_var<VarForm::dims, true>},
                                   {"aten.std.correction", import_var<VarForm::correction, true>}};
constexpr AtenImport kMeanVarAten[] = {{"aten.var_mean.correction", import_var_mean}};
constexpr AtenImport kNorm2Aten[] = {{"aten.linalg_vector_norm.default", import_norm},
                                     {"aten.norm.Scalar", import_norm},
                                     {"aten.norm.ScalarOpt_dim", import_norm}};

constexpr std::string_view kLogSumExpExamples[] = {UC_ROWS_EXAMPLE("logsumexp(x)"),
                                                   UC_ROWS_EXAMPLE("logsumexp(x, dim=[1, 2], keepdim=true)")};
constexpr std::string_view kVarExamples[] = {UC_ROWS_EXAMPLE("var(x, dim=-1)"),
                                             UC_ROWS_EXAMPLE("var(x, dim=[0, 2], unbiased=true)")};
constexpr std::string_view kMeanVarExamples[] = {
    "target sm_90a\ninput x: f32[8, 16, 32]\nm, v = mean_var(x, dim=[0, 2])\nreturn m, v\n",
    "target sm_90a\ninput x: f16[8, 16, 32]\nm, v = mean_var(x, dim=-1, keepdim=true)\ny = (x - m) * "
    "rsqrt(v + 1e-5)\nreturn y\n"};
constexpr std::string_view kNorm1Examples[] = {UC_ROWS_EXAMPLE("norm1(x, dim=1)"),
                                               UC_ROWS_EXAMPLE("norm1(x, dim=[1, 2], keepdim=true)")};
constexpr std::string_view kNorm2Examples[] = {UC_ROWS_EXAMPLE("norm2(x, dim=1)"),
                                               UC_ROWS_EXAMPLE("norm2(x, dim=[0, 1, 2])")};

constexpr OpSpec kRows[] = {
    {.name = "logsumexp",
     .summary = "log of the sum of exponentials, without overflow; f32 of integers",
     .family = "reduce",
     .params = kLogSumExpParams,
     .reduces = true,
     .rows = logsumexp_scope,
     .infer = infer_logsumexp,
     .row_scalar = row_logsumexp,
     .reference = logsumexp,
     .work = reduction_work<3, 1, 2, 1>,
     .needs = needs_reduced,
     .aten = kLogSumExpAten,
     .examples = kLogSumExpExamples},
    {.name = "var",
     .summary = "variance over dimensions: by the count, or with unbiased=true by the count less one",
     .family = "reduce",
     .params = kVarParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::floating>,
     .row_scalar = row_variance,
     .reference = reduce<Variance>,
     .work = reduction_work<2, 0, 3, 0>,
     .needs = needs_reduced,
     .aten = kVarAten,
     .examples = kVarExamples},
    {.name = "mean_var",
     .summary = "mean and variance over dimensions, two results",
     .family = "reduce",
     .params = kMeanVarParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::floating, 2>,
     .row_scalar = row_mean_var,
     .reference = mean_and_variance,
     .work = reduction_work<2, 0, 2, 0>,
     .needs = needs_reduced,
     .aten = kMeanVarAten,
     .examples = kMeanVarExamples},
    {.name = "norm1",
     .summary = "sum of absolute values over dimensions",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::floating>,
     .row_scalar = row_norm<false>,
     .reference = reduce<Norm<false>>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_reduced,
     .examples = kNorm1Examples},
    {.name = "norm2",
     .summary = "square root of the sum of squares over dimensions",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::floating>,
     .row_scalar = row_norm<true>,
     .reference = reduce<Norm<true>>,
     .work = reduction_work<1, 0, 1, 1>,
     .needs = needs_reduced,
     .aten = kNorm2Aten,
     .examples = kNorm2Examples},
};

}  // namespace

std::span<const OpSpec> statistics_rows() { return kRows; }

}  // namespace uc::ops
