// Losses over classes.
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>

#include "catalog/diags_reduce.h"
#include "ops/detail/gathering.h"
#include "ops/detail/loss_row.h"

namespace uc::ops {
namespace {

using In = std::span<const HostTensor* const>;
using Out = std::span<HostTensor>;

// ---- cross_entropy: classes are dimension 1, or the only one

size_t class_dim(const Shape& shape) { return shape.size() < 2 ? 0 : 1; }

bool is_index(DType type) { return type == DType::i64 || type == DType::i32 || type == DType::u8; }

bool infer_cross_entropy(InferContext& context) {
  const Value& x = context.in(0);
  const Value& target = context.in(1);
  if (!must_be_floating(context, 0)) return false;
  const size_t at = class_dim(x.shape);
  if (x.shape.empty()) return checked_dims(context, 0, {0}).has_value();
  const Shape samples = without(x.shape, {at}, false);
  const bool indices = is_index(target.dtype) && target.shape == samples;
  const bool probabilities = is_floating(target.dtype) && target.shape == x.shape;
  if (indices || probabilities) {
    if (!operand_fits(context, "weight", {x.shape[at]}, "the classes")) return false;
    loss_result(context, x.dtype, samples);
    return true;
  }
  context
      .error(kinds::class_index, fmt::format("`cross_entropy` of {} with the target {}, {}", describe(x),
                                             describe(target), name(target.dtype)))
      .help = fmt::format("class indices i64{}, or probabilities {}{}", to_text(samples), name(x.dtype),
                          to_text(x.shape));
  return false;
}

/// What one sample adds to the sum, and to the divisor of the mean.
struct Sample {
  double loss = 0;
  double weight = 0;
};

class CrossEntropy {
 public:
  CrossEntropy(const Op& op, In in)
      : compute_(*in[0]),
        target_(*in[1]),
        weight_(operand_data(op, in, "weight")),
        smoothing_(op.attrs.get_float("label_smoothing", 0.0)),
        ignored_(op.attrs.get_int("ignore_index", -100)) {}

  /// `row` holds the logits of a sample.
  Sample of_index(std::vector<double>& row, int64_t target) const {
    if (target == ignored_) return {};
    if (target < 0 || target >= static_cast<int64_t>(row.size())) {
      const double nothing = std::numeric_limits<double>::quiet_NaN();  // PyTorch stops there
      return {nothing, 1.0};
    }
    log_probabilities(row);
    const auto at = static_cast<size_t>(target);
    double loss = -(1.0 - smoothing_) * weight(at) * row[at];
    if (smoothing_ != 0) loss += smoothing_ / static_cast<double>(row.size()) * every(row, 1.0);
    return {loss, weight(at)};
  }

  /// `place[k]`: where the probability of class k is.
  Sample of_probabilities(std::vector<double>& row, const std::vector<size_t>& place) const {
    log_probabilities(row);
    double loss = 0;
    for (size_t k = 0; k < row.size(); ++k) {
      const double share = target_.at(static_cast<int64_t>(place[k])) * (1.0 - smoothing_) +
                           smoothing_ / static_cast<double>(row.size());
      loss -= weight(k) * share * row[k];
    }
    return {loss, 1.0};
  }

 private:
  double weight(size_t k) const { return weight_ == nullptr ? 1.0 : weight_->at(static_cast<int64_t>(k)); }

  double every(const std::vector<double>& row, double factor) const {
    double total = 0;
    for (size_t k = 0; k < row.size(); ++k) total -= factor * weight(k) * row[k];
    return total;
  }

  void log_probabilities(std::vector<double>& row) const {
    const double top = largest(row);
    std::vector<double> terms(row.size());
    for (size_t k = 0; k < row.size(); ++k) terms[k] = std::exp(row[k] - top);
    const double total = std::log(compute_(sum(Floats(terms))));
    for (double& value : row) value = value - top - total;
  }

