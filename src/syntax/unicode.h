#pragma once
// Why: text that came through a word processor or a paper holds signs that look like ours; each has a known
// fix.
#include <cstdint>
#include <string_view>

namespace uc::syntax {

/// One code point. Invalid bytes come one at a time.
struct CodePoint {
  uint32_t code = 0;
  uint32_t length = 1;  ///< bytes
  bool valid = false;
};
CodePoint decode(std::string_view text, size_t at);

/// The ASCII text that a sign stands for: "*" for U+00D7, "" when it is none of the known ones.
std::string_view ascii_sign(uint32_t code);

/// The ASCII name of a Greek letter ("alpha"), or "".
std::string_view greek_name(uint32_t code);

/// Punctuation, an arrow, a mathematical sign, an emoji: no part of a name in any script.
bool is_symbol(uint32_t code);

bool is_space(uint32_t code);  ///< a space beyond ASCII, or of no width

}  // namespace uc::syntax
