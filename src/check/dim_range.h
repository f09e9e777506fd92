#pragma once
// Why: which ranges of a dim hold a size is a matter of values, not of form, so the parser takes them all.
#include "diag/diag.h"
#include "syntax/ast.h"

namespace uc {

/// False after reporting a range without a size.
bool check_dim_range(const ast::Dim& dim, DiagSink& diags);

}  // namespace uc
