#pragma once
// Why: text to tree. Never stops at the first error: it resumes at the next statement.
#include <string_view>

#include "diag/diag.h"
#include "syntax/ast.h"

namespace uc {

/// The tree of `source`; with errors in `diags`, the statements without any, and the names that the others
/// would have declared. Any bytes are safe to pass.
ast::File parse(std::string_view source, DiagSink& diags);

}  // namespace uc
