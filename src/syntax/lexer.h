#pragma once
// Why: text to tokens. Any bytes are safe to pass; every mistake is reported where it stands, and lexing goes
// on.
#include "syntax/token.h"

namespace uc::syntax {

/// Tokens and comments of `source`, which is shorter than 4 GiB.
Lexed lex(std::string_view source, Reporter& report);

/// The text inside a string token's quotes.
std::string_view string_content(std::string_view token);

/// The value of an INT token; 1 for one that was reported as bad.
int64_t integer_value(std::string_view token);

/// The value of a FLOAT token; 1 for one that was reported as bad.
double real_value(std::string_view token);

/// The extents of a TILE token.
std::vector<int64_t> tile_value(std::string_view token);

}  // namespace uc::syntax
