#include "syntax/lexer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/text.h"
#include "syntax/diags.h"
#include "syntax/lexer_impl.h"

namespace uc::syntax {

Lexed lex(std::string_view source, Reporter& report) { return Lexer(source, report).run(); }

std::string_view string_content(std::string_view token) {
  const size_t quotes = token.size() >= 6 && starts_with(token, "\"\"\"") ? 3 : 1;
  return token.size() < 2 * quotes ? std::string_view() : token.substr(quotes, token.size() - 2 * quotes);
}

Lexed Lexer::run() {
  if (starts_with(source_, "\xef\xbb\xbf")) at_ = line_begin_ = 3;
  // One zero byte is a slip in a text; many are an executable, an image, or text in UTF-16.
  if (std::count(source_.begin(), source_.end(), '\0') > 8) not_text(source_.find('\0'));
  while (!done()) next();
  push(Tok::end, at_);
  return std::move(out_);
}

void Lexer::next() {
  reported_ = false;
  const char c = peek();
  if (c == '\n') return newline();
  if (c == ' ' || c == '\t' || c == '\r') {
    ++at_;
  } else if (c == '#') {
    comment();
  } else if (is_digit(c)) {
    number();
  } else if (c == '"') {
    starts_with(source_.substr(at_), "\"\"\"") ? raw_string() : string();
  } else if (c == '\'') {
    single_quoted();
  } else if (is_letter(c)) {
    word();
  } else if (static_cast<unsigned char>(c) >= 0x80) {
    beyond_ascii();
  } else {
    sign();
  }
}

void Lexer::not_text(size_t zero) {
  at_ = zero + 1;
  const bool wide = starts_with(source_, "\xff\xfe") || starts_with(source_, "\xfe\xff");
  error(kinds::unexpected_character, zero, "a control character, byte 0x00: this is not a text file").help =
      wide ? "it looks like UTF-16: save the file as UTF-8" : "give the program's text";
  at_ = source_.size();  // whatever else is odd in it says nothing new
}

void Lexer::newline() {
  ++at_;
  line_begin_ = at_;
  line_start_ = true;
}

void Lexer::push(Tok kind, size_t begin) {
  Token token;
  token.kind = kind;
  token.span = span(begin, at_);
  token.column = static_cast<uint32_t>(begin - std::min(begin, line_begin_));
  token.line_start = line_start_;
  const bool continues = kind == Tok::dot || kind == Tok::chain || join_ ||
                         (!out_.tokens.empty() && out_.tokens.back().kind == Tok::chain);
  token.breaks = force_break_ || kind == Tok::end || (line_start_ && !continues);
  token.reported = reported_;
  const bool opens = kind == Tok::open_paren || kind == Tok::open_bracket || kind == Tok::open_brace;
  const bool closes = kind == Tok::close_paren || kind == Tok::close_bracket || kind == Tok::close_brace;
  if (opens) ++open_brackets_;
  if (closes && open_brackets_ > 0) --open_brackets_;
  out_.tokens.push_back(token);
  line_start_ = force_break_ = join_ = false;
}

void Lexer::comment() {
  const size_t begin = at_;
  while (!done() && peek() != '\n') ++at_;
  size_t end = at_;
  while (end > begin && (source_[end - 1] == '\r' || source_[end - 1] == ' ' || source_[end - 1] == '\t'))
    --end;
  check_text(begin, end);
  out_.comments.push_back({std::string(source_.substr(begin, end - begin)), span(begin, end), line_start_});
}

void Lexer::check_text(size_t begin, size_t end) {
  const size_t resume = at_;
  for (at_ = begin; at_ < end;) {
    const CodePoint point = decode(source_, at_);
    const size_t from = at_;
    at_ += point.length;
    if (!point.valid) {
      at_ = from;
      bad_bytes();
    } else if ((point.code < 0x20 && point.code != '\t' && point.code != '\n' && point.code != '\r') ||
               point.code == 0x7f) {
      error(kinds::unexpected_character, from, fmt::format("a control character, byte 0x{:02x}", point.code))
          .help = "remove it";
    }
  }
  at_ = resume;
}

bool Lexer::word_follows() const {
  if (done()) return false;
  if (static_cast<unsigned char>(peek()) < 0x80) return is_word(peek());
  const CodePoint point = decode(source_, at_);
  return point.valid && ascii_sign(point.code).empty() && !is_symbol(point.code) && !is_space(point.code);
}

// Letters, digits and letters beyond ASCII; true when there was one of the last.
bool Lexer::eat_word() {
  bool beyond = false;
  while (word_follows()) {
    const CodePoint point = decode(source_, at_);
    beyond = beyond || point.length > 1;
    at_ += point.length;
  }
  return beyond;
}

void Lexer::word() {
  const size_t begin = at_;
  if (eat_word()) {
    std::string ascii;
    bool known = true;
    for (size_t i = begin; i < at_;) {
      const CodePoint point = decode(source_, i);
      const std::string_view greek = greek_name(point.code);
      known = known && (point.length == 1 || !greek.empty());
      ascii += point.length == 1 ? source_.substr(i, 1) : greek;
      i += point.length;
    }
    auto& diag = error(kinds::non_ascii_name, begin, fmt::format("`{}` is not an ASCII name", text(begin)));
    diag.help = known ? fmt::format("`{}`", ascii) : "use letters a-z A-Z, digits and `_`";
    if (known) diag.replacement = ascii;
  }
  push(Tok::name, begin);
}

void Lexer::string() {
  const size_t begin = at_++;
  while (!done() && peek() != '"' && peek() != '\n') ++at_;
  if (peek() == '"' && !done()) {
    ++at_;
    check_text(begin, at_);
    return push(Tok::string, begin);
  }
  check_text(begin, at_);
  auto& diag = error(kinds::unclosed_string, begin, "this string is not closed on its line");
  diag.help = "close it with `\"`, or use \"\"\"...\"\"\" for several lines";
  push(Tok::invalid, begin);
}

void Lexer::raw_string() {
  const size_t begin = at_;
  const size_t close = source_.find("\"\"\"", begin + 3);
  at_ = close == std::string_view::npos ? source_.size() : close + 3;
  check_text(begin, at_);
  const Tok kind = close == std::string_view::npos ? Tok::invalid : Tok::string;
  if (kind == Tok::invalid) {
    report_.add(kinds::unclosed_string, span(begin, begin + 3), "this raw string is never closed").help =
        "close it with \"\"\"";
  }
  push(kind, begin);
  const size_t newline = source_.substr(begin, at_ - begin).rfind('\n');
  if (newline != std::string_view::npos) line_begin_ = begin + newline + 1;
}

void Lexer::single_quoted() {
  const size_t begin = at_++;
  while (!done() && peek() != '\'' && peek() != '\n') ++at_;
  const bool closed = !done() && peek() == '\'';
  if (closed) ++at_;
  check_text(begin, at_);
  auto& diag =
      error(kinds::string_quotes, begin, closed ? "this string is in single quotes" : "a single quote");
  diag.help = "strings stand in double quotes";
  const std::string_view inside = source_.substr(begin + 1, at_ - begin - (closed ? 2 : 1));
  if (closed && inside.find('"') == std::string_view::npos) diag.replacement = fmt::format("\"{}\"", inside);
  push(closed ? Tok::string : Tok::invalid, begin);
}

// A string in typographic quotes.
void Lexer::smart_quoted(uint32_t length) {
  const size_t begin = at_;
  at_ += length;
  while (!done() && peek() != '\n') {
    const CodePoint point = decode(source_, at_);
    if (ascii_sign(point.code) == "\"" || peek() == '"') {
      const std::string inside(source_.substr(begin + length, at_ - begin - length));
      at_ += point.length;
      check_text(begin, at_);
      auto& diag = error(kinds::string_quotes, begin, "this string is in typographic quotes");
      diag.help = fmt::format("`\"{}\"`", inside);
      diag.replacement = fmt::format("\"{}\"", inside);
      return push(Tok::string, begin);
    }
    at_ += point.length;
  }
  check_text(begin, at_);
  error(kinds::string_quotes, begin, "a typographic quote").help = "strings stand in double quotes";
  push(Tok::invalid, begin);
}

void Lexer::beyond_ascii() {
  const CodePoint point = decode(source_, at_);
  if (!point.valid) {
    bad_bytes();
    return push(Tok::invalid, at_);
  }
  const size_t begin = at_;
  const std::string_view sign = ascii_sign(point.code);
  if (sign == "\"") return smart_quoted(point.length);
  if (sign.empty() && !is_symbol(point.code) && !is_space(point.code)) return word();
  at_ += point.length;
  if (is_space(point.code)) {
    auto& diag = error(kinds::unexpected_character, begin,
                       fmt::format("a space that is not ASCII, U+{:04X}", point.code));
    diag.help = "use a plain space";
    diag.replacement = " ";
    return;
  }
  auto& diag = error(kinds::unexpected_character, begin,
                     sign.empty() ? fmt::format("`{}` has no meaning", text(begin))
                                  : fmt::format("`{}` is not the ASCII `{}`", text(begin), sign));
  diag.help = sign.empty() ? "remove it" : fmt::format("`{}`", sign);
  diag.replacement = sign;
  push(sign_token(sign), begin);
}

void Lexer::bad_bytes() {
  const size_t begin = at_;
  while (!done() && !decode(source_, at_).valid) ++at_;
  error(kinds::invalid_utf8, begin,
        fmt::format("{} byte{} that {} not UTF-8, from 0x{:02x} on", at_ - begin, at_ - begin == 1 ? "" : "s",
                    at_ - begin == 1 ? "is" : "are", static_cast<unsigned char>(source_[begin])))
      .help = "save the file as UTF-8";
}

}  // namespace uc::syntax
