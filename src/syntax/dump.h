#pragma once
// Why: the tree as text without places, for `--dump=ast` and for comparing trees.
#include <string>

#include "syntax/ast.h"

namespace uc {

/// One statement a line, expressions fully bracketed: `step y = (+ a (* b 2)) .vector(4) >> relu()`.
std::string dump(const ast::File& file);
std::string dump(const ast::Expr& expr);

}  // namespace uc
