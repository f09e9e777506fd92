// Losses of samples that are vectors.
#include <cmath>
#include <fmt/format.h>
#include <span>

#include "catalog/diags_reduce.h"
#include "ops/detail/loss_row.h"

namespace uc::ops {
namespace {

using In = std::span<const HostTensor* const>;
using Out = std::span<HostTensor>;

bool same_shapes(InferContext& context) {
  for (size_t i = 1; i < context.count(); ++i) {
    if (context.in(i).shape == context.in(0).shape) continue;
    context
        .error(kinds::loss_operands, fmt::format("`{}` of {} and {}", context.op().spec->name,
                                                 describe(context.in(0)), describe(context.in(i))))
        .help = "give all the same shape";
    return false;
  }
  return true;
}

bool infer_triplet(InferContext& context) {
  const Shape& shape = context.in(0).shape;
  if (!must_be_floating(context, 0) || !same_shapes(context) || !positive(context, "p", 2.0)) return false;
  if (!checked_dims(context, shape.size(), {-1})) return false;
  loss_result(context, promoted_type(context.program(), context.op().in),
              without(shape, {shape.size() - 1}, false));
  return true;
}

// |a - b + eps| in the p norm; PyTorch adds eps to every difference.
double distance(Floats a, Floats b, double p, double eps, Compute compute) {
  std::vector<double> terms(a.size());
  for (size_t k = 0; k < a.size(); ++k) terms[k] = std::abs(compute(a[k] - b[k]) + eps);
  if (std::isinf(p)) return largest(Floats(terms));
  for (double& term : terms) term = std::pow(term, p);
  return std::pow(compute(sum(Floats(terms))), 1.0 / p);
}

void triplet(const Program&, const Op& op, In in, Out out) {
  const Compute compute(out[0]);
  const Shape& shape = in[0]->shape;
  const Slices slices(shape, {shape.size() - 1});
  SliceReader anchor(*in[0], slices), positive_(*in[1], slices), negative(*in[2], slices);
  const double p = op.attrs.get_float("p", 2.0);
  const double eps = op.attrs.get_float("eps", 1e-6);
  const double margin = op.attrs.get_float("margin", 1.0);
  std::vector<double> terms;
  for (size_t i = 0; i < slices.count(); ++i) {
    const Floats a = anchor.floats(i), b = positive_.floats(i), c = negative.floats(i);
    double far = distance(a, c, p, eps, compute);
    if (op.attrs.get_bool("swap", false)) far = std::min(far, distance(b, c, p, eps, compute));
    const double loss = compute(margin + distance(a, b, p, eps, compute) - far);
    terms.push_back(loss < 0 ? 0.0 : loss);
  }
  settle(op, terms, out[0]);
}

bool infer_cosine(InferContext& context) {
  const Shape& shape = context.in(0).shape;
  if (!must_be_floating(context, 0) || !same_shapes(context)) return false;
  const auto dims = checked_dims(context, shape.size(), {shape.size() < 2 ? 0 : 1});
  if (!dims) return false;
  loss_result(context, promoted_type(context.program(), context.op().in), without(shape, *dims, false));
  return true;
}

void cosine(const Program&, const Op& op, In in, Out out) {
  const Compute compute(out[0]);
  const Shape& shape = in[0]->shape;
  const Slices slices(shape, dims_of(op, shape.size(), {shape.size() < 2 ? 0 : 1}));
  SliceReader x(*in[0], slices), target(*in[1], slices);
  const double eps = op.attrs.get_float("eps", 1e-8);
  std::vector<double> terms;
  for (size_t i = 0; i < slices.count(); ++i) {
    const Floats a = x.floats(i), b = target.floats(i);
    std::vector<double> ab(a.size()), aa(a.size()), bb(a.size());
    for (size_t k = 0; k < a.size(); ++k) {
      ab[k] = a[k] * b[k];
      aa[k] = a[k] * a[k];
      bb[k] = b[k] * b[k];
    }
    const double left = std::max(std::sqrt(sum(Floats(aa))), eps);
    const double right = std::max(std::sqrt(sum(Floats(bb))), eps);
    terms.push_back(1.0 - sum(Floats(ab)) / (left * right));
  }
  settle(op, terms, out[0]);
}

// ---- as expressions

double samples(const Program& program, const Op& op, const std::vector<size_t>& meet) {
  return static_cast<double>(numel(without(program[op.in[0]].shape, meet, false)));
}

NodeId row_distance(ScalarBuilder& b, NodeId x, NodeId y, double p, double eps) {
  const NodeId apart = b.call("abs", {b.add(b.sub(x, y), b.constant(eps))});
  if (std::isinf(p)) return b.across(Combine::max, apart);
  if (p == 1) return b.across(Combine::sum, apart);
  if (p == 2) return b.call("sqrt", {b.across(Combine::sum, b.mul(apart, apart))});
  const NodeId total = b.across(Combine::sum, b.call("pow", {apart, b.constant(p)}));
  return b.call("pow", {total, b.constant(1.0 / p)});
}

RowDomain triplet_domain(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  return {.shape = shape, .domain = shape, .meet = {shape.size() - 1}};
}

std::vector<NodeId> row_triplet(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  const double p = op.attrs.get_float("p", 2.0);
  const double eps = op.attrs.get_float("eps", 1e-6);
  NodeId far = row_distance(b, in[0], in[2], p, eps);
  if (op.attrs.get_bool("swap", false)) far = b.minimum(far, row_distance(b, in[1], in[2], p, eps));
  const NodeId margin = b.constant(op.attrs.get_float("margin", 1.0));
  const NodeId loss = b.sub(b.add(margin, row_distance(b, in[0], in[1], p, eps)), far);
  const double count = samples(program, op, {program[op.in[0]].shape.size() - 1});
  return {settled_rows(b, op, b.maximum(loss, b.constant(0)), count)};
}

std::vector<size_t> cosine_dims(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  return dims_of(op, shape.size(), {shape.size() < 2 ? 0 : 1});
}

RowDomain cosine_domain(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  return {.shape = shape, .domain = shape, .meet = cosine_dims(program, op)};
}

std::vector<NodeId> row_cosine(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  const NodeId eps = b.constant(op.attrs.get_float("eps", 1e-8));
  const auto size = [&](NodeId x) {
    return b.maximum(b.call("sqrt", {b.across(Combine::sum, b.mul(x, x))}), eps);
  };
  const NodeId both = b.mul(size(in[0]), size(in[1]));
  const NodeId alike = b.div(b.across(Combine::sum, b.mul(in[0], in[1])), both);
  const double count = samples(program, op, cosine_dims(program, op));
  return {settled_rows(b, op, b.sub(b.constant(1), alike), count)};
}

// ---- import

// (anchor, positive, negative, margin, p, eps, swap, reduction)
bool import_triplet(ImportContext& context, const GraphOp& op) {
  const auto a = context.value(op, 0), b = context.value(op, 1), c = context.value(op, 2);
  Attrs attrs;
  if (!a || !b || !c || !set_reduction(attrs, context.integer(op, 7, "reduction").value_or(1))) return false;
  if (const double margin = context.number(op, 3, "margin").value_or(1); margin != 1)
    attrs.set("margin", margin);
  if (const double p = context.number(op, 4, "p").value_or(2); p != 2) attrs.set("p", p);
  if (const double eps = context.number(op, 5, "eps").value_or(1e-6); eps != 1e-6) attrs.set("eps", eps);
  if (context.integer(op, 6, "swap").value_or(0) != 0) attrs.set("swap", true);
  return finish(context, op, context.apply("triplet_margin", {*a, *b, *c}, std::move(attrs)));
}

// The similarity is one less the loss.
bool import_cosine_similarity(ImportContext& context, const GraphOp& op) {
  const auto a = context.value(op, 0), b = context.value(op, 1);
  if (!a || !b) return false;
  Attrs attrs;
  attrs.set("dim", std::vector<int64_t>{context.integer(op, 2, "dim").value_or(1)});
  attrs.set("reduction", std::string("none"));
  if (const double eps = context.number(op, 3, "eps").value_or(1e-8); eps != 1e-8) attrs.set("eps", eps);
  const auto loss = context.apply("cosine", {*a, *b}, std::move(attrs));
  return loss && finish(context, op, context.apply("sub", {context.literal(1, true), *loss}));
}

constexpr ParamSpec kTripletParams[] = {
    {"anchor", ParamKind::tensor, {}, true, {}, "vectors along the last dimension"},
    {"positive", ParamKind::tensor, {}, true, {}, "should be near"},
    {"negative", ParamKind::tensor, {}, true, {}, "should be farther by the margin"},
    kReduction,
    {"margin", ParamKind::number, "1", false, {}, "least difference of the distances"},
    {"p", ParamKind::number, "2", false, {}, "of the norm"},
    {"eps", ParamKind::number, "1e-6", false, {}, "added to every difference"},
    {"swap", ParamKind::boolean, "false", false, {}, "the negative counts from the nearer of both"}};
constexpr ParamSpec kCosineParams[] = {
    kX,
    kTarget,
    {"dim", ParamKind::integers, "1", false, {}, "the vectors' dimension"},
    kReduction,
    {"eps", ParamKind::number, "1e-8", false, {}, "the least norm that divides"}};

constexpr AtenImport kTripletAten[] = {{"aten.triplet_margin_loss.default", import_triplet}};
constexpr AtenImport kCosineAten[] = {{"aten.cosine_similarity.default", import_cosine_similarity}};

constexpr std::string_view kTripletExamples[] = {
    "target sm_90a\ninput a: f32[16, 8]\ninput p: f32[16, 8]\ninput n: f32[16, 8]\ny = triplet_margin(a, p, "
    "n)\nreturn y\n",
    "target sm_90a\ninput a: f32[16, 8]\ninput p: f32[16, 8]\ninput n: f32[16, 8]\ny = triplet_margin(a, p, "
    "n, reduction=none, margin=0.5, swap=true)\nreturn y\n"};
constexpr std::string_view kCosineExamples[] = {UC_LOSS_EXAMPLE("cosine(x, t)"),
                                                UC_LOSS_EXAMPLE("cosine(x, t, dim=0, reduction=sum)")};

constexpr OpSpec kRows[] = {
    {.name = "triplet_margin",
     .summary = "how much farther the positive is from the anchor than the negative less the margin",
     .family = "loss",
     .params = kTripletParams,
     .reduces = true,
     .infer = infer_triplet,
     .row_scalar = row_triplet,
     .row_domain = triplet_domain,
     .reference = triplet,
     .work = reduction_work<1, 0, 2, 2>,
     .aten = kTripletAten,
     .examples = kTripletExamples},
    {.name = "cosine",
     .summary = "one less the cosine between x and the target",
     .family = "loss",
     .params = kCosineParams,
     .reduces = true,
     .infer = infer_cosine,
     .row_scalar = row_cosine,
     .row_domain = cosine_domain,
     .reference = cosine,
     .work = reduction_work<1, 0, 3, 2>,
     .aten = kCosineAten,
     .examples = kCosineExamples},
};

}  // namespace

std::span<const OpSpec> vector_loss_rows() { return kRows; }

}  // namespace uc::ops
