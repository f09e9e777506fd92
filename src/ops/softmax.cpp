// Normalisations without weights: of exponentials, and by norms.
#include <cmath>
#include <span>

#include "ops/detail/moments.h"
#include "ops/detail/normalised.h"
#include "ops/detail/parts.h"
#include "ops/detail/reduction_row.h"

namespace uc::ops {
namespace {

using In = std::span<const HostTensor* const>;
using Out = std::span<HostTensor>;

const std::vector<int64_t> kLast{-1};

bool infer_same(InferContext& context) {
  const Value& x = context.in(0);
  if (!must_be_floating(context, 0) || !checked_dims(context, x.shape.size(), kLast)) return false;
  context.result(x.dtype, x.shape, dense_like(x.shape, x.stride));
  return true;
}

// Of a row that holds an infinity the difference is NaN, and so is the row, as in PyTorch.
void soften(std::vector<double>& row, Compute compute, bool log) {
  const double top = largest(row);
  std::vector<double> terms(row.size());
  for (size_t k = 0; k < row.size(); ++k) terms[k] = std::exp(row[k] - top);
  const double total = compute(sum(Floats(terms)));
  for (size_t k = 0; k < row.size(); ++k) row[k] = log ? row[k] - top - std::log(total) : terms[k] / total;
}

template <bool Log>
void softmax(const Program&, const Op& op, In in, Out out) {
  const HostTensor& x = *in[0];
  const Compute compute(x);
  rewrite_slices(x, Slices(x.shape, dims_of(op, x.shape.size(), kLast)), out[0],
                 [&](std::vector<double>& row, size_t) { soften(row, compute, Log); });
}

// Divided by the sum through its reciprocal, which is one a row.
template <bool Log>
std::vector<NodeId> row_softmax(ScalarBuilder& b, RowNodes in, const Program&, const Op&) {
  const NodeId apart = b.sub(in[0], b.across(Combine::max, in[0]));
  const NodeId term = b.call("exp", {apart});
  const NodeId total = b.across(Combine::sum, term);
  if (Log) return {b.sub(apart, b.call("log", {total}))};
  return {b.mul(term, b.div(b.constant(1), total))};
}

template <bool Squared>
void normalize(const Program&, const Op& op, In in, Out out) {
  const HostTensor& x = *in[0];
  const Compute compute(x);
  const double eps = op.attrs.get_float("eps", 1e-12);
  rewrite_slices(x, Slices(x.shape, dims_of(op, x.shape.size(), kLast)), out[0],
                 [&](std::vector<double>& row, size_t) {
                   const double size = norm<Squared>(row, compute);
                   const double divisor = size < eps ? eps : size;  // NaN stays
                   for (double& value : row) value /= divisor;
                 });
}

template <bool Squared>
std::vector<NodeId> row_normalize(ScalarBuilder& b, RowNodes in, const Program&, const Op& op) {
  const NodeId x = in[0];
  const NodeId size = b.across(Combine::sum, Squared ? b.mul(x, x) : b.call("abs", {x}));
  const NodeId norm = Squared ? b.call("sqrt", {size}) : size;
  const NodeId divisor = b.maximum(norm, b.constant(op.attrs.get_float("eps", 1e-12)));  // NaN stays
  return {b.mul(x, b.div(b.constant(1), divisor))};
}

// ---- import

// softmax(x, dim, dtype) and _softmax(x, dim, half_to_float).
template <Word Name>
bool import_softmax(ImportContext& context, const GraphOp& op) {
  const auto x = converted(context, context.value(op, 0), context.dtype(op, 2, "dtype"));
  const auto dim = context.integer(op, 1, "dim");
  if (!x || !dim) return false;
  Attrs attrs;
  attrs.set("dim", std::vector<int64_t>{*dim});
  return finish(context, op, context.apply(Name.view(), {*x}, std::move(attrs)));
}

constexpr ParamSpec kOptionalDims{
    "dim", ParamKind::integers, "-1", false, {}, "dimensions to normalise over together"};
constexpr ParamSpec kSoftmaxParams[] = {kX, kOptionalDims};
constexpr ParamSpec kNormalizeParams[] = {
    kX, kOptionalDims, {"eps", ParamKind::number, "1e-12", false, {}, "the least norm that divides"}};

constexpr AtenImport kSoftmaxAten[] = {{"aten.softmax.int", import_softmax<"softmax">},
                                       {"aten._softmax.default", import_softmax<"softmax">}};
constexpr AtenImport kLogSoftmaxAten[] = {{"aten.log_softmax.int", import_softmax<"log_softmax">},
                                          {"aten._log_softmax.default", import_softmax<"log_softmax">}};

constexpr std::string_view kSoftmaxExamples[] = {UC_ROWS_EXAMPLE("softmax(x, dim=1)"),
                                                 UC_ROWS_EXAMPLE("softmax(x * 0.125)")};
constexpr std::string_view kLogSoftmaxExamples[] = {UC_ROWS_EXAMPLE("log_softmax(x, dim=-1)"),
                                                    UC_ROWS_EXAMPLE("log_softmax(x, dim=[1, 2])")};
constexpr std::string_view kL1Examples[] = {UC_ROWS_EXAMPLE("l1_normalize(x, dim=1)"),
                                            UC_ROWS_EXAMPLE("l1_normalize(x, dim=[1, 2], eps=1e-6)")};
constexpr std::string_view kL2Examples[] = {UC_ROWS_EXAMPLE("l2_normalize(x, dim=1)"),
                                            UC_ROWS_EXAMPLE("l2_normalize(x, dim=[0, 1, 2])")};

constexpr OpSpec kRows[] = {
    {.name = "softmax",
     .summary = "exponentials over their sum, without overflow",
     .family = "normalise",
     .params = kSoftmaxParams,
     .infer = infer_same,
     .row_scalar = row_softmax<false>,
     .reference = softmax<false>,
     .work = reduction_work<4, 1, 0, 0>,
     .needs = needs_normalised,
     .aten = kSoftmaxAten,
     .examples = kSoftmaxExamples},
    {.name = "log_softmax",
     .summary = "logarithm of softmax: x less the log of the sum of exponentials",
     .family = "normalise",
     .params = kSoftmaxParams,
     .infer = infer_same,
     .row_scalar = row_softmax<true>,
     .reference = softmax<true>,
     .work = reduction_work<4, 1, 0, 0>,
     .needs = needs_normalised,
     .aten = kLogSoftmaxAten,
     .examples = kLogSoftmaxExamples},
    {.name = "l1_normalize",
     .summary = "x over the sum of its absolute values, or over eps where that is greater",
     .family = "normalise",
     .params = kNormalizeParams,
     .infer = infer_same,
     .row_scalar = row_normalize<false>,
     .reference = normalize<false>,
     .work = reduction_work<2, 0, 0, 0>,
     .needs = needs_normalised,
     .examples = kL1Examples},
    {.name = "l2_normalize",
     .summary = "x over the root of its sum of squares, or over eps where that is greater",
     .family = "normalise",
     .params = kNormalizeParams,
     .infer = infer_same,
     .row_scalar = row_normalize<true>,
     .reference = normalize<true>,
     .work = reduction_work<2, 0, 0, 0>,
     .needs = needs_normalised,
     .examples = kL2Examples},
};

}  // namespace

std::span<const OpSpec> softmax_rows() { return kRows; }

}  // namespace uc::ops
