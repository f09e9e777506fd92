// Attention written as products around a softmax, of which a triangular mask hides the later keys.
#include <algorithm>
#include <cmath>
#include <span>

#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

bool says_lower(const std::vector<std::string>& structure) {
  return std::ranges::find(structure, "lower") != structure.end();
}

// True where the last two dimensions are the first rows and columns of the matrix that the value is a view
// of.
bool leading_square(const Simplifier& s, const Value& value) {
  const Value& root = s[value.root];
  const size_t rank = value.shape.size();
  const size_t own = root.shape.size();
  return rank >= 2 && own >= 2 && value.offset == root.offset &&
         value.shape[rank - 1] == value.shape[rank - 2] && value.shape[rank - 1] <= root.shape[own - 1] &&
         value.stride[rank - 1] == root.stride[own - 1] && value.stride[rank - 2] == root.stride[own - 2];
}

// True when all elements above the diagonal are 0: by what makes them, or by declaration (or by what was
// seen).
template <Holds holds>
bool is_lower(const Simplifier& s, ValueId mask) {
  if (const OpId tril = s.maker(mask, "tril")) return s[tril].attrs.get_int("diagonal", 0) <= 0;
  const Value& root = s[s[mask].root];
  const bool seen = holds == Holds::observed && root.observed && says_lower(root.observed->structure);
  return (says_lower(root.structure) || seen) && leading_square(s, s[mask]);
}

struct Masked {
  ValueId scores, mask;  ///< hidden where the mask is 0
};

// where(mask == 0, -inf, scores).
std::optional<Masked> masked(const Simplifier& s, ValueId id) {
  const OpId where = s.maker(id, "where");
  if (!where || !s.read_once(id) || number_of(s, s[where].in[1]) != -INFINITY) return std::nullopt;
  const OpId hidden = s.maker(s[where].in[0], "eq");
  if (!hidden || number_of(s, s[hidden].in[1]) != 0.0) return std::nullopt;
  return Masked{s[where].in[2], s[hidden].in[0]};
}

struct Scaled {
  ValueId product;
  double factor = 1;
};

Scaled scaled(const Simplifier& s, ValueId id) {
  const OpId op = s.read_once(id) ? s.maker(id) : OpId{};
  if (!op || !is_any(s[op], {"mul", "div"})) return {id};
  const auto number = number_of(s, s[op].in[1]);
  if (!number || *number == 0) return {id};
  return {s[op].in[0], s[op].spec->name == "mul" ? *number : 1 / *number};
}

template <Holds holds>
std::optional<ValueId> causal(Simplifier& s, OpId id) {
  const Op outer = s[id];
  if (outer.spec->name != "gemm" || s[outer.out[0]].shape.size() != 4 || !s.read_once(outer.in[0]))
    return std::nullopt;
  const OpId softmax = s.maker(outer.in[0], "softmax");
  if (!softmax || dims_attr(s[softmax], 4) != DimSet{3}) return std::nullopt;
  const auto parts = masked(s, s[softmax].in[0]);
  if (!parts || !is_lower<holds>(s, parts->mask)) return std::nullopt;
  const Scaled scores = scaled(s, parts->scores);
  const OpId inner = s.read_once(scores.product) ? s.maker(scores.product, "gemm") : OpId{};
  const Shape& shape = s[parts->scores].shape;
  if (!inner || shape.size() != 4 || shape[2] != shape[3] || s[s[inner].in[0]].shape.size() != 4 ||
      s[s[inner].in[1]].shape.size() != 4)
    return std::nullopt;
  const ValueId q = s[inner].in[0];
  const auto k = s.op("transpose", {s[inner].in[1]});
  const auto seen = s.op("ne", {parts->mask, s.literal(0)});
  const auto mask = seen ? expanded(s, *seen, shape) : std::nullopt;
  if (!k || !mask) return std::nullopt;
  Attrs attrs;
  attrs.set("causal", true);
  attrs.set("scale", scores.factor);
  return s.op("attention", {q, *k, outer.in[1], *mask}, std::move(attrs));
}

// ---- products with what a triangular mask leaves, without a softmax

// relu(where(mask == 0, -inf, scores)) with a triangular mask is 0 above the diagonal.
template <Holds holds>
std::optional<ValueId> triangular(Simplifier& s, OpId id) {
  const Op outer = s[id];
  if (outer.spec->name != "gemm") return std::nullopt;
  const OpId relu = s.maker(outer.in[0], "relu");
  const auto parts = relu ? masked(s, s[relu].in[0]) : std::nullopt;
  const Shape& shape = s[outer.in[0]].shape;
  if (!parts || !is_lower<holds>(s, parts->mask) || shape.back() != shape[shape.size() - 2] ||
      s[parts->mask].shape.back() != shape.back())
    return std::nullopt;
  const auto lower = s.op("tril", {outer.in[0]});
  return lower ? s.op("gemm", {*lower, outer.in[1]}) : std::nullopt;
}

constexpr RewriteSpec kRows[] = {
    simplifying<triangular<Holds::always>>(
        "causal-relu", "a product with relu of masked scores, the mask triangular, is one with a triangle",
        "relu of -inf is 0, so all above the diagonal is 0"),
    simplifying<triangular<Holds::observed>>(
        "observed-causal-relu",
        "a product with relu of scores, masked by what was triangular, is one with a triangle",
        "the mask was zero above its diagonal when the problem was captured; another one may not be",
        Claim::algebraic, Holds::observed),
    simplifying<causal<Holds::always>>(
        "causal-attention", "products around a softmax with a triangular mask are causal attention",
        "a score of -inf weighs 0: later keys are neither multiplied nor summed, and the mask hides the "
        "rest"),
    simplifying<causal<Holds::observed>>(
        "observed-causal-attention",
        "products around a softmax with a mask that was triangular are causal "
        "attention",
        "the mask was zero above its diagonal when the problem was captured; another one may not be",
        Claim::algebraic, Holds::observed),
};

}  // namespace

std::span<const RewriteSpec> causal_rows() { return kRows; }

}  // namespace uc::rewrites
