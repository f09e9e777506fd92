#pragma once
// Why: what declarations and steps share while a tree is resolved.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/program_builder.h"
#include "diag/diag.h"
#include "ir/program.h"
#include "syntax/ast.h"

namespace uc {

struct Scope {
  const Catalog& catalog;
  Program& program;
  DiagSink& diags;
  ProgramBuilder builder;
  std::map<std::string, ValueId, std::less<>> names;
  std::map<std::string, Span, std::less<>> failed;  ///< names whose definition had errors: no knock-on errors

  Scope(const Catalog& c, Program& p, DiagSink& d) : catalog(c), program(p), diags(d), builder(c, p, d) {}

  std::set<std::string, std::less<>> written;        ///< every name that the file declares anywhere
  std::map<std::string, int32_t, std::less<>> dims;  ///< named dimensions: index into Program::dims

  /// Reports and returns false when the name is taken.
  bool claim(const ast::Name& name);
  void bind(const ast::Name& name, ValueId value) { names.emplace(name.text, value); }
  /// A name that nothing in the file has.
  std::string fresh(std::string_view base) const;
  /// The value of a name, or none after an error (or after an earlier one about the same name).
  std::optional<ValueId> find(std::string_view text, Span span);
};

/// Resolves one statement `names = expr knobs >> chain` and appends its step (and the load steps of its
/// prepacks).
void resolve_step(Scope& scope, const ast::Step& step);

}  // namespace uc
