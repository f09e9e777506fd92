// Arithmetic on results moved into what is prepared when weights are loaded.
#include <algorithm>
#include <span>

#include "rewrites/support/reduced_convolution.h"
#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

bool contraction(const Op& op) {
  return (op.spec->family == "contraction" && is_any(op, {"gemm", "linear"})) || op.spec->family == "conv";
}

// Where the dimension of the result's columns (channels) is, from the end, in result and weights.
struct Columns {
  size_t result, weight;
};

Columns columns_of(const Simplifier& s, const Op& op) {
  const size_t rank = s[op.out[0]].shape.size();
  if (op.spec->name == "linear") return {1, 2};
  if (op.spec->name == "gemm") return {1, 1};
  return {rank - 1, op.spec->name.starts_with("conv_transpose") ? rank - 1 : rank};
}

// A factor of one number, or of one a column, shaped to multiply the weights.
std::optional<ValueId> for_weights(Simplifier& s, ValueId factor, const Op& op) {
  const Value& value = s[factor];
  if (!value.params_only) return std::nullopt;
  if (value.kind == ValueKind::literal || numel(value.shape) == 1)
    return value.shape.empty() ? std::optional(factor) : reshaped(s, factor, {1});
  const Columns at = columns_of(s, op);
  const Shape& weight = s[op.in[1]].shape;
  const Shape& result = s[op.out[0]].shape;
  const int64_t count = result[result.size() - at.result];
  if (numel(value.shape) != count || value.shape.size() < at.result ||
      value.shape[value.shape.size() - at.result] != count || weight[weight.size() - at.weight] != count)
    return std::nullopt;
  Shape shape(at.weight, 1);
  shape[0] = count;
  return reshaped(s, factor, shape);
}

// Which operand is a factor, of x * f or x / f; x then is the other.
std::optional<size_t> factor_of(const Simplifier& s, const Op& op) {
  if (op.in.size() != 2 || !is_any(op, {"mul", "div"})) return std::nullopt;
  for (size_t k = op.spec->name == "div" ? 1 : 0; k < 2; ++k) {
    if (s[op.in[k]].params_only && !s[op.in[1 - k]].params_only &&
        s[op.in[1 - k]].shape == s[op.out[0]].shape)
      return k;
  }
  return std::nullopt;
}

// scale(x W + b) is x scale(W) + scale(b).
std::optional<ValueId> into(Simplifier& s, ValueId x, const Op& scale, size_t factor, int depth) {
  const OpId maker = s.maker(x);
  if (!maker || depth > 6 || !s.read_once(x) || s[x].dtype != s[scale.out[0]].dtype) return std::nullopt;
  const Op& op = s[maker];
  const ValueId by = scale.in[factor];
  const auto apply = [&](ValueId to, ValueId with) {
    return s.op(scale.spec->name, factor == 1 ? std::vector{to, with} : std::vector{with, to});
  };
  if (contraction(op) && op.in.size() == 2 && s[op.in[1]].params_only && s[op.in[1]].dtype == s[x].dtype) {
    const auto shaped = for_weights(s, by, op);
    const auto weight = shaped ? apply(op.in[1], *shaped) : std::nullopt;
    return weight && s[*weight].shape == s[op.in[1]].shape
               ? s.op(op.spec->name, {op.in[0], *weight}, op.attrs)
               : std::nullopt;
  }
  if (!is_any(op, {"add", "sub"})) return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    if (!s[op.in[k]].params_only || s[op.in[1 - k]].shape != s[x].shape) continue;
    const auto inner = into(s, op.in[1 - k], scale, factor, depth + 1);
    const auto shift = inner ? apply(op.in[k], by) : std::nullopt;
    if (!shift || numel(s[*shift].shape) > std::max(numel(s[op.in[k]].shape), numel(s[by].shape)))
      return std::nullopt;
    return s.op(op.spec->name, k == 1 ? std::vector{*inner, *shift} : std::vector{*shift, *inner});
  }
  return std::nullopt;
}

