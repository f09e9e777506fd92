#include "check/bind_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "ir/layout.h"

namespace uc {
namespace binding {

bool is_tensor(const ParamSpec& param) { return is_operand(param.kind); }

bool is_word(const ParamSpec& param, std::string_view text) {
  for (const std::string_view word : split(param.words, '|')) {
    if (word == text) return true;
  }
  return false;
}

bool is_layout(std::string_view text) {
  const auto names = layout_names();
  return std::find(names.begin(), names.end(), text) != names.end();
}

const ast::Expr* as_expr(const ast::ArgValue& value) {
  const auto* expr = std::get_if<ast::ExprPtr>(&value);
  return expr == nullptr ? nullptr : expr->get();
}

// An integer as written: a number, a name of a dimension, or a product of both.
static std::optional<SizeTerm> as_term(const BindQuery& query, const ast::Expr& expr) {
  if (const auto constant = fold(expr)) {
    if (!constant->is_int) return std::nullopt;
    return SizeTerm{static_cast<int64_t>(constant->value), -1};
  }
  if (expr.kind == ast::Expr::Kind::name) return query.dim ? query.dim(expr.text) : std::nullopt;
  if (expr.kind != ast::Expr::Kind::binary || expr.text != "*") return std::nullopt;
  const auto left = as_term(query, *expr.left);
  const auto right = as_term(query, *expr.right);
  if (!left || !right || (left->named() && right->named())) return std::nullopt;
  int64_t scale = 0;
  if (__builtin_mul_overflow(left->scale, right->scale, &scale)) return std::nullopt;
  return SizeTerm{scale, std::max(left->dim, right->dim)};
}

std::optional<std::vector<SizeTerm>> as_terms(const BindQuery& query, const ast::ArgValue& value) {
  std::vector<SizeTerm> out;
  const auto push = [&](const ast::Expr* expr) {
    const auto term = expr == nullptr ? std::nullopt : as_term(query, *expr);
    if (term) out.push_back(*term);
    return term.has_value();
  };
  if (const auto* list = std::get_if<std::unique_ptr<ast::List>>(&value)) {
    for (const ast::ArgValue& item : (*list)->items) {
      if (!push(as_expr(item))) return std::nullopt;
    }
    return out;
  }
  return push(as_expr(value)) ? std::optional(out) : std::nullopt;
}

std::vector<int64_t> numbers(const BindQuery& query, const std::vector<SizeTerm>& terms) {
  static const std::vector<int64_t> kNone;
  std::vector<int64_t> out;
  for (const SizeTerm& term : terms) out.push_back(term.at(query.chosen == nullptr ? kNone : *query.chosen));
  return out;
}

// The attribute that `value` gives to `param`, or nothing when it is not of the parameter's kind.
std::optional<AttrValue> as_attr(const ParamSpec& param, const ast::ArgValue& value) {
  if (param.kind == ParamKind::text) {
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? std::nullopt : std::optional<AttrValue>(*text);
  }
  const ast::Expr* expr = as_expr(value);
  if (expr == nullptr) return std::nullopt;
  const bool name = expr->kind == ast::Expr::Kind::name;
  switch (param.kind) {
    case ParamKind::number: {
      const auto constant = fold(*expr);
      if (!constant) return std::nullopt;
      return constant->is_int ? AttrValue(static_cast<int64_t>(constant->value)) : AttrValue(constant->value);
    }
    case ParamKind::boolean:
      if (!name || (expr->text != "true" && expr->text != "false")) return std::nullopt;
      return AttrValue(expr->text == "true");
    case ParamKind::word:
      if (!name || !is_word(param, expr->text)) return std::nullopt;
      return AttrValue(expr->text);
    case ParamKind::dtype: {
      const auto type = name ? parse_dtype(expr->text) : std::nullopt;
      return type ? std::optional<AttrValue>(*type) : std::nullopt;
    }
    case ParamKind::layout:
      if (!name || !is_layout(expr->text)) return std::nullopt;
      return AttrValue(expr->text);
    default: return std::nullopt;
  }
}

std::string kind_words(const ParamSpec& param) {
  switch (param.kind) {
    case ParamKind::tensor:
    case ParamKind::tensors: return "a tensor";
    case ParamKind::integer: return "an integer";
    case ParamKind::number: return "a number";
    case ParamKind::boolean: return "true or false";
    case ParamKind::integers:
      return param.words.empty() ? "an integer or a list of integers"
                                 : "integers, or one of " + replace_all(std::string(param.words), "|", ", ");
    case ParamKind::word: return "one of " + replace_all(std::string(param.words), "|", ", ");
    case ParamKind::dtype: return "a type such as f16";
    case ParamKind::layout: return "a layout such as row or col";
    case ParamKind::text: return "a text in quotes";
    case ParamKind::typed: return "a type with sizes such as f32[4, 8]";
    case ParamKind::expression: return "an expression over `it`";
  }
  return "a value";
}

}  // namespace binding

std::string signature(const OpSpec& spec, bool fused) {
  std::vector<std::string> parts;
  bool skip_first = fused;
  for (const ParamSpec& param : spec.params) {
    if (skip_first && binding::is_tensor(param)) {
      skip_first = false;
      continue;
    }
    std::string text(param.name);
    if (param.kind == ParamKind::tensors) text += ", ...";
    if (!param.required) {
      const std::string_view shown = param.kind == ParamKind::word ? param.words : param.fallback;
      text += fmt::format("={}", shown.empty() ? "..." : shown);
    }
    parts.push_back(std::move(text));
  }
  return fmt::format("{}{}({})", fused ? ">> " : "", spec.name, fmt::join(parts, ", "));
}

// Integers have 18 digits at most, as written ones do; what is computed beyond is a float.
static Constant constant(double value, bool is_int) { return {value, is_int && std::abs(value) < 1e18}; }

std::optional<Constant> fold(const ast::Expr& expr) {
  using Kind = ast::Expr::Kind;
  switch (expr.kind) {
    case Kind::integer: return Constant{static_cast<double>(expr.integer), true};
    case Kind::real: return Constant{expr.real, false};
    case Kind::negate: {
      auto inner = fold(*expr.left);
      if (inner) inner->value = -inner->value;
      return inner;
    }
    case Kind::name:
      if (expr.text == "inf") return Constant{INFINITY, false};
      return std::nullopt;
    case Kind::binary: {
      const auto a = fold(*expr.left);
      const auto b = fold(*expr.right);
      if (!a || !b) return std::nullopt;
      const bool ints = a->is_int && b->is_int;
      if (expr.text == "+") return constant(a->value + b->value, ints);
      if (expr.text == "-") return constant(a->value - b->value, ints);
      if (expr.text == "*") return constant(a->value * b->value, ints);
      if (expr.text == "/") return Constant{a->value / b->value, false};
      if (expr.text == "**") return constant(std::pow(a->value, b->value), ints && b->value >= 0);
      return std::nullopt;
    }
    case Kind::call: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace uc
