#include "ops/detail/loss_row.h"

#include <fmt/format.h>

#include "catalog/diags_reduce.h"
#include "exec/view.h"

namespace uc::ops {
namespace {

HostTensor expanded(const HostTensor& tensor, const Shape& shape) {
  const Strides own = row_major(tensor.shape);
  const Strides wide = broadcast_strides(tensor.shape, own, shape);
  return read_view(tensor, own, {shape, wide, 0});
}

}  // namespace

void loss_result(InferContext& context, DType type, Shape shape) {
  context.result(type,
                 context.op().attrs.get_word("reduction", "mean") == "none" ? std::move(shape) : Shape{});
}

bool positive(InferContext& context, std::string_view name, double otherwise) {
  const double value = context.op().attrs.get_float(name, otherwise);
  if (value > 0) return true;
  context.error(kinds::positive_setting, fmt::format("{}={} of `{}`", name, value, context.op().spec->name))
      .help = fmt::format("{} is above zero, {} unless said", name, otherwise);
  return false;
}

void settle(const Op& op, const std::vector<double>& terms, HostTensor& out, double count) {
  const Compute compute(out);
  const std::string reduction = op.attrs.get_word("reduction", "mean");
  if (reduction == "none") {
    for (size_t i = 0; i < terms.size(); ++i) put(out, i, terms[i]);
    return;
  }
  const double total = compute(sum(Floats(terms)));
  const double divisor = count == 0 ? static_cast<double>(terms.size()) : count;
  put(out, 0, reduction == "sum" ? total : total / divisor);
}

bool infer_elementwise_loss(InferContext& context) {
  const auto shape = broadcast(context.in(0).shape, context.in(1).shape);
  if (!shape) {
    context
        .error(kinds::loss_operands, fmt::format("`{}` of {} and {}", context.op().spec->name,
                                                 describe(context.in(0)), describe(context.in(1))))
        .help = "give both the same shape";
    return false;
  }
  if (!must_be_floating(context, 0)) return false;
  loss_result(context, promoted_type(context.program(), context.op().in), *shape);
  return true;
}

std::vector<double> terms_of(const HostTensor& x, const HostTensor& target,
                             const std::function<double(double, double)>& term) {
  const Shape shape = broadcast(x.shape, target.shape).value_or(x.shape);
  const HostTensor left = expanded(x, shape);
  const HostTensor right = expanded(target, shape);
  std::vector<double> out;
  out.reserve(static_cast<size_t>(left.count()));
  for (int64_t i = 0; i < left.count(); ++i) out.push_back(term(left.at(i), right.at(i)));
  return out;
}

RowDomain elementwise_loss_domain(const Program& program, const Op& op) {
  const Shape& x = program[op.in[0]].shape;
  RowDomain out;
  out.shape = broadcast(x, program[op.in[1]].shape).value_or(x);
  out.domain = out.shape;
  const bool kept = op.attrs.get_word("reduction", "mean") == "none";
  for (size_t d = kept && !out.shape.empty() ? out.shape.size() - 1 : 0; d < out.shape.size(); ++d)
    out.meet.push_back(d);
  return out;
}

NodeId settled(ScalarBuilder& b, const Program& program, const Op& op, NodeId term, double count) {
  const std::string reduction = op.attrs.get_word("reduction", "mean");
  if (reduction == "none") return term;
  const NodeId total = b.across(Combine::sum, term);
  if (reduction == "sum") return total;
  const auto terms = static_cast<double>(numel(elementwise_loss_domain(program, op).shape));
  return b.mul(total, b.constant(1.0 / (count == 0 ? terms : count)));
}

NodeId settled_rows(ScalarBuilder& b, const Op& op, NodeId term, double count) {
  const std::string reduction = op.attrs.get_word("reduction", "mean");
  if (reduction == "none") return term;
  const NodeId total = b.across_rows(Combine::sum, term);
  return reduction == "sum" ? total : b.mul(total, b.constant(1.0 / count));
}

bool set_reduction(Attrs& attrs, int64_t reduction) {
  if (reduction == 0) attrs.set("reduction", std::string("none"));
  if (reduction == 2) attrs.set("reduction", std::string("sum"));
  return reduction >= 0 && reduction <= 2;
}

}  // namespace uc::ops
