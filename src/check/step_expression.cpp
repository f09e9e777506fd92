// Expressions of a statement: names, numbers, operators, calls.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/text.h"
#include "check/diags.h"
#include "check/step_resolver.h"

namespace uc {

using Kind = ast::Expr::Kind;

std::optional<Operand> StepResolver::expression(const ast::Expr& expr) {
  switch (expr.kind) {
    case Kind::integer:
    case Kind::real:
      return Operand{
          {scope_.builder.literal(expr.kind == Kind::integer ? static_cast<double>(expr.integer) : expr.real,
                                  expr.kind == Kind::integer, expr.span)}};
    case Kind::name: return named(expr);
    case Kind::negate:
    case Kind::binary: return infix(expr);
    case Kind::call: return call(*expr.call);
  }
  return std::nullopt;
}

std::optional<Operand> StepResolver::named(const ast::Expr& expr) {
  if (expr.text == "it" && !scope_.names.contains("it")) {
    if (it_) return Operand{{*it_}, true};
    auto& diag = diags_.add(kinds::it_outside, expr.span, "`it` has no meaning here");
    diag.help = running_.size() > 1 ? "the chain holds several values: give them names, and go on in a step"
                                    : "`it` is the running value after `>>`";
    return std::nullopt;
  }
  if (const auto constant = scope_.names.contains(expr.text) ? std::nullopt : fold(expr)) {
    return Operand{{scope_.builder.literal(constant->value, constant->is_int, expr.span)}};
  }
  if (scope_.dims.contains(expr.text)) {
    diags_.add(kinds::bad_argument, expr.span, fmt::format("`{}` is a dimension, not a value", expr.text))
        .help = "dimensions stand in sizes: `input x: f32[m, 64]`, `reshape(x, [m, 8, 8])`";
    return std::nullopt;
  }
  const auto value = scope_.find(expr.text, expr.span);
  return value ? std::optional(Operand{{*value}}) : std::nullopt;
}

std::optional<Operand> StepResolver::infix(const ast::Expr& expr) {
  if (const auto constant = fold(expr)) {
    return Operand{{scope_.builder.literal(constant->value, constant->is_int, expr.span)}};
  }
  const std::string_view symbol =
      expr.kind == Kind::negate ? std::string_view("-") : std::string_view(expr.text);
  const size_t count = expr.kind == Kind::negate ? 1 : 2;
  const OpSpec* spec = scope_.catalog.op_with_infix(symbol, count);
  Exprs sides{expr.left.get()};
  if (count == 2) sides.push_back(expr.right.get());
  auto in = values(sides);
  if (!in) return std::nullopt;
  if (spec == nullptr) {
    diags_
        .add(kinds::form_not_yet, expr.span,
             fmt::format("`{}` is in the grammar and not available yet", symbol))
        .help = "write it with other operators";
    return std::nullopt;
  }
  return apply(*spec, std::move(*in), {}, expr.span);
}

std::optional<Operand> StepResolver::apply(const OpSpec& spec, std::vector<ValueId> in, Attrs attrs,
                                           Span span) {
  if (statement_ == nullptr) load_operands(spec, in);
  const auto op = scope_.builder.op(spec, std::move(in), std::move(attrs), span);
  if (!op) return std::nullopt;
  pending_.push_back(*op);
  return Operand{program_[*op].out, true};
}

std::optional<Operand> StepResolver::apply_each(const OpSpec& spec, const std::vector<ValueId>& in,
                                                const Attrs& attrs, Span span) {
  Operand out{{}, true};
  for (const ValueId id : in) {
    auto each = apply(spec, {id}, attrs, span);
    if (!each) return std::nullopt;
    out.values.insert(out.values.end(), each->values.begin(), each->values.end());
  }
  return out;
}

const OpSpec* StepResolver::find_operator(const ast::Name& callee) {
  const OpSpec* spec = scope_.catalog.op(callee.text);
  if (spec != nullptr && spec->place != Place::inner) return spec;
  std::vector<std::string_view> known{"prepack", "map"};
  for (const OpSpec* row : scope_.catalog.ops()) {
    if (row->place != Place::inner) known.push_back(row->name);
  }
  auto& diag =
      diags_.add(kinds::unknown_operator, callee.span, fmt::format("no operator is named `{}`", callee.text));
  const std::string_view near = nearest(callee.text, known);
  diag.help =
      near.empty() ? "`ucutlass explain` lists the operators" : fmt::format("did you mean `{}`?", near);
  diag.replacement = near;
  return nullptr;
}

std::optional<Operand> StepResolver::call(const ast::Call& ast) {
  if (ast.callee.text == "prepack") return prepack(ast);
  if (ast.callee.text == "map") {
    const auto bodies = map_bodies(ast);
    if (!bodies) return std::nullopt;
    if (bodies->size() == 1) return Operand{*bodies, pending_makes(bodies->back()) || it_ == bodies->back()};
    diags_.add(kinds::result_count, ast.span, "several values stand where one is needed").help =
        "`map` of several expressions is a step: `a, b = map(...)`";
    return std::nullopt;
  }
  const OpSpec* spec = find_operator(ast.callee);
  if (spec == nullptr) return std::nullopt;
  if (spec->place == Place::fused) {
    diags_.add(kinds::fused_only, ast.span, fmt::format("`{}` stands only after `>>`", spec->name)).help =
        fmt::format("`... {}`", signature(*spec, true));
    return std::nullopt;
  }
  const auto bound = bind_args(query(*spec, ast, false), diags_);
  if (!bound) return std::nullopt;
  auto in = values(bound->tensors);
  if (!in) return std::nullopt;
  if (bound->expression != nullptr) {
    const auto body = over_it(*spec, *in, *bound);
    if (!body) return std::nullopt;
    in->push_back(*body);
  }
  if (takes_several(*spec) && in->size() > 1) return apply_each(*spec, *in, bound->attrs, ast.span);
  return apply(*spec, std::move(*in), bound->attrs, ast.span);
}

// The expression argument of an operator: `it` is made by the operator that the row names, of the same
// operands, and what is computed of it happens inside the kernel.
std::optional<ValueId> StepResolver::over_it(const OpSpec& spec, const std::vector<ValueId>& operands,
                                             const BoundCall& bound) {
  const OpSpec* maker = scope_.catalog.op(spec.running);
  if (maker == nullptr) return std::nullopt;
  Attrs attrs;
  for (const ParamSpec& param : maker->params) {
    if (const AttrValue* value = bound.attrs.find(param.name)) attrs.set(param.name, *value);
  }
  const auto count = std::ranges::count_if(maker->params, [](const auto& p) { return is_operand(p.kind); });
  const auto it =
      apply(*maker, {operands.begin(), operands.begin() + count}, std::move(attrs), bound.expression->span);
  if (!it) return std::nullopt;
  inside_.insert(pending_.back());
  const size_t first = pending_.size();
  const auto outer = std::exchange(it_, it->value());
  const auto root = expression(*bound.expression);
  it_ = outer;
  if (!root) return std::nullopt;
  for (size_t i = first; i < pending_.size(); ++i) {
    if (program_[pending_[i]].spec->is_pointwise()) inside_.insert(pending_[i]);
  }
  return root->value();
}

BindQuery StepResolver::query(const OpSpec& spec, const ast::Call& call, bool fused) const {
  return {spec,
          call,
          fused,
          [this](std::string_view text) {
            return scope_.names.contains(text) || scope_.failed.contains(text) ||
                   (text == "it" && it_.has_value());
          },
          [this](std::string_view text) -> std::optional<SizeTerm> {
            const auto found = scope_.dims.find(text);
            if (found == scope_.dims.end()) return std::nullopt;
            return SizeTerm{1, found->second};
          },
          &program_.chosen};
}

std::optional<std::vector<ValueId>> StepResolver::values(const Exprs& exprs) {
  std::vector<ValueId> out;
  bool good = true;
  for (const ast::Expr* expr : exprs) {
    const auto operand = expression(*expr);
    good = good && operand.has_value();
    if (!operand) continue;
    if (operand->values.size() > 1) {
      diags_
          .add(kinds::result_count, expr->span,
               fmt::format("{} values stand where one is needed", operand->values.size()))
          .help = "make it a step with a name for each, and use the one that is meant";
      good = false;
    }
    out.push_back(operand->value());
  }
  return good ? std::optional(out) : std::nullopt;
}

// One value an expression; they may be names.
std::optional<std::vector<ValueId>> StepResolver::map_bodies(const ast::Call& ast) {
  Exprs bodies;
  for (const ast::Arg& arg : ast.args) {
    const auto* body = arg.name ? nullptr : std::get_if<ast::ExprPtr>(&arg.value);
    if (body == nullptr) {
      diags_.add(kinds::bad_argument, arg.span, "`map` takes expressions").help =
          "`map(x * 2 + 1)`, or `map(x + y, x - y)` for several results";
      return std::nullopt;
    }
    bodies.push_back(body->get());
  }
  if (bodies.empty()) {
    diags_.add(kinds::missing_argument, ast.span, "`map` needs an expression").help =
        "`map(x * 2 + 1)`, or `map(x + y, x - y)` for several results";
    return std::nullopt;
  }
  return values(bodies);
}

}  // namespace uc
