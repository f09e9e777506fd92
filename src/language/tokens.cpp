// An estimate of o200k_base's token count: pieces as its pattern cuts them, each counted by its length.
#include <algorithm>
#include <cctype>

#include "language/exports.h"

namespace uc::language {
namespace {

bool letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool blank(char c) { return c == ' ' || c == '\t'; }

// Words of up to 7 letters are mostly one token; names of the field break sooner, which the sixth below
// covers.
size_t of_word(size_t letters) { return letters <= 7 ? 1 : 2 + (letters - 8) / 6; }

}  // namespace

size_t estimate_tokens(std::string_view text) {
  size_t count = 0;
  const auto run = [&text](size_t at, bool (*in)(char)) {
    size_t end = at;
    while (end < text.size() && in(text[end])) ++end;
    return end;
  };
  for (size_t at = 0; at < text.size();) {
    if (letter(text[at])) {
      const size_t end = run(at, letter);
      count += of_word(end - at);
      at = end;
    } else if (digit(text[at])) {
      const size_t end = run(at, digit);
      count += (end - at + 2) / 3;
      at = end;
    } else if (at + 1 < text.size() && text[at] != '\n' && letter(text[at + 1])) {
      ++at;  // one sign before a word belongs to it
    } else {
      const size_t end = run(at, [](char c) { return !letter(c) && !digit(c) && !blank(c) && c != '\n'; });
      count += end > at ? 1 + (end - at - 1) / 2 : 0;
      at = std::max(end, at);
      const size_t space = run(at, [](char c) { return blank(c) || c == '\n'; });
      if (end == at && space > at) {
        // Blanks in front of a word belong to it, but for the last; line ends to the sign before.
        count += space - at > 1 || text[at] == '\n' ? 1 : 0;
        at = space;
      }
    }
  }
  return count + count / 12;
}

}  // namespace uc::language
