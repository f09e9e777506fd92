#include "check/step_resolver.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "check/diags.h"
#include "syntax/layout.h"

namespace uc {

void StepResolver::run() {
  claim_all();
  if (statement_->expr) build();
  // What this step did not make, for whatever reason, is not reported again where it is used.
  for (const ast::Name& name : statement_->names) {
    if (!scope_.names.contains(name.text)) scope_.failed.emplace(name.text, name.span);
  }
}

void StepResolver::claim_all() {
  std::set<std::string_view> seen;
  for (const ast::Name& name : statement_->names) {
    if (!seen.insert(name.text).second) {
      diags_.add(kinds::duplicate_name, name.span, fmt::format("`{}` stands twice on the left", name.text))
          .help = "each result has a name of its own";
    } else {
      scope_.claim(name);
    }
  }
}

void StepResolver::build() {
  const size_t errors_before = diags_.error_count();
  auto made = heads();
  if (!made) return;
  take_ops(std::move(*made));
  if (diags_.error_count() != errors_before) return;
  if (is_view(step_.main)) return finish_view(program_[step_.main].out);
  running_ = heads_of(program_, step_);
  const bool chained = chain();
  resolve_knobs(scope_, *statement_, step_);  // which operator's they are, the chain says too
  if (!chained || diags_.error_count() != errors_before) return;
  std::vector<ValueId> results = stores_;
  results.insert(results.end(), running_.begin(), running_.end());
  if (distinct(results, statement_->span)) finish(results);
}

// The values of the step's expression. Nothing after an error, or when the statement only gives a name.
std::optional<std::vector<ValueId>> StepResolver::heads() {
  const ast::Expr& expr = *statement_->expr;
  if (expr.kind == ast::Expr::Kind::call && expr.call->callee.text == "map") {
    auto bodies = map_bodies(*expr.call);
    if (!bodies) return std::nullopt;
    for (const ValueId id : *bodies) {
      if (pending_makes(id)) continue;
      diags_.add(kinds::nothing_to_do, expr.span, "an expression of this `map` computes nothing").help =
          "leave it out, and use the name itself; `to(x, row)` copies";
      return std::nullopt;
    }
    return distinct(*bodies, expr.span) ? bodies : std::nullopt;
  }
  auto root = expression(expr);
  if (!root) return std::nullopt;
  if (root->made_here) return std::move(root->values);
  alias(root->value());
  return std::nullopt;
}

// `y = x`: a prepacked operand gets its name; anything else is no step.
void StepResolver::alias(ValueId id) {
  const ast::Step& ast = *statement_;
  Value& value = program_[id];
  const bool prepacked = ast.expr->kind == ast::Expr::Kind::call && ast.expr->call->callee.text == "prepack";
  if (prepacked && ast.names.size() == 1 && ast.chain.empty() && ast.knobs.empty()) {
    value.name = ast.names[0].text;
    value.span = ast.names[0].span;
    scope_.bind(ast.names[0], id);
    return;
  }
  auto& diag = diags_.add(kinds::nothing_to_do, ast.expr->span, "this step applies no operator");
  diag.help = ast.chain.empty() ? "use the name itself, or copy with `to(x, row)`"
                                : "begin with an operator: `relu(x) >> ...`, or write one expression";
}

bool StepResolver::distinct(const std::vector<ValueId>& values, Span span) {
  if (std::set(values.begin(), values.end()).size() == values.size()) return true;
  diags_.add(kinds::result_count, span, "one value would be stored twice").help =
      "give it once, and use its name for both";
  return false;
}

bool StepResolver::pending_makes(ValueId id) const {
  const OpId def = program_[id].def;
  return def && std::ranges::find(pending_, def) != pending_.end();
}

// Ops of the expression: the last is the main one, those before it its prologue.
void StepResolver::take_ops(std::vector<ValueId> heads) {
  step_.prologue.assign(pending_.begin(), pending_.end() - 1);
  step_.main = pending_.back();
  pending_.clear();
  if (heads != program_[step_.main].out) step_.heads = std::move(heads);
  check_prologue();
}

std::optional<StepResolver::Offence> StepResolver::offence_of(OpId id) const {
  const Op& main = program_[step_.main];
  const Op& op = program_[id];
  const bool head = std::ranges::find(step_.heads, op.out.back()) != step_.heads.end();
  if (is_view(id) || inside_.contains(id) || (head && op.spec == main.spec)) return std::nullopt;
  bool viewed = false;
  bool read_by_main = false;
  for (const OpId user : ops_of(step_)) {
    const bool reads = std::ranges::find(program_[user].in, op.out.back()) != program_[user].in.end();
    viewed = viewed || (reads && is_view(user));
    read_by_main = read_by_main || (reads && user == step_.main);
  }
  if (launches(id)) {
    return Offence{
        id, &kinds::nested_launch,
        fmt::format("`{}` is a kernel of its own, and stands inside `{}`", op.spec->name, main.spec->name)};
  }
  if (main.spec->memory_operands && (viewed || read_by_main)) {
    return Offence{
        id, &kinds::operand_work,
        fmt::format("`{}` would have to run while `{}` reads its operand", op.spec->name, main.spec->name)};
  }
  if (!viewed) return std::nullopt;
  return Offence{id, &kinds::view_of_work,
                 fmt::format("a view of what `{}` would compute in the same kernel", op.spec->name)};
}

// What stands inside the parentheses happens before in the same kernel: expressions, and views of what has
// memory.
void StepResolver::check_prologue() {
  std::vector<Offence> offences;
  for (const OpId id : step_.prologue) {
    if (auto offence = offence_of(id)) offences.push_back(std::move(*offence));
  }
  std::vector<Span> inner;
  for (const Offence& offence : offences) inner.push_back(program_[offence.op].span);
  for (const Offence& offence : offences) {
    const Op& op = program_[offence.op];
    auto& diag = diags_.add(*offence.kind, op.span, offence.message);
    const ast::Expr* text = statement_ != nullptr && program_[op.out.back()].params_only
                                ? find_expression(*statement_, op.span)
                                : nullptr;
    if (text == nullptr) {
      hoist(diag, inner);
      continue;
    }
    diag.replacement = fmt::format("prepack({})", syntax::text_of(*text));
    diag.help = fmt::format("once, when weights are loaded: `{}`", diag.replacement);
  }
}

void StepResolver::hoist(Diag& diag, const std::vector<Span>& inner) {
  if (statement_ == nullptr) {
    diag.help = "make it a step before, and prepack that";
    return;
  }
  std::vector<Span> outer;  // of nested places the outermost
  for (const Span& each : inner) {
    const bool nested = std::ranges::any_of(inner, [&](const Span& other) {
      return other != each && other.begin <= each.begin && each.end <= other.end;
    });
    if (!nested && std::ranges::find(outer, each) == outer.end()) outer.push_back(each);
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < outer.size(); ++i) {
    names.push_back(scope_.fresh(i == 0 ? std::string("t") : fmt::format("t{}", i + 1)));
  }
  diag.replacement = hoisted(*statement_, outer, names);
  diag.replaces = statement_->span;
  diag.help = diag.replacement.empty() ? std::string("make it a step of its own")
                                       : fmt::format("a step of its own:\n{}", diag.replacement);
}

void StepResolver::split(Diag& diag, size_t call) {
  diag.replacement = split_before(*statement_, call, stores_.size(), scope_.fresh("t"));
  diag.replaces = statement_->span;
  if (!diag.replacement.empty()) diag.help = fmt::format("two steps:\n{}", diag.replacement);
}

void StepResolver::finish_view(const std::vector<ValueId>& results) {
  const ast::Step& ast = *statement_;
  if (ast.knobs.empty() && ast.chain.empty()) return finish(results);
  const std::string_view name = program_[step_.main].spec->name;
  const Span at = ast.knobs.empty() ? ast.chain[0].span : ast.knobs[0].span;
  auto& diag =
      diags_.add(kinds::view_step_extras, at, fmt::format("`{}` is a view: it runs no kernel", name));
  diag.help = "drop the knobs";
  if (!ast.chain.empty() && ast.knobs.empty() && results.size() == 1) split(diag, 0);
}

void StepResolver::finish(const std::vector<ValueId>& results) {
  const ast::Step& ast = *statement_;
  if (results.size() != ast.names.size()) {
    auto& diag = diags_.add(
        kinds::result_count, ast.names.front().span,
        fmt::format("{} name{} on the left for {} result{}", ast.names.size(),
                    ast.names.size() == 1 ? "" : "s", results.size(), results.size() == 1 ? "" : "s"));
    diag.help = "one name for each `store` in chain order, then one for each value that the step ends with";
    return;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Value& value = program_[results[i]];
    value.name = ast.names[i].text;
    value.span = ast.names[i].span;
    scope_.bind(ast.names[i], results[i]);
    check_storage(results[i], ast.names[i].span);
  }
  step_.results = results;
  step_.span = ast.span;
  step_.phase = Phase::run;
  if (program_[results.back()].params_only && !is_view(step_.main)) each_call(results);
  scope_.builder.step(std::move(step_));
}

// Legal: a program may prepare its weights in every call. What it makes so is not there at load time.
void StepResolver::each_call(const std::vector<ValueId>& results) {
  const ast::Name& name = statement_->names[0];
  if (!program_[step_.main].in.empty()) {  // a constant is of no params
    diags_
        .add(kinds::weights_each_call, name.span,
             fmt::format("`{}` depends on params only, and is computed in every call", name.text))
        .help = fmt::format("compute it once, when weights are loaded: `{} = prepack(...)`", name.text);
  }
  for (const ValueId id : results) program_[id].params_only = false;
}

// The licence: what is stored must not be less accurate than `precision` says.
void StepResolver::check_storage(ValueId id, Span span) {
  const Value& value = program_[id];
  if (!value.from_f32 || allows(program_.precision, value.dtype) || !is_floating(value.dtype)) return;
  auto& diag = diags_.add(kinds::precision_storage, span,
                          fmt::format("this stores data derived from f32 as {}, and the precision is `{}`",
                                      name(value.dtype), name(program_.precision)));
  diag.help = fmt::format("`precision {}` in the header, if the problem allows that, or store f32",
                          name(value.dtype).substr(0, 2) == "f8" ? "f8" : name(value.dtype));
}

void resolve_step(Scope& scope, const ast::Step& step) { StepResolver(scope, &step).run(); }

}  // namespace uc
