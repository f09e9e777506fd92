// Known functions by their cheaper names, and products with a diagonal.
#include <algorithm>
#include <cmath>
#include <span>

#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

// x where the value is x times (plus) that literal.
std::optional<ValueId> with(const Simplifier& s, ValueId id, std::string_view op, double literal) {
  const OpId maker = s.maker(id, op);
  if (!maker) return std::nullopt;
  const Op& at = s[maker];
  for (size_t k = op == "div" ? 1 : 0; k < 2; ++k) {
    const auto number = number_of(s, at.in[k]);
    if (number && near(*number, literal)) return at.in[1 - k];
  }
  return std::nullopt;
}

std::optional<ValueId> argument(const Simplifier& s, ValueId id, std::string_view op) {
  const OpId maker = s.maker(id, op);
  return maker && s[maker].in.size() == 1 ? std::optional(s[maker].in[0]) : std::nullopt;
}

// x where the value is x * x * x in one of its forms.
std::optional<ValueId> cubed(const Simplifier& s, ValueId id) {
  if (const OpId power = s.maker(id, "pow"); power && number_of(s, s[power].in[1]) == 3.0)
    return s[power].in[0];
  const OpId product = s.maker(id, "mul");
  for (size_t k = 0; product && k < 2; ++k) {
    if (argument(s, s[product].in[k], "square") == s[product].in[1 - k]) return s[product].in[1 - k];
  }
  return std::nullopt;
}

// What x is multiplied with in x * sigmoid(x), named by the whole product.
struct Form {
  std::string_view name;
  ValueId x;
  Attrs attrs = {};
};

std::optional<Form> gate(const Simplifier& s, ValueId factor) {
  if (const auto x = argument(s, factor, "sigmoid")) return Form{"silu", *x};
  if (const auto x = argument(s, factor, "hardsigmoid")) return Form{"hardswish", *x};
  const auto inner = argument(s, factor, "tanh");
  const OpId softplus = inner ? s.maker(*inner, "softplus") : OpId{};
  if (softplus && s[softplus].attrs.entries().empty()) return Form{"mish", s[softplus].in[0]};
  return std::nullopt;
}

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), of x / 2 and the rest.
std::optional<Form> gelu(const Simplifier& s, ValueId half, ValueId rest) {
  const auto x = with(s, half, "mul", 0.5);
  const auto curve = x ? with(s, rest, "add", 1) : std::nullopt;
  const auto inner = curve ? argument(s, *curve, "tanh") : std::nullopt;
  const auto sum = inner ? with(s, *inner, "mul", std::sqrt(2 / std::acos(-1.0))) : std::nullopt;
  const OpId add = sum ? s.maker(*sum, "add") : OpId{};
  for (size_t k = 0; add && k < 2; ++k) {
    if (s[add].in[k] != *x) continue;
    const auto cube = with(s, s[add].in[1 - k], "mul", 0.044715);
    if (!cube || cubed(s, *cube) != x) continue;
    Form out{"gelu", *x};
    out.attrs.set("approximate", std::string("tanh"));
    return out;
  }
  return std::nullopt;
}

std::optional<ValueId> known_product(Simplifier& s, const Op& op) {
  for (size_t k = 0; k < 2; ++k) {
    const ValueId a = op.in[k];
    const ValueId b = op.in[1 - k];
    if (!s.read_once(b)) continue;
    auto form = gate(s, b);
    if (form && form->x != a) form.reset();
    if (!form) form = gelu(s, a, b);
    if (form && s[form->x].shape == s[op.out[0]].shape) return s.op(form->name, {form->x}, form->attrs);
  }
  return std::nullopt;
}

std::optional<ValueId> power(Simplifier& s, const Op& op) {
  const auto to = number_of(s, op.in[1]);
  const ValueId x = op.in[0];
  if (!to || s[x].shape != s[op.out[0]].shape) return std::nullopt;
  if (*to == 2) return s.op("square", {x});
  if (*to == 0.5) return s.op("sqrt", {x});
  if (*to == -1) return s.op("reciprocal", {x});
  const auto square = *to == 3 ? s.op("square", {x}) : std::nullopt;
  return square ? s.op("mul", {*square, x}) : std::nullopt;
}

std::optional<ValueId> known_form(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (!is_floating(s[op.out[0]].dtype)) return std::nullopt;
  const std::string_view name = op.spec->name;
  if (name == "mul" && op.in.size() == 2) return known_product(s, op);
  if (name == "pow" && op.in.size() == 2) return power(s, op);
  if (name == "clamp" && op.attrs.get_float("min", -1) == 0 && op.attrs.get_float("max", -1) == 1) {
    const auto sixth = with(s, op.in[0], "div", 6);
    const auto x = sixth ? with(s, *sixth, "add", 3) : std::nullopt;
    return x && s.read_once(op.in[0]) ? s.op("hardsigmoid", {*x}) : std::nullopt;
  }
  if (name != "log" || !s.read_once(op.in[0])) return std::nullopt;
  const OpId softmax = s.maker(op.in[0], "softmax");
  return softmax ? s.op("log_softmax", {s[softmax].in[0]}, s[softmax].attrs) : std::nullopt;
}

// ---- diagonals

using Diagonal = bool (*)(const Value&);

bool declared(const Value& value) {
  return std::ranges::find(value.structure, "diag") != value.structure.end();
}
bool seen(const Value& value) {
  return value.observed &&
         std::ranges::find(value.observed->structure, "diag") != value.observed->structure.end();
}

template <Diagonal is_diagonal>
std::optional<ValueId> diagonal_product(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.spec->name != "gemm") return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    const Value& d = s[op.in[k]];
    if (!is_diagonal(d) || d.shape.size() != 2 || d.shape[0] != d.shape[1] || d.stride != row_major(d.shape))
      continue;
    const ValueId other = op.in[1 - k];
    if (k == 0 && s[other].shape.size() != 2) continue;
    const int64_t n = d.shape[0];
    const auto flat = reshaped(s, op.in[k], {n * n});
    Attrs attrs;
    attrs.set("dim", int64_t{0});
    if (n > 1) attrs.set("step", n + 1);
    auto diagonal = flat ? s.op("slice", {*flat}, std::move(attrs)) : std::nullopt;
    if (diagonal && k == 0) diagonal = reshaped(s, *diagonal, {n, 1});
    return diagonal ? s.op("mul", {*diagonal, other}) : std::nullopt;
  }
  return std::nullopt;
}

constexpr RewriteSpec kRows[] = {
    simplifying<known_form>(
        "known-form",
        "known functions by name: x * sigmoid(x) is silu(x), x ** 2 is square(x), the long "
        "form of gelu is gelu(x, approximate=tanh)",
        "the named operator is defined by that expression, and has a cheaper form"),
    simplifying<diagonal_product<declared>>(
        "diagonal-product", "a product with a diagonal matrix scales rows or columns",
        "all but one addend of each element is a product with a zero, by the declared structure"),
    simplifying<diagonal_product<seen>>("observed-diagonal",
                                        "a product with a matrix that was diagonal scales rows or columns",
                                        "the captured data was zero off the diagonal; other data may differ",
                                        Claim::algebraic, Holds::observed),
};

}  // namespace

std::span<const RewriteSpec> forms_rows() { return kRows; }

}  // namespace uc::rewrites
