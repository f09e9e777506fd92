// `prepack` in an expression: steps that run once, when the weights are loaded.
#include <set>

#include "check/diags.h"
#include "check/step_resolver.h"

namespace uc {

using Kind = ast::Expr::Kind;

// Inside `prepack` any expression stands: what is no part of one kernel becomes a load step of its own.
void StepResolver::load_operands(const OpSpec& spec, const std::vector<ValueId>& in) {
  for (const ValueId id : in) {
    if (!pending_makes(id)) continue;
    const OpId def = program_[id].def;
    if (launches(def) || ((spec.memory_operands || spec.is_view()) && !is_view(def))) load_step(id);
  }
}

void StepResolver::load_step(ValueId value) {
  std::set<OpId> wanted{program_[value].def};
  for (size_t i = pending_.size(); i-- > 0;) {
    if (!wanted.contains(pending_[i])) continue;
    for (const ValueId in : program_[pending_[i]].in) {
      if (pending_makes(in)) wanted.insert(program_[in].def);
    }
  }
  Step step;
  step.main = program_[value].def;
  for (const OpId op : pending_) {
    if (wanted.contains(op) && op != step.main) step.prologue.push_back(op);
  }
  std::erase_if(pending_, [&](OpId op) { return wanted.contains(op); });
  step.results = program_[step.main].out;
  step.phase = Phase::load;
  step.span = program_[step.main].span;
  scope_.builder.step(std::move(step));
}

std::optional<Attrs> StepResolver::prepack_attrs(const ast::Call& ast) {
  Attrs attrs;
  if (ast.args.size() < 2) return attrs;
  const auto* type = std::get_if<ast::ExprPtr>(&ast.args[1].value);
  const auto dtype =
      type == nullptr || (*type)->kind != Kind::name ? std::nullopt : parse_dtype((*type)->text);
  if (!dtype) {
    diags_.add(kinds::bad_argument, ast.args[1].span, "the second argument of `prepack` is a type").help =
        "`prepack(W, f16)`";
    return std::nullopt;
  }
  attrs.set("dtype", *dtype);
  return attrs;
}

// prepack(e) or prepack(e, f16): a load step of its own, whose result is an operand here.
std::optional<Operand> StepResolver::prepack(const ast::Call& ast) {
  if (ast.args.empty() || ast.args.size() > 2 || std::get_if<ast::ExprPtr>(&ast.args[0].value) == nullptr) {
    diags_
        .add(kinds::missing_argument, ast.span,
             "`prepack` takes an expression over params, and optionally a type")
        .help = "`prepack(W, f16)` or `prepack(transpose(W))`";
    return std::nullopt;
  }
  const size_t errors_before = diags_.error_count();
  StepResolver inner(scope_, nullptr);
  auto operand = inner.values({std::get<ast::ExprPtr>(ast.args[0].value).get()});
  if (!operand) return std::nullopt;
  ValueId root = operand->back();
  if (!program_[root].params_only) {
    diags_.add(kinds::prepack_not_params, ast.span, "`prepack` of something that changes with every call")
        .help = "`prepack` takes an expression over params only; drop it here";
    return std::nullopt;
  }
  const OpSpec* to = scope_.catalog.op("to");
  const bool view = inner.pending_.empty() || is_view(inner.pending_.back());
  if ((ast.args.size() == 2 || view) && to != nullptr) {
    auto attrs = prepack_attrs(ast);
    if (!attrs) return std::nullopt;
    if (view) attrs->set("layout", std::string("row"));
    const auto copied = inner.apply(*to, {root}, std::move(*attrs), ast.span);
    if (!copied) return std::nullopt;
    root = copied->value();
  }
  inner.take_ops({root});
  inner.check_storage(root, ast.span);
  if (diags_.error_count() != errors_before) return std::nullopt;
  inner.step_.results = {root};
  inner.step_.phase = Phase::load;
  inner.step_.span = ast.span;
  scope_.builder.step(std::move(inner.step_));
  return Operand{{root}, false};
}

}  // namespace uc
