// Results that are known before anything runs: reductions of one element, differences of equals, clamps that
// everything is beyond, products with zeros.
#include <algorithm>
#include <cmath>
#include <span>

#include "exec/execute.h"
#include "rewrites/support/range.h"
#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// ---- reductions of one element

std::optional<ValueId> as_result(Simplifier& s, ValueId x, const Op& op) {
  return reshaped(s, x, s[op.out[0]].shape);
}

// Elements that a normalisation standardises together.
double normalised(const Simplifier& s, const Op& op) {
  const Shape& shape = s[op.in[0]].shape;
  const auto spatial = [&](size_t from) {
    double out = 1;
    for (size_t i = from; i < shape.size(); ++i) out *= static_cast<double>(shape[i]);
    return out;
  };
  const std::string_view name = op.spec->name;
  if (name == "instance_norm") return spatial(2);
  if (name == "group_norm")
    return spatial(1) / static_cast<double>(std::max<int64_t>(1, op.attrs.get_int("groups", 1)));
  if (op.attrs.has("dim")) return extent_of(shape, dims_attr(op, shape.size()));
  const auto weight = operand(op, "weight");
  return spatial(shape.size() - (weight ? s[op.in[*weight]].shape.size() : 1));
}

// What a normalisation of equal elements leaves: its bias.
std::optional<ValueId> bias_alone(Simplifier& s, const Op& op) {
  const Value& like = s[op.out[0]];
  const auto bias = operand(op, "bias");
  if (!bias) return filled(s, 0, like);
  ValueId added = op.in[*bias];
  if (op.spec->name != "layer_norm") {  // one a channel, dimension 1
    Shape shape(like.shape.size() - 1, 1);
    shape[0] = like.shape[1];
    const auto lifted = reshaped(s, added, shape);
    if (!lifted) return std::nullopt;
    added = *lifted;
  }
  return s[added].dtype == like.dtype ? expanded(s, added, like.shape) : std::nullopt;
}

std::optional<ValueId> one_element(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.in.empty() || !is_floating(s[op.in[0]].dtype)) return std::nullopt;
  if (is_any(op, {"instance_norm", "group_norm", "layer_norm"}))
    return normalised(s, op) == 1 ? bias_alone(s, op) : std::nullopt;
  if (op.in.size() != 1) return std::nullopt;
  const Shape& shape = s[op.in[0]].shape;
  if (extent_of(shape, dims_attr(op, shape.size())) != 1 || shape.empty()) {
    const auto reduction = reduction_of(s, id);
    if (!reduction || extent_of(shape, reduction->dims) != 1) return std::nullopt;
    return as_result(s, op.in[0], op);
  }
  if (is_any(op, {"sum", "mean", "max", "min", "prod", "logsumexp", "cumsum", "cumprod"}))
    return as_result(s, op.in[0], op);
  if (is_any(op, {"norm1", "norm2"})) {
    const auto size = s.op("abs", {op.in[0]});
    return size ? as_result(s, *size, op) : std::nullopt;
  }
  if (op.spec->name == "softmax") return filled(s, 1, s[op.out[0]]);
  if (op.spec->name == "log_softmax" || (op.spec->name == "var" && !op.attrs.get_bool("unbiased", false)))
    return filled(s, 0, s[op.out[0]]);
  return std::nullopt;
}

// ---- the same on both sides

std::optional<ValueId> difference(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.spec->name != "sub" || op.in[0] != op.in[1]) return std::nullopt;
  return filled(s, 0, s[op.out[0]]);
}

// ---- constant operands

// The number that a pointwise operator makes of numbers: run on one element.
std::optional<double> evaluated(const Simplifier& s, const Op& op) {
  DiagSink diags;
  Program program;
  ProgramBuilder builder(s.catalog(), program, diags);
  std::vector<ValueId> in;
  for (const ValueId each : op.in) {
    const auto number = number_of(s, each);
    if (!number) return std::nullopt;
    if (s[each].kind == ValueKind::literal) {
      in.push_back(builder.literal(*number, s[each].literal_is_int));
      continue;
    }
    const ValueId value = builder.declare(ValueKind::input, "", s[each].dtype, {1}, {1});
    in.push_back(value);
  }
  const auto made = builder.op(*op.spec, in, op.attrs);
  if (!made) return std::nullopt;
  Step step;
  step.main = *made;
  step.results = program[*made].out;
  program.results = step.results;
  builder.step(std::move(step));
  std::vector<HostTensor> data;
  for (size_t i = 0; i < op.in.size(); ++i) {
    if (program[in[i]].kind != ValueKind::input) continue;
    data.push_back(HostTensor::zeros(program[in[i]].dtype, {1}));
    data.back().set(0, *number_of(s, op.in[i]));
  }
  const auto results = execute(s.catalog(), program, data, {});
  if (!results || results->empty() || (*results)[0].count() != 1) return std::nullopt;
  return (*results)[0].at(0);
}

std::optional<double> reduced_constant(const Simplifier& s, OpId id, double x) {
  const Op& op = s[id];
  if (const auto reduction = reduction_of(s, id))
    return reduction->name == "sum" ? x * extent_of(s[op.in[0]].shape, reduction->dims) : x;
  const double count = extent_of(s[op.in[0]].shape, dims_attr(op, s[op.in[0]].shape.size()));
  if (is_any(op, {"max", "min"})) return x;
  if (op.spec->name == "softmax") return 1 / count;
  if (op.spec->name == "logsumexp") return x + std::log(count);
  return std::nullopt;
}

