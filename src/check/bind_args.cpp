#include "check/bind_args.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "check/diags.h"
#include "ir/layout.h"

namespace uc {
namespace {

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

std::optional<std::vector<int64_t>> as_integers(const ast::ArgValue& value) {
  std::vector<int64_t> out;
  const auto push = [&out](const ast::Expr* expr) {
    const auto constant = expr == nullptr ? std::nullopt : fold(*expr);
    if (!constant || !constant->is_int) return false;
    out.push_back(static_cast<int64_t>(constant->value));
    return true;
  };
  if (const auto* list = std::get_if<std::unique_ptr<ast::List>>(&value)) {
    for (const ast::ArgValue& item : (*list)->items) {
      if (!push(as_expr(item))) return std::nullopt;
    }
    return out;
  }
  return push(as_expr(value)) ? std::optional(out) : std::nullopt;
}

// The attribute that `value` gives to `param`, or nothing when it is not of the parameter's kind.
std::optional<AttrValue> as_attr(const ParamSpec& param, const ast::ArgValue& value) {
  if (param.kind == ParamKind::integers) {
    const ast::Expr* word = as_expr(value);
    if (word != nullptr && word->kind == ast::Expr::Kind::name && is_word(param, word->text))
      return AttrValue(word->text);
    auto list = as_integers(value);
    return list ? std::optional<AttrValue>(std::move(*list)) : std::nullopt;
  }
  const ast::Expr* expr = as_expr(value);
  if (expr == nullptr) return std::nullopt;
  const bool name = expr->kind == ast::Expr::Kind::name;
  switch (param.kind) {
    case ParamKind::integer: {
      const auto constant = fold(*expr);
      if (!constant || !constant->is_int) return std::nullopt;
      return AttrValue(static_cast<int64_t>(constant->value));
    }
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

class Binder {
 public:
  Binder(const BindQuery& query, DiagSink& diags) : query_(query), diags_(diags) {
    bool skip_first = query.fused;
    for (const ParamSpec& param : query.spec.params) {
      if (skip_first && is_tensor(param)) {
        skip_first = false;
        continue;
      }
      params_.push_back(&param);
    }
    filled_.resize(params_.size(), 0);
    tensors_.resize(params_.size());
  }

  std::optional<BoundCall> run() {
    bool good = true;
    for (const ast::Arg& arg : query_.call.args) good = (arg.name ? named(arg) : positional(arg)) && good;
    if (!good) return std::nullopt;
    for (size_t i = 0; i < params_.size(); ++i) {
      if (filled_[i] == 0 && params_[i]->required) good = missing(*params_[i]);
    }
    if (!good) return std::nullopt;
    return bound();
  }

 private:
  BoundCall bound() const {
    BoundCall out;
    std::vector<size_t> operands(query_.fused ? 1 : 0, 0);
    size_t at = operands.size();
    for (size_t i = 0; i < params_.size(); ++i) {
      const bool body = params_[i]->kind == ParamKind::expression;
      for (const ast::Expr* expr : tensors_[i]) {
        operands.push_back(at);
        if (body) {
          out.expression = expr;
        } else {
          out.tensors.push_back(expr);
        }
      }
      if (is_tensor(*params_[i])) ++at;
      if (const AttrValue* value = attrs_.find(params_[i]->name)) out.attrs.set(params_[i]->name, *value);
    }
    if (auto listed = given(query_.spec, operands)) out.attrs.set(kGiven, std::move(*listed));
    return out;
  }

  // A name that is no value, but fits a later parameter (a type, a layout, a word), is not meant as a tensor.
  bool takes_tensor(size_t at, const ast::Expr* expr) const {
    if (expr == nullptr) return false;
    if (expr->kind != ast::Expr::Kind::name || query_.is_value(expr->text)) return true;
    for (size_t i = at + 1; i < params_.size(); ++i) {
      const ParamSpec& later = *params_[i];
      if (later.kind == ParamKind::dtype && parse_dtype(expr->text)) return false;
      if (later.kind == ParamKind::layout && is_layout(expr->text)) return false;
      if (later.kind == ParamKind::word && is_word(later, expr->text)) return false;
    }
    return true;
  }

  bool accept(size_t at, const ast::ArgValue& value) {
    const ParamSpec& param = *params_[at];
    if (is_tensor(param)) {
      if (!takes_tensor(at, as_expr(value))) return false;
      if (param.kind != ParamKind::tensors && filled_[at] != 0) return false;
      tensors_[at].push_back(as_expr(value));
      ++filled_[at];
      return true;
    }
    if (filled_[at] != 0) return false;
    auto attr = as_attr(param, value);
    if (!attr) return false;
    attrs_.set(param.name, std::move(*attr));
    ++filled_[at];
    return true;
  }

  bool positional(const ast::Arg& arg) {
    const size_t from = next_;
    while (next_ < params_.size()) {
      if (accept(next_, arg.value)) {
        if (params_[next_]->kind != ParamKind::tensors) ++next_;
        return true;
      }
      const bool may_skip = !params_[next_]->required || filled_[next_] != 0;
      if (!may_skip) return mismatch(*params_[next_], arg);
      ++next_;
    }
    next_ = from;
    if (from < params_.size() && filled_[from] == 0) return mismatch(*params_[from], arg);
    auto& diag = diags_.add(kinds::too_many_arguments, arg.span,
                            fmt::format("`{}` takes no further argument", query_.spec.name));
    diag.help = "`" + signature(query_.spec, query_.fused) + "`";
    return false;
  }

  bool named(const ast::Arg& arg) {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < params_.size(); ++i) {
      names.push_back(params_[i]->name);
      if (params_[i]->name != arg.name->text) continue;
      if (filled_[i] != 0) {
        diags_.add(kinds::too_many_arguments, arg.span, fmt::format("`{}` is given twice", arg.name->text))
            .help = "give it once, by position or by name";
        return false;
      }
      return accept(i, arg.value) || mismatch(*params_[i], arg);
    }
    auto& diag = diags_.add(kinds::unknown_argument, arg.name->span,
                            fmt::format("`{}` has no parameter `{}`", query_.spec.name, arg.name->text));
    const std::string_view near = nearest(arg.name->text, names);
    diag.help = near.empty() ? "`" + signature(query_.spec, query_.fused) + "`"
                             : fmt::format("did you mean `{}`?", near);
    diag.replacement = near;
    return false;
  }

  bool mismatch(const ParamSpec& param, const ast::Arg& arg) {
    auto& diag =
        diags_.add(kinds::bad_argument, arg.span,
                   fmt::format("`{}` of `{}` takes {}", param.name, query_.spec.name, kind_words(param)));
    diag.help = "`" + signature(query_.spec, query_.fused) + "`";
    return false;
  }

  bool missing(const ParamSpec& param) {
    auto& diag =
        diags_.add(kinds::missing_argument, query_.call.span,
                   fmt::format("`{}` needs `{}`, {}", query_.spec.name, param.name, kind_words(param)));
    diag.help = "`" + signature(query_.spec, query_.fused) + "`";
    return false;
  }

  const BindQuery& query_;
  DiagSink& diags_;
  std::vector<const ParamSpec*> params_;
  std::vector<int> filled_;
  std::vector<std::vector<const ast::Expr*>> tensors_;
  Attrs attrs_;
  size_t next_ = 0;
};

}  // namespace

std::optional<BoundCall> bind_args(const BindQuery& query, DiagSink& diags) {
  return Binder(query, diags).run();
}

std::string signature(const OpSpec& spec, bool fused) {
  std::vector<std::string> parts;
  bool skip_first = fused;
  for (const ParamSpec& param : spec.params) {
    if (skip_first && is_tensor(param)) {
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
      if (expr.text == "+") return Constant{a->value + b->value, ints};
      if (expr.text == "-") return Constant{a->value - b->value, ints};
      if (expr.text == "*") return Constant{a->value * b->value, ints};
      if (expr.text == "/") return Constant{a->value / b->value, false};
      if (expr.text == "**") return Constant{std::pow(a->value, b->value), ints && b->value >= 0};
      return std::nullopt;
    }
    case Kind::call: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace uc
