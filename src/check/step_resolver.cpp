#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "check/bind_args.h"
#include "check/diags.h"
#include "check/scope.h"

namespace uc {
namespace {

using Kind = ast::Expr::Kind;

// What an expression became: a value, and whether an op of the current step makes it (else it has memory
// already).
struct Operand {
  ValueId value;
  bool made_here = false;
};

class StepResolver {
 public:
  explicit StepResolver(Scope& scope) : scope_(scope), program_(scope.program), diags_(scope.diags) {}

  void run(const ast::Step& ast) {
    claim_all(ast.names);
    if (ast.expr) build(ast);
    // What this step did not make, for whatever reason, is not reported again where it is used.
    for (const ast::Name& name : ast.names) {
      if (!scope_.names.contains(name.text)) scope_.failed.emplace(name.text, name.span);
    }
  }

 private:
  void claim_all(const std::vector<ast::Name>& names) {
    std::set<std::string_view> seen;
    for (const ast::Name& name : names) {
      if (!seen.insert(name.text).second) {
        diags_.add(kinds::duplicate_name, name.span, fmt::format("`{}` stands twice on the left", name.text))
            .help = "each result has a name of its own";
      } else {
        scope_.claim(name);
      }
    }
  }

  void build(const ast::Step& ast) {
    const size_t errors_before = diags_.error_count();
    const auto root = expression(*ast.expr);
    if (!root) return;
    if (!root->made_here) return alias(ast, *root);
    take_ops();
    if (diags_.error_count() != errors_before) return;
    if (program_[step_.main].spec->is_view()) return finish_view(ast, *root);
    knobs(ast);
    ValueId running = root->value;
    std::vector<ValueId> results = program_[step_.main].out;
    for (const ast::Call& call : ast.chain) {
      const auto next = chain_call(call, running);
      if (!next) return;
      running = *next;
    }
    if (!ast.chain.empty()) {
      if (results.size() > 1) return several_with_chain(ast);
      results = stores_;
      results.push_back(running);
    }
    if (diags_.error_count() == errors_before) finish(ast, results);
  }

  // `y = x`: a prepacked operand gets its name; anything else is no step.
  void alias(const ast::Step& ast, const Operand& root) {
    Value& value = program_[root.value];
    const bool prepacked = ast.expr->kind == Kind::call && ast.expr->call->callee.text == "prepack";
    if (prepacked && ast.names.size() == 1 && ast.chain.empty() && ast.knobs.empty()) {
      value.name = ast.names[0].text;
      value.span = ast.names[0].span;
      scope_.bind(ast.names[0], root.value);
      return;
    }
    diags_.add(kinds::nothing_to_do, ast.expr->span, "this step applies no operator").help =
        ast.chain.empty() ? "use the name itself, or copy with `to(x, row)`"
                          : "begin with an operator: `relu(x) >> ...`, or write one expression";
  }

  void several_with_chain(const ast::Step& ast) {
    diags_.add(kinds::result_count, ast.span, "an operator with several results takes no chain").help =
        "apply what follows in a step of its own";
  }

  // Ops of the expression: the last is the main one, those before it its prologue.
  void take_ops() {
    step_.prologue.assign(pending_.begin(), pending_.end() - 1);
    step_.main = pending_.back();
    pending_.clear();
    check_prologue();
  }

  bool launches(OpId op) const { return !program_[op].spec->is_view() && !program_[op].spec->is_pointwise(); }

