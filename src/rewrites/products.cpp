// Products that are one with another one: numbers that stand between factors, sums of products that share a
// factor.
#include <algorithm>
#include <cmath>
#include <span>

#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

constexpr int kDeepest = 8;

bool multiplies(const Op& op) { return is_any(op, {"gemm", "linear"}); }

bool is_view(const Op& op) {
  return is_any(op, {"transpose", "permute", "unsqueeze", "squeeze", "reshape"}) && op.in.size() == 1;
}

// ---- ((A B) c) D is ((A B) D) c

struct Unscaled {
  ValueId x;
  double factor = 1;
  bool of_product = false;
};

// The number that an operator multiplies its operand by, and which operand that is.
std::optional<std::pair<size_t, double>> number_factor(const Simplifier& s, const Op& op) {
  if (op.spec->name == "neg") return std::pair(size_t{0}, -1.0);
  if (op.in.size() != 2 || !is_any(op, {"mul", "div"})) return std::nullopt;
  for (size_t k = op.spec->name == "div" ? 1 : 0; k < 2; ++k) {
    const auto number = number_of(s, op.in[k]);
    const Value& x = s[op.in[1 - k]];
    if (!number || *number == 0 || !std::isfinite(*number) || x.shape != s[op.out[0]].shape ||
        x.dtype != s[op.out[0]].dtype)
      continue;
    return std::pair(1 - k, op.spec->name == "mul" ? *number : 1 / *number);
  }
  return std::nullopt;
}

// A value that is a product behind views and numbers that it is multiplied by, without the numbers.
Unscaled unscaled(Simplifier& s, ValueId v, int depth = 0) {
  const OpId maker = s.read_once(v) && depth < kDeepest ? s.maker(v) : OpId{};
  if (!maker) return {v};
  const Op& op = s[maker];
  if (multiplies(op)) return {v, 1, true};
  if (is_view(op)) {
    const Unscaled inner = unscaled(s, op.in[0], depth + 1);
    if (!inner.of_product || inner.factor == 1) return {v, 1, inner.of_product};
    const auto view = s.op(op.spec->name, {inner.x}, op.attrs);
    return view ? Unscaled{*view, inner.factor, true} : Unscaled{v};
  }
  const auto number = number_factor(s, op);
  if (!number) return {v};
  Unscaled inner = unscaled(s, op.in[number->first], depth + 1);
  inner.factor *= number->second;
  return inner;
}

std::optional<ValueId> number_out(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (!multiplies(op) || !is_floating(s[op.out[0]].dtype)) return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    const Unscaled factor = unscaled(s, op.in[k]);
    if (!factor.of_product || factor.factor == 1 || !std::isnormal(factor.factor)) continue;
    std::vector<ValueId> in = op.in;
    in[k] = factor.x;
    const auto y = s.op(op.spec->name, std::move(in), op.attrs);
    return y ? s.op("mul", {*y, s.literal(factor.factor)}) : std::nullopt;
  }
  return std::nullopt;
}

// ((A B) r) D is ((A B) D) r where r is one number a row.
std::optional<ValueId> rows_out(Simplifier& s, OpId id) {
  const Op& op = s[id];
  const OpId maker = multiplies(op) && s.read_once(op.in[0]) ? s.maker(op.in[0]) : OpId{};
  if (!maker || !is_any(s[maker], {"mul", "div"}) || !is_floating(s[op.out[0]].dtype)) return std::nullopt;
  const Op scale = s[maker];
  const Value& like = s[op.in[0]];
  for (size_t k = scale.spec->name == "div" ? 1 : 0; k < 2; ++k) {
    const Value& factor = s[scale.in[k]];
    const Value& x = s[scale.in[1 - k]];
    if (factor.shape.size() < 2 || factor.shape.back() != 1 || factor.dtype != like.dtype ||
        x.shape != like.shape || x.dtype != like.dtype || !unscaled(s, scale.in[1 - k]).of_product)
      continue;
    const auto y = s.op(op.spec->name, {scale.in[1 - k], op.in[1]}, op.attrs);
    return y ? s.op(scale.spec->name, {*y, scale.in[k]}) : std::nullopt;
  }
  return std::nullopt;
}