std::optional<ValueId> constant(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.in.empty() || op.spec->is_view() || is_any(op, {"tril", "triu", "index", "cuda", "to"}))
    return std::nullopt;
  const auto first = number_of(s, op.in[0]);
  std::optional<double> number;
  if (op.spec->is_pointwise()) {
    number = evaluated(s, op);
  } else if (first && op.in.size() == 1 && is_floating(s[op.in[0]].dtype)) {
    number = reduced_constant(s, id, *first);
  }
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return filled(s, *number, s[op.out[0]]);
}

std::optional<ValueId> zero_product(Simplifier& s, OpId id) {
  const Op& op = s[id];
  const bool linear = op.spec->family == "contraction" || op.spec->family == "conv" || op.spec->name == "mul";
  if (!linear || op.in.size() != 2 || !is_floating(s[op.out[0]].dtype)) return std::nullopt;
  if (number_of(s, op.in[0]) != 0.0 && number_of(s, op.in[1]) != 0.0) return std::nullopt;
  return filled(s, 0, s[op.out[0]]);
}

// ---- clamps

// What the operator does with what is inside: `keeps` is where the result is the operand; below it everything
// becomes `under`, above it `over`, where these are numbers.
struct Clamp {
  Range keeps;
  std::optional<double> under, over;
  ValueId x;
};

std::optional<Clamp> clamp_like(Simplifier& s, const Op& op) {
  const std::string_view name = op.spec->name;
  if (name == "minimum" || name == "maximum") {
    for (size_t k = 0; k < 2; ++k) {
      const auto number = number_of(s, op.in[k]);
      if (!number) continue;
      if (name == "minimum") return Clamp{{-kInf, *number}, {}, number, op.in[1 - k]};
      return Clamp{{*number, kInf}, number, {}, op.in[1 - k]};
    }
    return std::nullopt;
  }
  if (is_any(op, {"leaky_relu", "elu", "celu", "abs"})) return Clamp{{0, kInf}, {}, {}, op.in[0]};
  const auto keeps = clamp_of(op);
  if (!keeps) return std::nullopt;
  Clamp out{*keeps, {}, {}, op.in[0]};
  if (std::isfinite(keeps->low)) out.under = keeps->low;
  if (std::isfinite(keeps->high)) out.over = keeps->high;
  return out;
}

std::optional<ValueId> bounded(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (!is_floating(s[op.out[0]].dtype)) return std::nullopt;
  const auto clamp = clamp_like(s, op);
  if (!clamp) return std::nullopt;
  const Range x = range_of(s, clamp->x);
  if (x.low >= clamp->keeps.low && x.high <= clamp->keeps.high) return clamp->x;
  if (clamp->over && clamp->keeps.low == clamp->keeps.high) return filled(s, *clamp->over, s[op.out[0]]);
  if (clamp->under && x.high <= clamp->keeps.low) return filled(s, *clamp->under, s[op.out[0]]);
  if (clamp->over && x.low >= clamp->keeps.high) return filled(s, *clamp->over, s[op.out[0]]);
  return std::nullopt;
}

// ---- what was seen

std::optional<ValueId> seen_constant(Simplifier& s, OpId id) {
  const ValueId out = s[id].out[0];
  const auto& observed = s[out].observed;
  if (!observed || !observed->constant || number_of(s, out)) return std::nullopt;
  return filled(s, *observed->constant, s[out]);
}

// Inputs that had one value everywhere, where they are read.
std::optional<ValueId> seen_constant_input(Simplifier& s, OpId id) {
  const Op& op = s[id];
  std::vector<ValueId> in = op.in;
  bool any = false;
  for (ValueId& each : in) {
    if (s[each].kind != ValueKind::input || !s[each].observed || !s[each].observed->constant) continue;
    const auto full = filled(s, *s[each].observed->constant, Value(s[each]));
    if (!full) return std::nullopt;
    each = *full;
    any = true;
  }
  return any ? s.op(op.spec->name, std::move(in), op.attrs) : std::nullopt;
}

constexpr RewriteSpec kRows[] = {
    simplifying<one_element>(
        "one-element", "a reduction or normalisation of one element is known without it",
        "the sum, mean, greatest or log-sum-exp of one element is the element, softmax of "
        "it is 1, and what is less its own mean is 0",
        Claim::exact),
    simplifying<difference>("difference-of-equals", "x - x is 0", "every finite x less itself is 0",
                            Claim::exact),
    simplifying<constant>("constant-operands", "an operator of constants is a constant",
                          "its operands are the same number everywhere, so its result is", Claim::algebraic),
    simplifying<zero_product>("zero-product", "a product with zeros is zeros",
                              "0 * x is 0 for every finite x", Claim::exact),
    simplifying<bounded>(
        "bounded",
        "a clamp that its operand never reaches is dropped, one that it is always beyond is a "
        "constant: clamp(minimum(x, 0), 0, 1) is 0",
        "interval arithmetic over the operators before it bounds the operand for all data", Claim::algebraic),
    simplifying<seen_constant>(work_rules::kObservedConstant, Claim::exact, Holds::observed),
    simplifying<seen_constant_input>(
        "observed-constant-input", "an input that had one value everywhere is not read",
        "all elements were equal in the captured run; other data may differ", Claim::exact, Holds::observed),
};

}  // namespace

std::span<const RewriteSpec> constant_results_rows() { return kRows; }

}  // namespace uc::rewrites
