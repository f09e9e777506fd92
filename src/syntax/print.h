#pragma once
// Why: programs go back to text, so that what a rewrite or the importer made is checked as what a person
// wrote.
#include <string>

#include "catalog/catalog.h"
#include "ir/program.h"
#include "syntax/ast.h"

namespace uc {

/// The tree of a resolved program, without places. Values that need a name and have none get one; a load step
/// with an unnamed result that is used once stands where it is used, as `prepack(...)`. A program that no
/// text can say (a rewrite used a value of one chain in another) comes out as text that `check` rejects,
/// never as one of another meaning.
ast::File to_ast(const Catalog& catalog, const Program& program);

/// Canonical source of a resolved program; it resolves to the same program.
std::string print(const Catalog& catalog, const Program& program);

}  // namespace uc