std::optional<ValueId> scale_into_weights(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (!is_floating(s[op.out[0]].dtype)) return std::nullopt;
  const auto factor = factor_of(s, op);
  return factor ? into(s, op.in[1 - *factor], op, *factor, 0) : std::nullopt;
}

// ---- (x + p) + q and (x - p) + q with params

std::optional<ValueId> merge_shifts(Simplifier& s, OpId id) {
  const Op& op = s[id];
  const Value& like = s[op.out[0]];
  if (!is_any(op, {"add", "sub"}) || !is_floating(like.dtype)) return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    const ValueId q = op.in[k];
    const OpId before = s.maker(op.in[1 - k]);
    if (!s[q].params_only || !before || !s.read_once(op.in[1 - k]) || !is_any(s[before], {"add", "sub"}) ||
        (op.spec->name == "sub" && k == 0))
      continue;
    const Op inner = s[before];
    for (size_t j = inner.spec->name == "sub" ? 1 : 0; j < 2; ++j) {
      const ValueId p = inner.in[j];
      const ValueId x = inner.in[1 - j];
      if (!s[p].params_only || s[x].params_only || s[x].shape != like.shape || s[x].dtype != like.dtype)
        continue;
      if (s[p].kind == ValueKind::literal && s[q].kind == ValueKind::literal) continue;
      // x + p + q, x + p - q, x - p + q = x - (p - q), x - p - q = x - (p + q)
      const auto both = s.op(inner.spec->name == op.spec->name ? "add" : "sub", {p, q});
      if (!both || numel(s[*both].shape) > std::max(numel(s[p].shape), numel(s[q].shape)))
        return std::nullopt;
      return s.op(inner.spec->name, {x, *both});
    }
  }
  return std::nullopt;
}

// ---- batch norm by given statistics

std::optional<ValueId> channelwise(Simplifier& s, ValueId value, size_t rank) {
  Shape shape(rank - 1, 1);
  shape[0] = numel(s[value].shape);
  return reshaped(s, value, shape);
}

// (x - mean) / sqrt(var + eps) * weight + bias, in two operators on x.
std::optional<ValueId> fixed_batch_norm(Simplifier& s, OpId id) {
  const Op& op = s[id];
  const auto mean = op.spec->name == "batch_norm" ? operand(op, "mean") : std::nullopt;
  const auto var = mean ? operand(op, "var") : std::nullopt;
  if (!var || !s[op.in[*mean]].params_only || !s[op.in[*var]].params_only) return std::nullopt;
  const size_t rank = s[op.in[0]].shape.size();
  const auto weight = operand(op, "weight");
  const auto bias = operand(op, "bias");
  auto scale = s.op("add", {op.in[*var], s.literal(op.attrs.get_float("eps", 1e-5))});
  if (scale) scale = s.op("rsqrt", {*scale});
  if (scale && weight) scale = s.op("mul", {*scale, op.in[*weight]});
  auto shift = scale ? s.op("mul", {op.in[*mean], *scale}) : std::nullopt;
  if (shift) shift = bias ? s.op("sub", {op.in[*bias], *shift}) : s.op("neg", {*shift});
  if (scale) scale = channelwise(s, *scale, rank);
  if (shift) shift = channelwise(s, *shift, rank);
  const auto scaled = scale && shift ? s.op("mul", {op.in[0], *scale}) : std::nullopt;
  return scaled ? s.op("add", {*scaled, *shift}) : std::nullopt;
}

// ---- (x V) W

double products(double m, double k, double n) { return m * k * n; }

