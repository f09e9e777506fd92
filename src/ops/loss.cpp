// Losses of two tensors, element by element.
#include <cmath>
#include <fmt/format.h>
#include <span>

#include "ops/detail/loss_row.h"

namespace uc::ops {
namespace {

using In = std::span<const HostTensor* const>;
using Out = std::span<HostTensor>;

bool infer_huber(InferContext& context) {
  return positive(context, "delta", 1.0) && infer_elementwise_loss(context);
}

bool infer_smooth_l1(InferContext& context) {
  return positive(context, "beta", 1.0) && infer_elementwise_loss(context);
}

void mse(const Program&, const Op& op, In in, Out out) {
  const Compute compute(out[0]);
  settle(op, terms_of(*in[0], *in[1], [&](double x, double t) { return compute((x - t) * (x - t)); }),
         out[0]);
}

void huber(const Program&, const Op& op, In in, Out out) {
  const Compute compute(out[0]);
  const double delta = op.attrs.get_float("delta", 1.0);
  settle(op,
         terms_of(*in[0], *in[1],
                  [&](double x, double t) {
                    const double d = std::abs(x - t);
                    return compute(d <= delta ? 0.5 * d * d : delta * (d - 0.5 * delta));
                  }),
         out[0]);
}

void smooth_l1(const Program&, const Op& op, In in, Out out) {
  const Compute compute(out[0]);
  const double beta = op.attrs.get_float("beta", 1.0);
  settle(op,
         terms_of(*in[0], *in[1],
                  [&](double x, double t) {
                    const double d = std::abs(x - t);
                    return compute(d < beta ? 0.5 * d * d / beta : d - 0.5 * beta);
                  }),
         out[0]);
}

void hinge(const Program&, const Op& op, In in, Out out) {
  const Compute compute(out[0]);
  settle(op,
         terms_of(*in[0], *in[1],
                  [&](double x, double t) {
                    const double d = compute(1.0 - x * t);
                    return d < 0 ? 0.0 : d;  // NaN stays
                  }),
         out[0]);
}

// t log t - t x, and 0 log 0 is 0; of logarithms exp(t) (t - x).
double divergence(double x, double t, bool log_target) {
  if (log_target) return std::exp(t) * (t - x);
  return (t == 0 ? 0.0 : t * std::log(t)) - t * x;
}

void kl_div(const Program&, const Op& op, In in, Out out) {
  const Compute compute(out[0]);
  const bool log_target = op.attrs.get_bool("log_target", false);
  const auto terms =
      terms_of(*in[0], *in[1], [&](double x, double t) { return compute(divergence(x, t, log_target)); });
  if (op.attrs.get_word("reduction", "mean") != "batchmean") return settle(op, terms, out[0]);
  const double batch = in[0]->shape.empty() ? 1.0 : static_cast<double>(in[0]->shape[0]);
  settle(op, terms, out[0], batch);
}

// One logarithm (or exponential) a term, a multiply-add for the difference, one for the sum.
Work kl_work(const Program& program, const Op& op) {
  const double terms = elements_in(program, op) / 2;
  return {.tensor_flops = 0, .fma_ops = 2 * terms, .special_ops = terms};
}

// ---- terms as expressions

NodeId mse_term(ScalarBuilder& b, NodeId x, NodeId t, const Attrs&) {
  const NodeId d = b.sub(x, t);
  return b.mul(d, d);
}

NodeId distance(ScalarBuilder& b, NodeId x, NodeId t) { return b.call("abs", {b.sub(x, t)}); }

NodeId huber_term(ScalarBuilder& b, NodeId x, NodeId t, const Attrs& attrs) {
  const double delta = attrs.get_float("delta", 1.0);
  const NodeId d = distance(b, x, t);
  const NodeId square = b.mul(b.mul(d, d), b.constant(0.5));
  const NodeId beyond = b.mul(b.constant(delta), b.sub(d, b.constant(0.5 * delta)));
  return b.select(b.call("le", {d, b.constant(delta)}), square, beyond);
}

NodeId smooth_term(ScalarBuilder& b, NodeId x, NodeId t, const Attrs& attrs) {
  const double beta = attrs.get_float("beta", 1.0);
  const NodeId d = distance(b, x, t);
  const NodeId square = b.mul(b.mul(d, d), b.constant(0.5 / beta));
  return b.select(b.call("lt", {d, b.constant(beta)}), square, b.sub(d, b.constant(0.5 * beta)));
}

NodeId hinge_term(ScalarBuilder& b, NodeId x, NodeId t, const Attrs&) {
  return b.maximum(b.sub(b.constant(1), b.mul(x, t)), b.constant(0));
}

std::vector<NodeId> row_kl_div(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  const NodeId x = in[0];
  const NodeId t = in[1];
  const Shape& shape = program[op.in[0]].shape;
  const bool batch = op.attrs.get_word("reduction", "mean") == "batchmean" && !shape.empty();
  const double count = batch ? static_cast<double>(shape[0]) : 0;
  if (op.attrs.get_bool("log_target", false))
    return {settled(b, program, op, b.mul(b.call("exp", {t}), b.sub(t, x)), count)};
  const NodeId none = b.constant(0);
  const NodeId own = b.select(b.call("eq", {t, none}), none, b.mul(t, b.call("log", {t})));
  return {settled(b, program, op, b.sub(own, b.mul(t, x)), count)};
}

// ---- import

// loss(x, target, reduction, number).
template <Word Name, Word Number>
bool import_loss(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto target = context.value(op, 1);
  Attrs attrs;
  if (!x || !target || !set_reduction(attrs, context.integer(op, 2, "reduction").value_or(1))) return false;
  const auto number = Number.view().empty() ? std::nullopt : context.number(op, 3, Number.view());
  if (number && *number != 1.0) attrs.set(Number.view(), *number);
  return finish(context, op, context.apply(Name.view(), {*x, *target}, std::move(attrs)));
}

bool import_kl_div(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto target = context.value(op, 1);
  Attrs attrs;
  if (!x || !target || !set_reduction(attrs, context.integer(op, 2, "reduction").value_or(1))) return false;
  if (context.integer(op, op.args.size(), "log_target").value_or(0) != 0) attrs.set("log_target", true);
  return finish(context, op, context.apply("kl_div", {*x, *target}, std::move(attrs)));
}

constexpr ParamSpec kPairParams[] = {kX, kTarget, kReduction};
constexpr ParamSpec kHuberParams[] = {
    kX,
    kTarget,
    kReduction,
    {"delta", ParamKind::number, "1", false, {}, "where it turns from square to line"}};
constexpr ParamSpec kSmoothParams[] = {
    kX,
    kTarget,
    kReduction,
    {"beta", ParamKind::number, "1", false, {}, "where it turns from square to line"}};
constexpr ParamSpec kKlParams[] = {
    {"x", ParamKind::tensor, {}, true, {}, "logarithms of probabilities"},
    {"target", ParamKind::tensor, {}, true, {}, "probabilities"},
    {"reduction", ParamKind::word, "mean", false, "mean|sum|none|batchmean", "what becomes of the terms"},
    {"log_target", ParamKind::boolean, "false", false, {}, "the target is logarithms too"}};

constexpr AtenImport kMseAten[] = {{"aten.mse_loss.default", import_loss<"mse", "">}};
constexpr AtenImport kHuberAten[] = {{"aten.huber_loss.default", import_loss<"huber", "delta">}};
constexpr AtenImport kSmoothAten[] = {{"aten.smooth_l1_loss.default", import_loss<"smooth_l1", "beta">}};
constexpr AtenImport kKlAten[] = {{"aten.kl_div.default", import_kl_div}};

constexpr std::string_view kMseExamples[] = {UC_LOSS_EXAMPLE("mse(x, t)"),
                                             UC_LOSS_EXAMPLE("mse(x, t, reduction=sum)")};
constexpr std::string_view kHuberExamples[] = {UC_LOSS_EXAMPLE("huber(x, t, delta=0.5)"),
                                               UC_LOSS_EXAMPLE("huber(x, t, reduction=none)")};
constexpr std::string_view kSmoothExamples[] = {UC_LOSS_EXAMPLE("smooth_l1(x, t)"),
                                                UC_LOSS_EXAMPLE("smooth_l1(x, t, beta=0.5)")};
constexpr std::string_view kHingeExamples[] = {UC_LOSS_EXAMPLE("hinge(x, t)"),
                                               UC_LOSS_EXAMPLE("hinge(x, t, reduction=sum)")};
constexpr std::string_view kKlExamples[] = {UC_LOSS_EXAMPLE("kl_div(log(x * x), t * t, reduction=batchmean)"),
                                            UC_LOSS_EXAMPLE("kl_div(x, t, log_target=true)")};

constexpr OpSpec kRows[] = {
    {.name = "mse",
     .summary = "squared difference",
     .family = "loss",
     .params = kPairParams,
     .reduces = true,
     .infer = infer_elementwise_loss,
     .row_scalar = row_loss<mse_term>,
     .row_domain = elementwise_loss_domain,
     .reference = mse,
     .work = reduction_work<1, 0, 0, 0>,
     .aten = kMseAten,
     .examples = kMseExamples},
    {.name = "huber",
     .summary = "half the squared difference up to delta, linear beyond",
     .family = "loss",
     .params = kHuberParams,
     .reduces = true,
     .infer = infer_huber,
     .row_scalar = row_loss<huber_term>,
     .row_domain = elementwise_loss_domain,
     .reference = huber,
     .work = reduction_work<2, 0, 0, 0>,
     .aten = kHuberAten,
     .examples = kHuberExamples},
    {.name = "smooth_l1",
     .summary = "half the squared difference over beta below beta, the difference less half of beta beyond",
     .family = "loss",
     .params = kSmoothParams,
     .reduces = true,
     .infer = infer_smooth_l1,
     .row_scalar = row_loss<smooth_term>,
     .row_domain = elementwise_loss_domain,
     .reference = smooth_l1,
     .work = reduction_work<2, 0, 0, 0>,
     .aten = kSmoothAten,
     .examples = kSmoothExamples},
    {.name = "hinge",
     .summary = "max(0, 1 - x * target), with targets of -1 and 1",
     .family = "loss",
     .params = kPairParams,
     .reduces = true,
     .infer = infer_elementwise_loss,
     .row_scalar = row_loss<hinge_term>,
     .row_domain = elementwise_loss_domain,
     .reference = hinge,
     .work = reduction_work<1, 0, 0, 0>,
     .examples = kHingeExamples},
    {.name = "kl_div",
     .summary = "divergence of the target from x, which is logarithms: target * (log target - x)",
     .family = "loss",
     .params = kKlParams,
     .reduces = true,
     .infer = infer_elementwise_loss,
     .row_scalar = row_kl_div,
     .row_domain = elementwise_loss_domain,
     .reference = kl_div,
     .work = kl_work,
     .aten = kKlAten,
     .examples = kKlExamples},
};

}  // namespace

std::span<const OpSpec> loss_rows() { return kRows; }

}  // namespace uc::ops
