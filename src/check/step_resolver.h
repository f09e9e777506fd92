#pragma once
// Why: one statement becomes one step. What its parts share is here; expressions, chain and the texts of
// refusals are in files of their own.
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "check/bind_args.h"
#include "check/scope.h"
#include "check/two_steps.h"

namespace uc {

/// What an expression became: values (several of an operator with several results), and whether ops of the
/// current step make them (else they have memory already).
struct Operand {
  std::vector<ValueId> values;
  bool made_here = false;
  ValueId value() const { return values.back(); }
};

class StepResolver {
 public:
  StepResolver(Scope& scope, const ast::Step* statement)
      : scope_(scope), program_(scope.program), diags_(scope.diags), statement_(statement) {}

  void run();

 private:
  using Exprs = std::vector<const ast::Expr*>;

  // ---- the statement (step_resolver.cpp)
  void claim_all();
  void build();
  std::optional<std::vector<ValueId>> heads();
  void alias(ValueId value);
  void take_ops(std::vector<ValueId> heads);
  /// An op inside the parentheses that cannot be in the same kernel.
  struct Offence {
    OpId op;
    const DiagKind* kind;
    std::string message;
  };
  std::optional<Offence> offence_of(OpId id) const;
  void check_prologue();
  void finish_view(const std::vector<ValueId>& results);
  void finish(const std::vector<ValueId>& results);
  void each_call(const std::vector<ValueId>& results);
  void check_storage(ValueId id, Span span);
  bool distinct(const std::vector<ValueId>& values, Span span);
  bool is_view(OpId op) const { return program_[op].spec->is_view(); }
  bool launches(OpId op) const { return !is_view(op) && !program_[op].spec->is_pointwise(); }
  bool pending_makes(ValueId id) const;
  /// Read from memory that this step does not write: views of it are free.
  bool has_memory(ValueId id) const;
  /// The finding's help and edit: the statement as two, `inner` in one of its own.
  void hoist(Diag& diag, const std::vector<Span>& inner);
  void split(Diag& diag, size_t call);

  // ---- expressions (step_expression.cpp)
  std::optional<Operand> expression(const ast::Expr& expr);
  std::optional<Operand> named(const ast::Expr& expr);
  std::optional<Operand> infix(const ast::Expr& expr);
  std::optional<Operand> call(const ast::Call& ast);
  std::optional<Operand> apply(const OpSpec& spec, std::vector<ValueId> in, Attrs attrs, Span span);
  /// One application an operand: `sum(x, x * x, dim=1)`.
  std::optional<Operand> apply_each(const OpSpec& spec, const std::vector<ValueId>& in, const Attrs& attrs,
                                    Span span);
  std::optional<Operand> prepack(const ast::Call& ast);
  void load_operands(const OpSpec& spec, const std::vector<ValueId>& in);
  void load_step(ValueId value);
  std::optional<Attrs> prepack_attrs(const ast::Call& ast);
  std::optional<std::vector<ValueId>> map_bodies(const ast::Call& ast);
  std::optional<ValueId> over_it(const OpSpec& spec, const std::vector<ValueId>& operands,
                                 const BoundCall& bound);
  const OpSpec* find_operator(const ast::Name& callee);
  BindQuery query(const OpSpec& spec, const ast::Call& call, bool fused) const;
  std::optional<std::vector<ValueId>> values(const Exprs& exprs);

  // ---- after >> (step_chain.cpp)
  bool chain();
  bool chain_call(size_t at);
  std::optional<Operand> one_call(const ast::Call& ast, const OpSpec* spec);
  std::optional<Operand> call_of_each(const ast::Call& ast, const OpSpec* spec);
  void along_columns(std::vector<ValueId>& operands, Span span);
  bool legal_in_chain(size_t at, const std::vector<ValueId>& made);
  void not_fusable(const OpSpec& spec, size_t at);
  bool same_shape(ValueId before, ValueId after, size_t at);

  Scope& scope_;
  Program& program_;
  DiagSink& diags_;
  const ast::Step* statement_;  // null inside `prepack`
  Step step_;
  std::vector<OpId> pending_;  // ops made so far by the expression being resolved
  std::set<OpId> inside_;      // of them, those of an expression argument: no work on an operand
  std::vector<ValueId> stores_;
  std::vector<ValueId> running_;  // what the chain goes on with
  std::optional<ValueId> it_;     // what `it` means
};

/// Resolves the knobs of a statement into the step.
void resolve_knobs(Scope& scope, const ast::Step& ast, Step& step);

}  // namespace uc
