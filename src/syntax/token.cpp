#include "syntax/token.h"

#include <array>

#include "syntax/diags.h"
#include "syntax/unicode.h"

namespace uc::syntax {
namespace {

constexpr size_t kMostErrors = 100;

// In the order of Tok.
constexpr std::array<std::string_view, 32> kSpellings{"a name",
                                                      "an integer",
                                                      "a number",
                                                      "a tile",
                                                      "a string",
                                                      "`=`",
                                                      "`==`",
                                                      "`!=`",
                                                      "`<`",
                                                      "`<=`",
                                                      "`>`",
                                                      "`>=`",
                                                      "`>>`",
                                                      "`+`",
                                                      "`-`",
                                                      "`*`",
                                                      "`**`",
                                                      "`/`",
                                                      "`(`",
                                                      "`)`",
                                                      "`[`",
                                                      "`]`",
                                                      "`{`",
                                                      "`}`",
                                                      "`,`",
                                                      "`:`",
                                                      "`.`",
                                                      "`..`",
                                                      "`@`",
                                                      "this",
                                                      "the end of the line",
                                                      "the end of the file"};

}  // namespace

std::string_view spelling(Tok kind) { return kSpellings[static_cast<size_t>(kind)]; }

std::string shown(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string out;
  for (size_t i = 0; i < text.size() && text[i] != '\n';) {
    const CodePoint point = decode(text, i);
    if (out.size() + point.length > kMost) return out + "...";
    out += point.valid && point.code >= 0x20 && point.code != 0x7f ? text.substr(i, point.length) : "?";
    i += point.length;
  }
  return text.find('\n') == std::string_view::npos ? out : out + "...";
}

Diag& Reporter::add(const DiagKind& kind, Span span, std::string message) {
  constexpr size_t kLongest = 200;  // names may be megabytes long
  if (message.size() > kLongest) {
    size_t cut = kLongest;
    while ((static_cast<unsigned char>(message[cut]) >> 6) == 2) --cut;
    message.replace(cut, message.size() - cut, "...");
  }
  if (++count_ <= kMostErrors) return diags_.add(kind, span, std::move(message));
  if (count_ == kMostErrors + 1) {
    diags_.add(kinds::too_many_errors, span, "more than 100 errors; the rest are not shown").help =
        "mend the first ones and check again";
  }
  return unseen_;
}

}  // namespace uc::syntax