  Compute compute_;
  const HostTensor& target_;
  const HostTensor* weight_;
  double smoothing_;
  int64_t ignored_;
};

void cross_entropy(const Program&, const Op& op, In in, Out out) {
  const HostTensor& x = *in[0];
  const Slices slices(x.shape, {class_dim(x.shape)});
  SliceReader reader(x, slices);
  const CrossEntropy of(op, in);
  const bool indices = is_index(in[1]->dtype);
  std::vector<double> terms;
  double divisor = 0;
  std::vector<size_t> place(slices.length());
  for (size_t i = 0; i < slices.count(); ++i) {
    const Floats read = reader.floats(i);
    std::vector<double> row(read.begin(), read.end());
    for (size_t k = 0; k < place.size(); ++k) place[k] = slices.at(i, k);
    const auto index = static_cast<int64_t>(i);
    const Sample sample =
        indices ? of.of_index(row, index_at(*in[1], index)) : of.of_probabilities(row, place);
    terms.push_back(sample.loss);
    divisor += sample.weight;
  }
  if (op.attrs.get_word("reduction", "mean") != "mean") return settle(op, terms, out[0]);
  put(out[0], 0, Compute(out[0])(sum(Floats(terms))) / divisor);  // 0 / 0 when all are ignored, as PyTorch
}

// ---- as an expression

RowDomain class_domain(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  const size_t at = class_dim(shape);
  RowDomain out{.shape = shape, .domain = shape, .meet = {at}, .operands = std::vector<Shape>(op.in.size())};
  if (is_index(program[op.in[1]].dtype)) out.operands[1] = without(shape, {at}, true);
  Shape classes(shape.size() - at, 1);
  classes[0] = shape[at];
  if (const auto weight = operand(op, "weight")) out.operands[*weight] = classes;
  return out;
}

class ClassLoss {
 public:
  ClassLoss(ScalarBuilder& b, std::span<const NodeId> in, const Program& program, const Op& op)
      : b_(b), op_(op), classes_(program[op.in[0]].shape[class_dim(program[op.in[0]].shape)]) {
    x_ = in[0];
    target_ = in[1];
    const auto weight = operand(op, "weight");
    weight_ = weight ? in[*weight] : b.constant(1);
    weighted_ = weight.has_value();
    apart_ = b.sub(x_, b.across(Combine::max, x_));
    log_total_ = b.call("log", {b.across(Combine::sum, b.call("exp", {apart_}))});
    smoothing_ = op.attrs.get_float("label_smoothing", 0.0);
    samples_ = static_cast<double>(numel(program[op.in[0]].shape)) / static_cast<double>(classes_);
  }

  NodeId of_indices(NodeId place) {
    ScalarBuilder whole = b_.whole();
    const NodeId hit = whole.call("eq", {place, target_});
    const NodeId own = weighted_ ? picked(hit, weight_) : b_.constant(1);
    NodeId loss = b_.mul(b_.sub(log_total_, picked(hit, apart_)), own);
    if (smoothing_ != 0) {
      const NodeId every = less_log(weight_);
      loss = b_.add(b_.mul(loss, b_.constant(1.0 - smoothing_)), b_.mul(every, b_.constant(share())));
    }
    const NodeId below = whole.call("lt", {target_, whole.constant(0)});
    const NodeId above = whole.call("ge", {target_, whole.constant(static_cast<double>(classes_))});
    const NodeId outside = whole.maximum(below, above);
    const NodeId ignored = whole.call(
        "eq", {target_, whole.constant(static_cast<double>(op_.attrs.get_int("ignore_index", -100)))});
    loss = known(ignored, outside, loss, NAN);
    const std::string reduction = op_.attrs.get_word("reduction", "mean");
    if (reduction != "mean") return settled_rows(b_, op_, loss, samples_);
    const NodeId divisor = known(ignored, outside, own, 1.0);
    return b_.div(b_.across_rows(Combine::sum, loss), b_.across_rows(Combine::sum, divisor));
  }

  NodeId of_probabilities() {
    NodeId part = b_.mul(target_, b_.constant(1.0 - smoothing_));
    if (smoothing_ != 0) part = b_.add(part, b_.constant(share()));
    return settled_rows(b_, op_, less_log(b_.mul(weight_, part)), samples_);
  }