// ---- x V + x W is x (V + W)

struct Term {
  ValueId x;
  bool minus = false;
};

// What a value is the sum of, by operators whose results nothing else reads.
void terms_of(const Simplifier& s, ValueId x, bool minus, DType type, std::vector<Term>& out, int depth = 0) {
  const OpId maker = depth == 0 || s.read_once(x) ? s.maker(x) : OpId{};
  if (!maker || depth > kDeepest || !is_any(s[maker], {"add", "sub"}) || s[x].dtype != type) {
    out.push_back({x, minus});
    return;
  }
  const Op& op = s[maker];
  terms_of(s, op.in[0], minus, type, out, depth + 1);
  terms_of(s, op.in[1], minus != (op.spec->name == "sub"), type, out, depth + 1);
}

OpId product_of(const Simplifier& s, const Term& term) {
  const OpId maker = s.read_once(term.x) ? s.maker(term.x) : OpId{};
  if (!maker || s[maker].in.size() != 2 || !is_floating(s[term.x].dtype)) return {};
  return multiplies(s[maker]) || s[maker].spec->family == "conv" ? maker : OpId{};
}

// Both as one product with the sum (or difference) of the factors that differ.
std::optional<Term> joined(Simplifier& s, const Term& first, const Term& second) {
  const OpId a = product_of(s, first);
  const OpId b = product_of(s, second);
  if (!a || !b || a == b || s[a].spec != s[b].spec || !(s[a].attrs == s[b].attrs)) return std::nullopt;
  const Op one = s[a];
  const Op other = s[b];
  for (size_t k = 0; k < 2; ++k) {
    const ValueId v = one.in[1 - k];
    const ValueId w = other.in[1 - k];
    if (one.in[k] != other.in[k] || s[v].shape != s[w].shape || s[v].dtype != s[w].dtype) continue;
    const auto sum = s.op(first.minus == second.minus ? "add" : "sub", {v, w});
    if (!sum) return std::nullopt;
    std::vector<ValueId> in = one.in;
    in[1 - k] = *sum;
    const auto y = s.op(one.spec->name, std::move(in), one.attrs);
    return y ? std::optional(Term{*y, first.minus}) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<ValueId> total(Simplifier& s, const std::vector<Term>& terms) {
  const auto start = std::ranges::find(terms, false, &Term::minus);
  std::optional<ValueId> sum =
      start != terms.end() ? std::optional(start->x) : s.op("neg", {terms.front().x});
  for (auto each = terms.begin(); sum && each != terms.end(); ++each) {
    if (each == start || (start == terms.end() && each == terms.begin())) continue;
    sum = s.op(each->minus ? "sub" : "add", {*sum, each->x});
  }
  return sum;
}

std::optional<ValueId> shared_factor(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (!is_any(op, {"add", "sub"}) || !is_floating(s[op.out[0]].dtype)) return std::nullopt;
  std::vector<Term> terms;
  terms_of(s, op.out[0], false, s[op.out[0]].dtype, terms);
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t j = i + 1; j < terms.size(); ++j) {
      const auto both = joined(s, terms[i], terms[j]);
      if (!both) continue;
      terms[i] = *both;
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
      return total(s, terms);
    }
  }
  return std::nullopt;
}

constexpr RewriteSpec kRows[] = {
    simplifying<number_out>("number-out-of-product",
                            "a number that one factor of a product is multiplied by, itself a product, "
                            "multiplies the result: ((A B) c) D is ((A B) D) c",
                            "products are linear, so numbers stand at their ends, and what is between is "
                            "associative"),
    simplifying<rows_out>("row-factor-out-of-product",
                          "a factor a row of a product that is multiplied again scales the result's rows: "
                          "((A B) / n) D is ((A B) D) / n",
                          "each row of a product is linear in the same row of its first factor"),
    simplifying<shared_factor>(
        "shared-factor",
        "a sum of products that share a factor is one product: linear(x, V) + linear(x, W) is "
        "linear(x, V + W)",
        "products and convolutions are linear in each operand"),
};

}  // namespace

std::span<const RewriteSpec> products_rows() { return kRows; }

}  // namespace uc::rewrites
