#include "syntax/token.h"

#include <array>

#include "syntax/diags.h"

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

Diag& Reporter::add(const DiagKind& kind, Span span, std::string message) {
  if (++count_ <= kMostErrors) return diags_.add(kind, span, std::move(message));
  if (count_ == kMostErrors + 1) {
    diags_.add(kinds::too_many_errors, span, "more than 100 errors; the rest are not shown").help =
        "mend the first ones and check again";
  }
  return unseen_;
}

}  // namespace uc::syntax
