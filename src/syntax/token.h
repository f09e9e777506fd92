#pragma once
// Why: the text as words. Bad words were reported when they were made and come out as the nearest good one,
// so that one mistake is one error; `invalid` stands where nothing near exists, and the parser passes over it
// in silence.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diag.h"
#include "syntax/ast.h"

namespace uc::syntax {

enum class Tok : uint8_t {
  name,
  integer,
  real,
  tile,
  string,
  assign,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  chain,
  plus,
  minus,
  star,
  power,
  slash,
  open_paren,
  close_paren,
  open_bracket,
  close_bracket,
  open_brace,
  close_brace,
  comma,
  colon,
  dot,
  range,
  at,
  invalid,
  newline,  ///< never made by the lexer: what the parser sees where a statement ends
  end
};

struct Token {
  Tok kind = Tok::end;
  Span span;
  uint32_t column = 0;      ///< bytes from the start of its line
  bool line_start = false;  ///< the first token of its line
  bool breaks = false;      ///< outside brackets a new statement begins here
  bool reported = false;    ///< the lexer found fault with it
};

struct Lexed {
  std::vector<Token> tokens;  ///< the last one is `end`
  std::vector<ast::Comment> comments;
};

/// "`(`", "an integer": for messages.
std::string_view spelling(Tok kind);

/// The words that begin statements where no `=` or `,` follows: input, return, ...
std::span<const std::string_view> keywords();

/// A piece of the source for a message: its first line, at most 40 bytes, valid UTF-8 without control
/// characters.
std::string shown(std::string_view text);

/// Adds errors up to a limit; after it, one last error says that there are more.
class Reporter {
 public:
  explicit Reporter(DiagSink& diags) : diags_(diags) {}
  Diag& add(const DiagKind& kind, Span span, std::string message);
  size_t count() const { return count_; }

 private:
  DiagSink& diags_;
  size_t count_ = 0;
  Diag unseen_;
};

}  // namespace uc::syntax