 private:
  double share() const { return smoothing_ / static_cast<double>(classes_); }
  NodeId picked(NodeId hit, NodeId of) { return b_.across(Combine::sum, b_.select(hit, of, b_.constant(0))); }
  // Less the sum of factor times the log of the probability.
  NodeId less_log(NodeId factor) {
    const NodeId all = b_.across(Combine::sum, factor);
    return b_.sub(b_.mul(all, log_total_), b_.across(Combine::sum, b_.mul(factor, apart_)));
  }
  NodeId known(NodeId ignored, NodeId outside, NodeId value, double otherwise) {
    return b_.select(ignored, b_.constant(0), b_.select(outside, b_.constant(otherwise), value));
  }

  ScalarBuilder& b_;
  const Op& op_;
  int64_t classes_;
  NodeId x_, target_, weight_, apart_, log_total_;
  bool weighted_ = false;
  double smoothing_ = 0, samples_ = 0;
};

std::vector<NodeId> row_cross_entropy(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  ClassLoss of(b, in, program, op);
  if (!is_index(program[op.in[1]].dtype)) return {of.of_probabilities()};
  return {of.of_indices(b.coordinate(static_cast<int64_t>(class_dim(program[op.in[0]].shape))))};
}

Work cross_entropy_work(const Program& program, const Op& op) {
  const auto logits = static_cast<double>(numel(program[op.in[0]].shape));
  const auto samples =
      logits / static_cast<double>(program[op.in[0]].shape[class_dim(program[op.in[0]].shape)]);
  return {.tensor_flops = 0, .fma_ops = 3 * logits + samples, .special_ops = logits + samples};
}

// ---- import

bool import_cross_entropy(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto target = context.value(op, 1);
  Attrs attrs;
  if (!x || !target || !set_reduction(attrs, context.integer(op, 3, "reduction").value_or(1))) return false;
  if (const auto ignored = context.integer(op, 4, "ignore_index").value_or(-100); ignored != -100)
    attrs.set("ignore_index", ignored);
  if (const auto smoothing = context.number(op, 5, "label_smoothing").value_or(0); smoothing != 0)
    attrs.set("label_smoothing", smoothing);
  return finish(context, op,
                apply_given(context, "cross_entropy", {x, target, context.value(op, 2)}, std::move(attrs)));
}

constexpr ParamSpec kCrossParams[] = {
    {"x", ParamKind::tensor, {}, true, {}, "logits; classes are dimension 1"},
    {"target", ParamKind::tensor, {}, true, {}, "class indices, or probabilities of x's shape"},
    {"weight", ParamKind::tensor, {}, false, {}, "one a class"},
    kReduction,
    {"ignore_index", ParamKind::integer, "-100", false, {}, "a class index that does not count"},
    {"label_smoothing", ParamKind::number, "0", false, {}, "share spread over all classes"}};
constexpr AtenImport kCrossAten[] = {{"aten.cross_entropy_loss.default", import_cross_entropy}};
constexpr std::string_view kCrossExamples[] = {
    "target sm_90a\ninput x: f32[16, 8]\ninput z: f32[16, 8]\nt = argmax(z, dim=1)\ny = cross_entropy(x, "
    "t)\nreturn y\n",
    "target sm_90a\ninput x: f32[16, 8]\ninput z: f32[16, 8]\np = softmax(z, dim=1)\ny = cross_entropy(x, "
    "p, label_smoothing=0.1)\nreturn y\n"};
constexpr OpSpec kRows[] = {
    {.name = "cross_entropy",
     .summary = "less the log of the probability that softmax of x gives the target class",
     .family = "loss",
     .params = kCrossParams,
     .reduces = true,
     .infer = infer_cross_entropy,
     .row_scalar = row_cross_entropy,
     .row_domain = class_domain,
     .reference = cross_entropy,
     .work = cross_entropy_work,
     .aten = kCrossAten,
     .examples = kCrossExamples},
};

}  // namespace

std::span<const OpSpec> class_loss_rows() { return kRows; }

}  // namespace uc::ops
