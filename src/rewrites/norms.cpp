// What normalisations take out again.
#include <algorithm>
#include <span>

#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

// Dimensions of the first operand that are standardised together. Empty: no such operator.
DimSet centred(const Simplifier& s, const Op& op) {
  const size_t rank = s[op.in[0]].shape.size();
  DimSet dims;
  if (op.spec->name == "softmax" || op.spec->name == "log_softmax") return dims_attr(op, rank);
  if (op.spec->name == "batch_norm" && !operand(op, "mean")) {
    for (size_t i = 0; i < rank; ++i) {
      if (i != 1) dims.push_back(i);
    }
  } else if (op.spec->name == "instance_norm") {
    for (size_t i = 2; i < rank; ++i) dims.push_back(i);
  } else if (op.spec->name == "group_norm") {
    for (size_t i = 1; i < rank; ++i) dims.push_back(i);
  } else if (op.spec->name == "layer_norm") {
    if (op.attrs.has("dim")) return dims_attr(op, rank);
    const auto weight = operand(op, "weight");
    const size_t own = weight ? s[op.in[*weight]].shape.size() : 1;
    for (size_t i = rank - own; i < rank; ++i) dims.push_back(i);
  }
  return dims;
}

// x without what shifts all elements that meet by the same; nothing when there is no such thing.
std::optional<ValueId> unshifted(Simplifier& s, ValueId x, const DimSet& dims, int depth = 0) {
  const OpId before = s.maker(x);
  if (!before || depth > 4 || !s.read_once(x) || !is_any(s[before], {"add", "sub", "mul", "div"}))
    return std::nullopt;
  const Op& op = s[before];
  const Shape& shape = s[x].shape;
  const DType type = s[x].dtype;
  const bool adds = is_any(op, {"add", "sub"});
  for (size_t k = is_any(op, {"add", "mul"}) ? 0 : 1; k < 2; ++k) {
    const ValueId inner = op.in[1 - k];
    if (s[inner].shape != shape || s[inner].dtype != type || !same_along(s, op.in[k], shape, dims)) continue;
    const auto deeper = unshifted(s, inner, dims, depth + 1);
    if (adds) return deeper ? deeper : inner;
    if (deeper) return s.op(op.spec->name, {*deeper, op.in[k]});
  }
  return std::nullopt;
}

std::optional<ValueId> shift(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.in.empty() || !is_floating(s[op.out[0]].dtype)) return std::nullopt;
  const DimSet dims = centred(s, op);
  const auto x = dims.empty() ? std::nullopt : unshifted(s, op.in[0], dims);
  if (!x) return std::nullopt;
  std::vector<ValueId> in = op.in;
  in[0] = *x;
  return s.op(op.spec->name, std::move(in), op.attrs);
}

// ---- means of what was standardised

bool seen_uniform(const Value& scale) { return scale.observed && scale.observed->constant; }

// The mean over all that was standardised together is 0 before scale and shift.
template <Holds holds>
std::optional<ValueId> mean_of_norm(Simplifier& s, OpId id) {
  const auto mean = reduction_of(s, id);
  if (!mean || mean->name != "mean") return std::nullopt;
  const OpId maker = s.maker(mean->x);
  if (!maker || !is_any(s[maker], {"batch_norm", "instance_norm", "group_norm", "layer_norm"}))
    return std::nullopt;
  const Op norm = s[maker];
  const DimSet dims = centred(s, norm);
  const auto weight = operand(norm, "weight");
  const bool one_scale = is_any(norm, {"batch_norm", "instance_norm"}) || !weight ||
                         (holds == Holds::observed && seen_uniform(s[norm.in[*weight]]));
  if (dims.empty() || !one_scale || !std::ranges::includes(mean->dims, dims)) return std::nullopt;
  const Value& like = s[s[id].out[0]];
  const auto bias = operand(norm, "bias");
  if (!bias) return filled(s, 0, like);
  if (norm.spec->name == "layer_norm") return std::nullopt;
  // One a channel: the mean of the biases, or each channel's.
  const bool over_channels = std::ranges::find(mean->dims, size_t{1}) != mean->dims.end();
  std::optional<ValueId> left = norm.in[*bias];
  if (over_channels) left = reduced(s, "mean", *left, {0});
  Shape shape(s[mean->x].shape.size(), 1);
  if (!over_channels) shape[1] = s[*left].shape[0];
  if (left) left = reshaped(s, *left, shape);
  Shape wide = s[mean->x].shape;
  for (const size_t dim : mean->dims) wide[dim] = 1;
  if (left) left = expanded(s, *left, wide);
  return left && !mean->keepdim ? squeezed(s, *left, mean->dims) : left;
}

constexpr RewriteSpec kRows[] = {
    simplifying<shift>(
        "shift-before-norm",
        "what adds the same to all elements that are standardised together is dropped: softmax(x "
        "+ c), batch_norm(x + bias)",
        "the mean takes it out again; softmax divides by the same factor that it multiplies with"),
    simplifying<mean_of_norm<Holds::always>>(
        "mean-of-norm", "the mean of what was standardised is its bias",
        "elements less their mean have the mean 0, whatever one factor they are multiplied by"),
    simplifying<mean_of_norm<Holds::observed>>(
        "observed-mean-of-norm",
        "the mean of what was standardised is the mean bias, where all scales were equal",
        "the scales were one number when the problem was captured; training changes them", Claim::algebraic,
        Holds::observed),
};

}  // namespace

std::span<const RewriteSpec> norms_rows() { return kRows; }

}  // namespace uc::rewrites
