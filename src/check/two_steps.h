#pragma once
// Why: what one kernel cannot do, two statements can. A refusal carries that text, ready to be put in place.
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/program.h"
#include "syntax/ast.h"

namespace uc {

/// The running value stands somewhere in the expression.
bool mentions_it(const ast::Expr& expr);
bool mentions_it(const ast::ArgValue& value);

/// Whether a call after `>>` gives its own operands by position, made of `it`: `sum(it, it * it, dim=1)`.
bool gives_operands(const ast::Call& call);

/// The expression at a place inside the statement; null when none begins and ends there.
const ast::Expr* find_expression(const ast::Step& step, Span place);

/// The statement with each of `inner` (places of calls or expressions inside it) computed in a statement
/// before; `names` are theirs. An inner place that is not found changes nothing.
std::string hoisted(const ast::Step& step, const std::vector<Span>& inner,
                    const std::vector<std::string>& names);

/// Two statements: the chain up to call `call`, whose value gets `name`, and from it on. `stores` is how many
/// names on the left the first part binds. Empty when the second part cannot begin with that call.
std::string split_before(const ast::Step& step, size_t call, size_t stores, std::string_view name);

/// The program with the step's chain cut before `call`: from there on a step of its own. The program itself
/// when the chain holds several values there.
Program cut_chain(const Catalog& catalog, const Program& program, StepId step, size_t call);

}  // namespace uc