  // What stands inside the parentheses happens before in the same kernel: expressions and views only.
  void check_prologue() {
    const Op& main = program_[step_.main];
    for (const OpId id : step_.prologue) {
      const Op& op = program_[id];
      if (op.spec->is_view() || inside_.contains(id)) continue;
      if (launches(id)) {
        auto& diag = diags_.add(kinds::nested_launch, op.span,
                                fmt::format("`{}` is a kernel of its own, and stands inside `{}`",
                                            op.spec->name, main.spec->name));
        diag.help = main.spec->is_pointwise()
                        ? fmt::format("fuse instead: `{} >> {}(...)`, or make it a step: `t = {}(...)`",
                                      op.spec->name, main.spec->name, op.spec->name)
                        : fmt::format("make it a step: `t = {}(...)`, then use `t`", op.spec->name);
      } else if (main.spec->memory_operands) {
        auto& diag = diags_.add(kinds::operand_work, op.span,
                                fmt::format("`{}` would have to run while `{}` reads its operand",
                                            op.spec->name, main.spec->name));
        diag.help = fmt::format("two steps: `t = {}`, then `{}(t, ...)`; for weights `prepack({})`",
                                describe(op), main.spec->name, describe(op));
      } else if (main.spec->is_view()) {
        diags_
            .add(kinds::view_of_work, op.span,
                 fmt::format("`{}` views what `{}` would compute", main.spec->name, op.spec->name))
            .help = fmt::format("make it a step: `t = {}`, then `{}(t, ...)`", describe(op), main.spec->name);
      }
    }
  }

  std::string describe(const Op& op) const {
    std::vector<std::string> parts;
    for (const ValueId in : op.in) parts.push_back(program_[in].name.empty() ? "..." : program_[in].name);
    if (const AttrValue* type = op.attrs.find("dtype")) {
      if (const DType* dtype = std::get_if<DType>(type)) parts.emplace_back(name(*dtype));
    }
    return fmt::format("{}({})", op.spec->name, fmt::join(parts, ", "));
  }

  void finish_view(const ast::Step& ast, const Operand& root) {
    if (!ast.knobs.empty() || !ast.chain.empty()) {
      const Span at = ast.knobs.empty() ? ast.chain[0].span : ast.knobs[0].span;
      diags_
          .add(kinds::view_step_extras, at,
               fmt::format("`{}` is a view: it runs no kernel", program_[step_.main].spec->name))
          .help = "apply the operator in a step of its own";
      return;
    }
    finish(ast, program_[program_[root.value].def].out);
  }

