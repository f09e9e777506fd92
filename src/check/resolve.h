#pragma once
// Why: names to rows. The tree becomes a typed Program; every mistake becomes a Diag at its place.
#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/program.h"
#include "syntax/ast.h"

namespace uc {

/// The typed program of a tree. With errors in `diags` the program holds what could be resolved and must not
/// be used further than for showing. Knobs are checked for name, family and syntax, not yet against the
/// rules.
Program resolve(const Catalog& catalog, const ast::File& file, DiagSink& diags);

}  // namespace uc
