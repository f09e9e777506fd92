#pragma once
// Why: the lexer's state, shared by lexer.cpp (signs, names, strings) and lex_number.cpp.
#include <string>

#include "syntax/lexer.h"
#include "syntax/unicode.h"

namespace uc::syntax {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_word(char c) { return is_digit(c) || is_letter(c); }

/// The token that `sign` spells, or invalid.
Tok sign_token(std::string_view sign);

class Lexer {
 public:
  Lexer(std::string_view source, Reporter& report) : source_(source), report_(report) {}
  Lexed run();

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool done() const { return at_ >= source_.size(); }
  static Span span(size_t begin, size_t end) {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  Diag& error(const DiagKind& kind, size_t begin, std::string message) {
    reported_ = true;
    return report_.add(kind, span(begin, at_), std::move(message));
  }
  std::string_view text(size_t begin) const { return source_.substr(begin, at_ - begin); }

  void next();
  void newline();
  void not_text(size_t zero);
  void push(Tok kind, size_t begin);
  void comment();
  /// Checks bytes that may hold anything but control characters, such as comments and strings.
  void check_text(size_t begin, size_t end);

  void word();
  bool word_follows() const;
  bool eat_word();
  void string();
  void raw_string();
  void single_quoted();
  void smart_quoted(uint32_t length);
  void sign();
  bool foreign_sign();
  void semicolon();
  void backslash();
  void foreign_comment();
  void beyond_ascii();
  void bad_bytes();

  void number();  // lex_number.cpp
  void leading_point();
  bool tile_follows() const;
  void tile();
  bool fraction_and_exponent();
  bool exponent_follows(size_t ahead) const;
  void running_on(size_t begin);
  void finish_number(Tok kind, size_t begin);
  void advance_digits();

  std::string_view source_;
  Reporter& report_;
  Lexed out_;
  size_t at_ = 0;
  size_t line_begin_ = 0;
  size_t open_brackets_ = 0;
  bool line_start_ = true;
  bool force_break_ = false;  ///< after `;`
  bool join_ = false;         ///< after a `\` at the end of a line
  bool reported_ = false;     ///< an error about the token being read
};

}  // namespace uc::syntax
