#include "check/bind_args.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "check/bind_values.h"
#include "check/diags.h"

namespace uc {
namespace {

using namespace binding;

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
      for (const std::string& key : {std::string(params_[i]->name), std::string(params_[i]->name) + "_shape",
                                     std::string(params_[i]->name) + "_at"}) {
        if (const AttrValue* value = attrs_.find(key)) out.attrs.set(key, *value);
        if (const auto* terms = attrs_.terms(key)) out.attrs.set_terms(key, *terms);
      }
    }
    if (takes_several(query_.spec)) return out;  // each operand is one application's only one
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
      if (param.kind == ParamKind::tensors && accept_list(at, value)) return true;
      if (!takes_tensor(at, as_expr(value))) return false;
      const bool several = at == 0 && !query_.fused && takes_several(query_.spec) && !fold(*as_expr(value));
      if (param.kind != ParamKind::tensors && filled_[at] != 0 && !several) return false;
      tensors_[at].push_back(as_expr(value));
      ++filled_[at];
      return true;
    }
    if (filled_[at] != 0 || !set_attr(param, value)) return false;
    ++filled_[at];
    return true;
  }

  bool set_attr(const ParamSpec& param, const ast::ArgValue& value) {
    if (param.kind == ParamKind::typed) return typed(param, value);
    if (param.kind == ParamKind::integers && !param.words.empty() && as_expr(value) != nullptr &&
        as_expr(value)->kind == ast::Expr::Kind::name && is_word(param, as_expr(value)->text)) {
      attrs_.set(param.name, as_expr(value)->text);
      return true;
    }
    if (param.kind == ParamKind::integers || param.kind == ParamKind::integer) {
      const auto terms = as_terms(query_, value);
      if (!terms || (param.kind == ParamKind::integer && terms->size() != 1)) return false;
      auto list = numbers(query_, *terms);
      if (param.kind == ParamKind::integer && std::holds_alternative<ast::ExprPtr>(value)) {
        attrs_.set(param.name, list[0]);
      } else if (param.kind == ParamKind::integers) {
        attrs_.set(param.name, std::move(list));
      } else {
        return false;
      }
      if (std::ranges::any_of(*terms, &SizeTerm::named)) attrs_.set_terms(param.name, *terms);
      return true;
    }
    auto attr = as_attr(param, value);
    if (attr) attrs_.set(param.name, std::move(*attr));
    if (attr && param.kind == ParamKind::text) note_place(param);
    return attr.has_value();
  }

  // Where a text begins in the source, so that what is wrong inside it is shown there.
  void note_place(const ParamSpec& param) {
    const std::string text = attrs_.get_word(param.name, "");
    const size_t quotes = text.find_first_of("\"\n") == std::string::npos && !triple_quoted(text) ? 1 : 3;
    attrs_.set(std::string(param.name) + "_at",
               static_cast<int64_t>(span_.end) - static_cast<int64_t>(quotes + text.size()));
  }
  // A positional text on one line tells by its length how it is quoted.
  bool triple_quoted(const std::string& text) const { return span_.end - span_.begin == text.size() + 6; }

  // `f32[4, 8]` or a list of such: the types as words, and ranks and extents one after the other.
  bool typed(const ParamSpec& param, const ast::ArgValue& value) {
    std::vector<const ast::Typed*> items;
    if (const auto* one = std::get_if<ast::Typed>(&value)) items.push_back(one);
    if (const auto* list = std::get_if<std::unique_ptr<ast::List>>(&value)) {
      for (const ast::ArgValue& item : (*list)->items) items.push_back(std::get_if<ast::Typed>(&item));
    }
    std::string types;
    std::vector<SizeTerm> terms;
    for (const ast::Typed* item : items) {
      if (item == nullptr || !parse_dtype(item->dtype.text)) return false;
      types += (types.empty() ? "" : " ") + item->dtype.text;
      terms.push_back({static_cast<int64_t>(item->sizes.size()), -1});
      for (const ast::Size& size : item->sizes) {
        SizeTerm term{size.scale.value_or(1), -1};
        if (size.dim) {
          const auto named = query_.dim ? query_.dim(size.dim->text) : std::nullopt;
          if (!named) return false;
          term.dim = named->dim;
        }
        terms.push_back(term);
      }
    }
    if (items.empty()) return false;
    attrs_.set(param.name, std::move(types));
    const std::string sizes = std::string(param.name) + "_shape";
    attrs_.set(sizes, numbers(query_, terms));
    if (std::ranges::any_of(terms, &SizeTerm::named)) attrs_.set_terms(sizes, std::move(terms));
    return true;
  }

  // `inputs=[a, b]`: as many operands as there are, some.
  bool accept_list(size_t at, const ast::ArgValue& value) {
    const auto* list = std::get_if<std::unique_ptr<ast::List>>(&value);
    if (list == nullptr || as_terms(query_, value)) return false;  // integers are for a later parameter
    for (const ast::ArgValue& item : (*list)->items) {
      if (as_expr(item) == nullptr) return false;
      tensors_[at].push_back(as_expr(item));
    }
    ++filled_[at];
    return true;
  }

  bool positional(const ast::Arg& arg) {
    span_ = arg.span;
    const size_t from = next_;
    while (next_ < params_.size()) {
      if (accept(next_, arg.value)) {
        const bool more = params_[next_]->kind == ParamKind::tensors ||
                          (next_ == 0 && !query_.fused && takes_several(query_.spec));
        if (!more) ++next_;
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
    span_ = arg.span;
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
  Span span_;  // of the argument being bound
};

}  // namespace

bool takes_several(const OpSpec& spec) {
  return spec.reduces && !spec.params.empty() && spec.params[0].kind == ParamKind::tensor &&
         std::ranges::count_if(spec.params, is_tensor) == 1;
}

std::optional<BoundCall> bind_args(const BindQuery& query, DiagSink& diags) {
  return Binder(query, diags).run();
}

}  // namespace uc
