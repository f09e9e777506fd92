#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.h"
#include "syntax/diags.h"
#include "syntax/lexer_impl.h"

namespace uc::syntax {
namespace {

struct Spelling {
  std::string_view text;
  Tok kind;
};

// Longer ones first.
constexpr std::array kSigns{Spelling{">>", Tok::chain},
                            Spelling{"==", Tok::equal},
                            Spelling{"!=", Tok::not_equal},
                            Spelling{"<=", Tok::less_equal},
                            Spelling{">=", Tok::greater_equal},
                            Spelling{"**", Tok::power},
                            Spelling{"..", Tok::range},
                            Spelling{"=", Tok::assign},
                            Spelling{"<", Tok::less},
                            Spelling{">", Tok::greater},
                            Spelling{"+", Tok::plus},
                            Spelling{"-", Tok::minus},
                            Spelling{"*", Tok::star},
                            Spelling{"/", Tok::slash},
                            Spelling{"(", Tok::open_paren},
                            Spelling{")", Tok::close_paren},
                            Spelling{"[", Tok::open_bracket},
                            Spelling{"]", Tok::close_bracket},
                            Spelling{"{", Tok::open_brace},
                            Spelling{"}", Tok::close_brace},
                            Spelling{",", Tok::comma},
                            Spelling{":", Tok::colon},
                            Spelling{".", Tok::dot},
                            Spelling{"@", Tok::at}};

// Signs of other languages: what to say, and the token that the parser then sees.
struct Foreign {
  std::string_view text;
  Tok kind;
  std::string_view help;
  std::string_view replacement = {};
};

constexpr std::array kForeign{
    Foreign{"|>", Tok::chain, "`>>` applies what follows in the same kernel", ">>"},
    Foreign{"->", Tok::invalid, "`>>` applies what follows in the same kernel; a step is `y = ...`"},
    Foreign{"<-", Tok::assign, "a step is `y = ...`", "="},
    Foreign{":=", Tok::assign, "a step is `y = ...`", "="},
    Foreign{"**=", Tok::invalid, "a name is given once: write a new one, `y2 = y ** 2`"},
    Foreign{"+=", Tok::invalid, "a name is given once: write a new one, `y2 = y + x`"},
    Foreign{"-=", Tok::invalid, "a name is given once: write a new one, `y2 = y - x`"},
    Foreign{"*=", Tok::invalid, "a name is given once: write a new one, `y2 = y * x`"},
    Foreign{"/=", Tok::invalid, "a name is given once: write a new one, `y2 = y / x`"},
    Foreign{"&&", Tok::star, "for masks: `where(a, b, 0)`"},
    Foreign{"||", Tok::star, "for masks: `where(a, 1, b)`"},
    Foreign{"&", Tok::star, "for masks: `where(a, b, 0)`"},
    Foreign{"|", Tok::star, "for masks: `where(a, 1, b)`"},
    Foreign{"^", Tok::power, "a power is `x ** 2`", "**"},
    Foreign{"%", Tok::slash, "there is no remainder; `floor(a / b)` gives the whole part"},
    Foreign{"!", Tok::minus, "for masks: `where(a, 0, 1)`"},
    Foreign{"~", Tok::minus, "for masks: `where(a, 0, 1)`"}};

}  // namespace

Tok sign_token(std::string_view text) {
  const auto found =
      std::find_if(kSigns.begin(), kSigns.end(), [text](const Spelling& sign) { return sign.text == text; });
  return found == kSigns.end() ? Tok::invalid : found->kind;
}

void Lexer::sign() {
  const std::string_view rest = source_.substr(at_);
  if (peek() == ';') return semicolon();
  if (peek() == '\\') return backslash();
  if (starts_with(rest, "//") || starts_with(rest, "/*")) return foreign_comment();
  if (peek() == '.' && is_digit(peek(1))) return leading_point();
  if (!starts_with(rest, "!=") && foreign_sign()) return;
  const size_t begin = at_;
  for (const Spelling& sign : kSigns) {
    if (!starts_with(rest, sign.text)) continue;
    at_ += sign.text.size();
    return push(sign.kind, begin);
  }
  const char c = peek();
  while (!done() && peek() == c) ++at_;
  const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  auto& diag =
      error(kinds::unexpected_character, begin,
            control ? fmt::format("a control character, byte 0x{:02x}", static_cast<unsigned char>(c))
                    : fmt::format("`{}` has no meaning", c));
  diag.help = control ? "is this a text file? remove the byte" : "remove it";
  push(Tok::invalid, begin);
}

bool Lexer::foreign_sign() {
  const std::string_view rest = source_.substr(at_);
  for (const Foreign& sign : kForeign) {
    if (!starts_with(rest, sign.text)) continue;
    // `a<-b` compares with a negative number, within brackets always; `x *=` and the like update, but `==`
    // never begins here.
    if (sign.text == "<-" && !(open_brackets_ == 0 && !out_.tokens.empty() && out_.tokens.back().line_start &&
                               out_.tokens.back().kind == Tok::name))
      continue;
    if (sign.text.size() == 2 && sign.text[1] == '=' && rest.size() > 2 && rest[2] == '=') continue;
    const size_t begin = at_;
    at_ += sign.text.size();
    auto& diag = error(kinds::foreign_operator, begin,
                       fmt::format("`{}` is not an operator of this language", sign.text));
    diag.help = sign.help;
    diag.replacement = sign.replacement;
    push(sign.kind, begin);
    return true;
  }
  return false;
}

// At the end of a line it is only reported; between two statements it also parts them.
void Lexer::semicolon() {
  const size_t begin = at_++;
  size_t rest = at_;
  while (rest < source_.size() && (source_[rest] == ' ' || source_[rest] == '\t' || source_[rest] == '\r'))
    ++rest;
  const bool last = rest >= source_.size() || source_[rest] == '\n' || source_[rest] == '#';
  auto& diag = error(kinds::unexpected_character, begin, "`;` has no meaning");
  diag.help = last ? "a newline ends a statement: drop it" : "a newline ends a statement: begin a new line";
  diag.replacement = "\n";
  force_break_ = !last;
}

void Lexer::backslash() {
  const size_t begin = at_++;
  size_t rest = at_;
  while (rest < source_.size() && (source_[rest] == ' ' || source_[rest] == '\t' || source_[rest] == '\r'))
    ++rest;
  if (rest < source_.size() && source_[rest] != '\n') {
    error(kinds::unexpected_character, begin, "`\\` has no meaning").help = "remove it";
    return push(Tok::invalid, begin);
  }
  error(kinds::line_break, begin, "`\\` does not join lines").help =
      "inside brackets lines may break anywhere; outside, begin the next line with `.` or `>>`";
  at_ = std::min(rest, source_.size());
  if (!done()) newline();
  join_ = true;
}

void Lexer::foreign_comment() {
  const size_t begin = at_;
  const bool block = peek(1) == '*';
  const size_t close = block ? source_.find("*/", at_ + 2) : source_.find('\n', at_);
  const size_t end = close == std::string_view::npos ? source_.size() : block ? close + 2 : close;
  check_text(begin, end);
  at_ = begin + 2;
  auto& diag = error(kinds::foreign_operator, begin, fmt::format("`{}` begins no comment here", text(begin)));
  diag.help = block ? "a comment is `#` to the end of the line"
                    : "a comment is `#` to the end of the line; a division is `/`";
  if (!block) diag.replacement = "#";
  at_ = end;
  const size_t line = source_.substr(begin, end - begin).rfind('\n');
  if (line == std::string_view::npos) return;
  line_begin_ = begin + line + 1;
  line_start_ = true;
}

}  // namespace uc::syntax