  void finish(const ast::Step& ast, const std::vector<ValueId>& results) {
    if (results.size() != ast.names.size()) {
      auto& diag = diags_.add(
          kinds::result_count, ast.names.front().span,
          fmt::format("{} name{} on the left for {} result{}", ast.names.size(),
                      ast.names.size() == 1 ? "" : "s", results.size(), results.size() == 1 ? "" : "s"));
      diag.help = "one name for each `store` in chain order, then one for the final value";
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
    if (program_[results.back()].params_only && !program_[step_.main].spec->is_view())
      each_call(ast, results);
    scope_.builder.step(std::move(step_));
  }

  // Legal: a program may prepare its weights in every call. What it makes so is not there at load time.
  void each_call(const ast::Step& ast, const std::vector<ValueId>& results) {
    if (!program_[step_.main].in.empty()) {  // a constant is of no params
      diags_
          .add(kinds::weights_each_call, ast.names[0].span,
               fmt::format("`{}` depends on params only, and is computed in every call", ast.names[0].text))
          .help =
          fmt::format("compute it once, when weights are loaded: `{} = prepack(...)`", ast.names[0].text);
    }
    for (const ValueId id : results) program_[id].params_only = false;
  }

  // The licence: what is stored must not be less accurate than `precision` says.
  void check_storage(ValueId id, Span span) {
    const Value& value = program_[id];
    if (!value.from_f32 || allows(program_.precision, value.dtype) || !is_floating(value.dtype)) return;
    auto& diag = diags_.add(kinds::precision_storage, span,
                            fmt::format("this stores data derived from f32 as {}, and the precision is `{}`",
                                        name(value.dtype), name(program_.precision)));
    diag.help = fmt::format("`precision {}` in the header, if the problem allows that, or store f32",
                            name(value.dtype).substr(0, 2) == "f8" ? "f8" : name(value.dtype));
  }

  // ---- expressions

  std::optional<Operand> expression(const ast::Expr& expr) {
    switch (expr.kind) {
      case Kind::integer:
      case Kind::real:
        return Operand{
            scope_.builder.literal(expr.kind == Kind::integer ? static_cast<double>(expr.integer) : expr.real,
                                   expr.kind == Kind::integer, expr.span)};
      case Kind::name: return named(expr);
      case Kind::negate:
      case Kind::binary: return infix(expr);
      case Kind::call: return call(*expr.call);
    }
    return std::nullopt;
  }

  std::optional<Operand> named(const ast::Expr& expr) {
    if (expr.text == "it" && !scope_.names.contains("it")) {
      if (running_) return Operand{*running_, true};
      diags_.add(kinds::it_outside, expr.span, "`it` has no meaning here").help =
          "`it` is the running value after `>>`";
      return std::nullopt;
    }
    if (const auto constant = scope_.names.contains(expr.text) ? std::nullopt : fold(expr)) {
      return Operand{scope_.builder.literal(constant->value, constant->is_int, expr.span)};
    }
    const auto value = scope_.find(expr.text, expr.span);
    return value ? std::optional(Operand{*value}) : std::nullopt;
  }

  std::optional<Operand> infix(const ast::Expr& expr) {
    if (const auto constant = fold(expr)) {
      return Operand{scope_.builder.literal(constant->value, constant->is_int, expr.span)};
    }
    const std::string_view symbol =
        expr.kind == Kind::negate ? std::string_view("-") : std::string_view(expr.text);
    const size_t count = expr.kind == Kind::negate ? 1 : 2;
    const OpSpec* spec = scope_.catalog.op_with_infix(symbol, count);
    const auto left = expression(*expr.left);
    const auto right = count == 2 ? expression(*expr.right) : left;
    if (!left || !right) return std::nullopt;
    if (spec == nullptr) {
      diags_
          .add(kinds::form_not_yet, expr.span,
               fmt::format("`{}` is in the grammar and not available yet", symbol))
          .help = "write it with other operators";
      return std::nullopt;
    }
    std::vector<ValueId> in{left->value};
    if (count == 2) in.push_back(right->value);
    return apply(*spec, std::move(in), {}, expr.span);
  }

  std::optional<Operand> apply(const OpSpec& spec, std::vector<ValueId> in, Attrs attrs, Span span) {
    const auto op = scope_.builder.op(spec, std::move(in), std::move(attrs), span);
    if (!op) return std::nullopt;
    pending_.push_back(*op);
    return Operand{program_[*op].out.back(), true};
  }

  const OpSpec* find_operator(const ast::Name& callee) {
    const OpSpec* spec = scope_.catalog.op(callee.text);
    if (spec != nullptr && spec->place != Place::inner) return spec;
    std::vector<std::string_view> known{"prepack", "map"};
    for (const OpSpec* row : scope_.catalog.ops()) {
      if (row->place != Place::inner) known.push_back(row->name);
    }
    auto& diag = diags_.add(kinds::unknown_operator, callee.span,
                            fmt::format("no operator is named `{}`", callee.text));
    const std::string_view near = nearest(callee.text, known);
    diag.help =
        near.empty() ? "`ucutlass explain` lists the operators" : fmt::format("did you mean `{}`?", near);
    diag.replacement = near;
    return nullptr;
  }

  std::optional<Operand> call(const ast::Call& ast) {
    if (ast.callee.text == "prepack") return prepack(ast);
    if (ast.callee.text == "map" && ast.args.size() == 1) {
      if (const auto* body = std::get_if<ast::ExprPtr>(&ast.args[0].value)) return expression(**body);
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
    return apply(*spec, std::move(*in), bound->attrs, ast.span);
  }

  // The expression argument of an operator: `it` is made by the operator that the row names, of the same
  // operands, and what is computed of it happens inside the kernel.
  std::optional<ValueId> over_it(const OpSpec& spec, const std::vector<ValueId>& operands,
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
    const auto outer = std::exchange(running_, it->value);
    const auto root = expression(*bound.expression);
    running_ = outer;
    if (!root) return std::nullopt;
    for (size_t i = first; i < pending_.size(); ++i) {
      if (program_[pending_[i]].spec->is_pointwise()) inside_.insert(pending_[i]);
    }
    return root->value;
  }

  BindQuery query(const OpSpec& spec, const ast::Call& call, bool fused) const {
    return {spec, call, fused, [this](std::string_view text) {
              return scope_.names.contains(text) || scope_.failed.contains(text) ||
                     (text == "it" && running_.has_value());
            }};
  }

  std::optional<std::vector<ValueId>> values(const std::vector<const ast::Expr*>& exprs) {
    std::vector<ValueId> out;
    bool good = true;
    for (const ast::Expr* expr : exprs) {
      const auto operand = expression(*expr);
      good = good && operand.has_value();
      if (operand) out.push_back(operand->value);
    }
    return good ? std::optional(out) : std::nullopt;
  }

  // prepack(e) or prepack(e, f16): a load step of its own, whose result is an operand here.
  std::optional<Operand> prepack(const ast::Call& ast) {
    if (ast.args.empty() || ast.args.size() > 2 || std::get_if<ast::ExprPtr>(&ast.args[0].value) == nullptr) {
      diags_
          .add(kinds::missing_argument, ast.span,
               "`prepack` takes an expression over params, and optionally a type")
          .help = "`prepack(W, f16)` or `prepack(transpose(W))`";
      return std::nullopt;
    }
    const size_t errors_before = diags_.error_count();
    StepResolver inner(scope_);
    auto root = inner.expression(*std::get<ast::ExprPtr>(ast.args[0].value));
    if (!root) return std::nullopt;
    if (!program_[root->value].params_only) {
      diags_.add(kinds::prepack_not_params, ast.span, "`prepack` of something that changes with every call")
          .help = "`prepack` takes an expression over params only; drop it here";
      return std::nullopt;
    }
    const OpSpec* to = scope_.catalog.op("to");
    const bool view = inner.pending_.empty() || program_[inner.pending_.back()].spec->is_view();
    if ((ast.args.size() == 2 || view) && to != nullptr) {
      Attrs attrs;
      if (ast.args.size() == 2) {
        const auto* type = std::get_if<ast::ExprPtr>(&ast.args[1].value);
        const auto dtype =
            type == nullptr || (*type)->kind != Kind::name ? std::nullopt : parse_dtype((*type)->text);
        if (!dtype) {
          diags_.add(kinds::bad_argument, ast.args[1].span, "the second argument of `prepack` is a type")
              .help = "`prepack(W, f16)`";
          return std::nullopt;
        }
        attrs.set("dtype", *dtype);
      }
      if (view) attrs.set("layout", std::string("row"));
      root = inner.apply(*to, {root->value}, std::move(attrs), ast.span);
      if (!root) return std::nullopt;
    }
    inner.take_ops();
    inner.check_storage(root->value, ast.span);
    if (diags_.error_count() != errors_before) return std::nullopt;
    inner.step_.results = {root->value};
    inner.step_.phase = Phase::load;
    inner.step_.span = ast.span;
    scope_.builder.step(std::move(inner.step_));
    return Operand{root->value, false};
  }

  // ---- after >>

  std::optional<ValueId> chain_call(const ast::Call& ast, ValueId running) {
    running_ = running;
    pending_.clear();
    std::optional<Operand> root;
    const OpSpec* spec = nullptr;
    const bool is_map = ast.callee.text == "map";
    if (is_map) {
      root = map_body(ast);
    } else {
      spec = find_operator(ast.callee);
      if (spec == nullptr) return std::nullopt;
      if (!fusable(*spec)) return not_fusable(*spec, ast);
      const auto bound = bind_args(query(*spec, ast, true), diags_);
      if (!bound) return std::nullopt;
      auto rest = values(bound->tensors);
      if (!rest) return std::nullopt;
      if (spec->along_columns) along_columns(running, *rest, ast.span);
      rest->insert(rest->begin(), running);
      root = apply(*spec, std::move(*rest), bound->attrs, ast.span);
    }
    running_.reset();
    if (!root || !root->made_here || pending_.empty()) return std::nullopt;
    for (const OpId id : pending_) {
      const OpSpec& made = *program_[id].spec;
      if (made.is_view() && has_memory(program_[id].in[0])) continue;
      if (!fusable(made)) return not_fusable(made, ast);
    }
    const bool reduces = spec != nullptr && spec->reduces;
    if (!reduces && !same_shape(running, root->value, ast)) return std::nullopt;
    if (is_floating(program_[root->value].dtype)) check_inner_rounding(pending_, ast.span);
    step_.chain.push_back({pending_, is_map, ast.span});
    pending_.clear();
    if (spec != nullptr && spec->stores) {
      stores_.push_back(root->value);
      return running;
    }
    return root->value;
  }

  // An operand of one dimension runs along the columns of what the step makes: channels of a convolution lie
  // before the last dimension, so it is viewed as [C, 1, 1].
  void along_columns(ValueId running, std::vector<ValueId>& operands, Span span) {
    const Op& main = program_[step_.main];
    const int64_t columns = main.spec->columns;
    if (columns == -1 || program_[running].shape != program_[main.out[0]].shape) return;
    for (ValueId& id : operands) {
      if (program_[id].shape.size() != 1 || !has_memory(id)) continue;
      Shape lifted(static_cast<size_t>(-columns), 1);
      lifted[0] = program_[id].shape[0];
      Attrs attrs;
      attrs.set("shape", std::move(lifted));
      const OpSpec* reshape = scope_.catalog.op("reshape");
      const auto view = reshape == nullptr ? std::nullopt : apply(*reshape, {id}, std::move(attrs), span);
      if (view) id = view->value;
    }
  }

  std::optional<Operand> map_body(const ast::Call& ast) {
    const auto* body =
        ast.args.size() == 1 && !ast.args[0].name ? std::get_if<ast::ExprPtr>(&ast.args[0].value) : nullptr;
    if (body == nullptr) {
      diags_.add(kinds::form_not_yet, ast.span, "`map` takes one expression").help = "`>> map(it * 2 + 1)`";
      return std::nullopt;
    }
    auto root = expression(**body);
    if (root && pending_.empty()) {
      diags_.add(kinds::nothing_to_do, ast.span, "this `map` computes nothing").help =
          "use `it` in an expression: `>> map(it * 2)`";
      return std::nullopt;
    }
    return root;
  }

  static bool fusable(const OpSpec& spec) {
    return (static_cast<int>(spec.place) & static_cast<int>(Place::fused)) != 0;
  }

  // Read from memory that this step does not write: views of it are free.
  bool has_memory(ValueId id) const {
    const Value& root = program_[program_[id].root];
    return root.kind != ValueKind::literal && (!root.def || program_[root.def].step);
  }

  std::optional<ValueId> not_fusable(const OpSpec& spec, const ast::Call& ast) {
    diags_.add(kinds::not_fusable, ast.span, fmt::format("`{}` cannot follow `>>`", spec.name)).help =
        fmt::format("make it a step of its own: `z = {}`", signature(spec, false));
    return std::nullopt;
  }

  bool same_shape(ValueId before, ValueId after, const ast::Call& ast) {
    if (program_[before].shape == program_[after].shape) return true;
    diags_
        .add(kinds::chain_shape, ast.span,
             fmt::format("this makes {} of {}", to_text(program_[after].shape),
                         to_text(program_[before].shape)))
        .help = "an operand of a fused operator broadcasts to the running value, not the other way round";
    return false;
  }

  // An inner `to` rounds as a store would, so the licence covers it.
  void check_inner_rounding(const std::vector<OpId>& ops, Span span) {
    for (const OpId id : ops) {
      if (program_[id].attrs.has("dtype")) check_storage(program_[id].out.back(), span);
    }
  }

  // ---- knobs

  void knobs(const ast::Step& ast) {
    std::set<std::string_view> seen;
    const Op& main = program_[step_.main];
    for (const ast::Knob& knob : ast.knobs) {
      const KnobSpec* spec = scope_.catalog.knob(knob.name.text, *main.spec);
      if (spec == nullptr) {
        unknown_knob(knob, main);
      } else if (!applies(*spec, *main.spec)) {
        diags_
            .add(kinds::knob_family, knob.name.span,
                 fmt::format("`.{}` does not apply to `{}`", spec->name, main.spec->name))
            .help = fmt::format("it applies to: {}", spec->families);
      } else if (!seen.insert(knob.name.text).second) {
        diags_.add(kinds::knob_twice, knob.span, fmt::format("`.{}` is set twice", spec->name)).help =
            "keep one of them";
      } else {
        add_knob(*spec, knob);
      }
    }
  }

  void unknown_knob(const ast::Knob& knob, const Op& main) {
    std::vector<std::string_view> known;
    for (const KnobSpec* row : scope_.catalog.knobs()) {
      if (applies(*row, *main.spec)) known.push_back(row->name);
    }
    auto& diag =
        diags_.add(kinds::unknown_knob, knob.name.span, fmt::format("no knob is named `{}`", knob.name.text));
    const std::string_view near = nearest(knob.name.text, known);
    diag.replacement = near;
    diag.help = !near.empty() ? fmt::format("did you mean `.{}`?", near)
                : scope_.catalog.op(knob.name.text) != nullptr
                    ? fmt::format("`{0}` is an operator: fuse it with `>> {0}(...)`", knob.name.text)
                    : fmt::format("knobs of `{}`: {}", main.spec->name, fmt::join(known, " "));
  }

  void add_knob(const KnobSpec& spec, const ast::Knob& ast) {
    Knob knob;
    knob.name = ast.name.text;
    knob.span = ast.span;
    for (const ast::Setting& setting : ast.settings) {
      if (setting.is_set || setting.literals.size() != 1) {
        diags_.add(kinds::knob_set, setting.span, "a set of settings is not expanded yet").help =
            "write one setting";
        return;
      }
      knob.settings.push_back(std::visit(
          [](const auto& value) -> KnobValue {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<int64_t>>) {
              return Tile{value};
            } else {
              return value;
            }
          },
          setting.literals[0].value));
      knob.setting_spans.push_back(setting.span);
    }
    if (spec.fits != nullptr && !spec.fits(knob)) {
      diags_.add(kinds::knob_syntax, knob.span, fmt::format("`.{}` does not take these settings", spec.name))
          .help = fmt::format("`.{}({})`", spec.name, spec.syntax);
      return;
    }
    if (!spec.emitted) {
      diags_.add(kinds::knob_not_emitted, knob.span, fmt::format("`.{}` is not emitted yet", spec.name))
          .help = "it is kept in the text and changes nothing; drop it to compile";
    }
    if (const std::string reason = spec.not_emitted == nullptr ? std::string() : spec.not_emitted(knob);
        !reason.empty()) {
      diags_.add(kinds::knob_not_emitted, knob.span, reason).help =
          fmt::format("drop `.{}` or choose another setting", spec.name);
      return;
    }
    if (spec.not_emitted != nullptr) {
      if (const std::string why = spec.not_emitted(knob); !why.empty()) {
        diags_
            .add(kinds::knob_not_emitted, knob.setting_spans.empty() ? knob.span : knob.setting_spans[0], why)
            .help = "drop the knob or take the other setting";
        return;
      }
    }
    step_.knobs.push_back(std::move(knob));
  }

  Scope& scope_;
  Program& program_;
  DiagSink& diags_;
  Step step_;
  std::vector<OpId> pending_;  // ops made so far by the expression being resolved
  std::set<OpId> inside_;      // of them, those of an expression argument: no work on an operand
  std::vector<ValueId> stores_;
  std::optional<ValueId> running_;  // what `it` means
};

}  // namespace

void resolve_step(Scope& scope, const ast::Step& step) { StepResolver(scope).run(step); }

}  // namespace uc