// A linear of a linear, with a shift in between, where the product of the weights costs less.
std::optional<ValueId> chained(Simplifier& s, OpId id) {
  const Op outer = s[id];
  if (outer.spec->name != "linear" || !s[outer.in[1]].params_only) return std::nullopt;
  ValueId x = outer.in[0];
  std::optional<ValueId> shift;
  OpId before = s.read_once(x) ? s.maker(x) : OpId{};
  if (before && s[before].spec->name == "add" && s[s[before].in[1]].params_only &&
      s[s[before].in[1]].shape.size() == 1 && s[s[before].in[0]].shape == s[x].shape) {
    shift = s[before].in[1];
    x = s[before].in[0];
    before = s.read_once(x) ? s.maker(x) : OpId{};
  }
  if (!before || s[before].spec->name != "linear" || !s[s[before].in[1]].params_only) return std::nullopt;
  const Op inner = s[before];
  const int64_t rows_out = numel(s[outer.out[0]].shape) / s[outer.out[0]].shape.back();
  const auto rows = static_cast<double>(rows_out);
  const auto k = static_cast<double>(s[inner.in[1]].shape[1]);
  const auto middle = static_cast<double>(s[inner.in[1]].shape[0]);
  const auto n = static_cast<double>(s[outer.in[1]].shape[0]);
  if (products(rows, k, n) > products(rows, k, middle) + products(rows, middle, n) ||
      k * n > k * middle + middle * n)
    return std::nullopt;
  const auto weight = s.op("gemm", {outer.in[1], inner.in[1]});
  auto y = weight ? s.op("linear", {inner.in[0], *weight}) : std::nullopt;
  if (!y || !shift) return y;
  const auto row = reshaped(s, *shift, {1, s[*shift].shape[0]});
  const auto moved = row ? s.op("linear", {*row, outer.in[1]}) : std::nullopt;
  const auto flat = moved ? reshaped(s, *moved, {s[outer.in[1]].shape[0]}) : std::nullopt;
  return flat ? s.op("add", {*y, *flat}) : std::nullopt;
}

// (A B) C is A (B C) where that is less.
std::optional<ValueId> order(Simplifier& s, OpId id) {
  const Op outer = s[id];
  const OpId before =
      outer.spec->name == "gemm" && s.read_once(outer.in[0]) ? s.maker(outer.in[0], "gemm") : OpId{};
  if (!before) return std::nullopt;
  const Op inner = s[before];
  const Shape& b = s[inner.in[1]].shape;
  const Shape& c = s[outer.in[1]].shape;
  if (b.size() != 2 || c.size() != 2) return std::nullopt;
  const int64_t rows_out = numel(s[outer.out[0]].shape) / s[outer.out[0]].shape.back();
  const auto rows = static_cast<double>(rows_out);
  const auto k = static_cast<double>(b[0]), middle = static_cast<double>(b[1]), n = static_cast<double>(c[1]);
  const bool prepared = s[inner.in[1]].params_only && s[outer.in[1]].params_only;
  const double now = products(rows, k, middle) + products(rows, middle, n);
  const double then = (prepared ? 0 : products(k, middle, n)) + products(rows, k, n);
  if (then >= now || k * n > k * middle + middle * n) return std::nullopt;
  const auto right = s.op("gemm", {inner.in[1], outer.in[1]});
  return right ? s.op("gemm", {inner.in[0], *right}) : std::nullopt;
}

constexpr RewriteSpec kRows[] = {
    simplifying<fixed_batch_norm>(
        "fixed-batch-norm", "batch_norm by given mean and variance is one factor and one addend a channel",
        "with statistics that are params it is an affine function of x; statistics of the batch are not "
        "folded"),
    simplifying<scale_into_weights>(
        "scale-into-weights", "a factor on the result of a product or convolution goes into its weights",
        "(x W + b) c is x (W c) + b c, and W c is prepared when weights are loaded"),
    simplifying<merge_shifts>("merge-shifts",
                              "two params that are added to a result are added to one another",
                              "(x + p) + q is x + (p + q), and p + q is prepared when weights are loaded"),
    simplifying<chained>(work_rules::kChainedWeights),
    simplifying<order>(work_rules::kProductOrder),
};

}  // namespace

std::span<const RewriteSpec> weights_rows() { return kRows; }

}  // namespace uc::rewrites
