#pragma once
// Why: one canonical form; `format(parse(format(parse(x))))` equals `format(parse(x))`.
#include <string>

#include "syntax/ast.h"

namespace uc {

/// Canonical text of a tree that parsed without errors, comments kept. `source` is the text it was parsed
/// from (blank lines between statements are kept, at most one).
std::string format(const ast::File& file, std::string_view source);

}  // namespace uc
