#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "base/text.h"
#include "syntax/diags.h"
#include "syntax/lexer.h"
#include "syntax/lexer_impl.h"
#include "syntax/parser_impl.h"

namespace uc::syntax {
namespace {

constexpr std::array<std::string_view, 8> kKeywords{"input",     "param", "scalar", "target",
                                                    "precision", "name",  "dim",    "return"};

constexpr std::array<std::string_view, 18> kControl{"if",   "else", "elif",     "for",    "while", "def",
                                                    "fn",   "func", "function", "import", "from",  "class",
                                                    "with", "let",  "var",      "const",  "auto",  "switch"};

bool is_operator(Tok kind) { return kind >= Tok::equal && kind <= Tok::slash && kind != Tok::chain; }

}  // namespace

std::span<const std::string_view> keywords() { return kKeywords; }

bool is_keyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), is_word);
}

void Parser::statement() {
  if (reported()) {
    panic_ = true;
    return;
  }
  const Tok next = kind(1);
  const bool keyword = kind() == Tok::name && next != Tok::assign && next != Tok::comma && is_keyword(text());
  if (returned_) {
    auto& diag = error(kinds::after_return, token().span,
                       keyword && text() == "return" ? "a second `return`" : "a statement after `return`");
    diag.help = "`return` is the last statement, and names every result: `return y, z`";
    panic_ = true;
    while (token().kind != Tok::end) advance();
    return;
  }
  if (keyword) return keyword_statement();
  const bool assigns = kind() == Tok::name && next == Tok::assign;
  const bool header_word = text() == "target" || text() == "precision" || text() == "name";
  if (assigns && header_word && kind(2) == Tok::name && kind(3) == Tok::newline) return header_with_equals();
  if (kind() == Tok::name && (next == Tok::assign || next == Tok::comma)) return step();
  unknown_statement();
}

void Parser::keyword_statement() {
  const std::string_view word = text();
  if (word == "return") return result();
  if (word == "dim") return dim();
  if (word == "input" || word == "param" || word == "scalar") return decl();
  header();
}

void Parser::end_of_statement() {
  drop_stray_closers();
  if (!panic_ && kind() != Tok::newline) trailing_words();
}

// Something stands behind a whole statement.
void Parser::trailing_words() {
  const Tok now = kind();
  const std::string_view word = text();
  if (now == Tok::assign)
    return give_up(kinds::unexpected_token, token().span, "a second `=` in one statement",
                   "one statement gives names to one expression");
  if (now == Tok::name && (word == "if" || word == "else" || word == "for")) {
    return give_up(kinds::no_control_flow, token().span, fmt::format("`{}` has no meaning here", word),
                   "`where(condition, a, b)` chooses by element");
  }
  if (now == Tok::name && (word == "and" || word == "or" || word == "is" || word == "not" || word == "in")) {
    return give_up(kinds::foreign_operator, token().span,
                   fmt::format("`{}` is not an operator of this language", word),
                   "for masks: `where(a, b, 0)`");
  }
  unexpected("the end of the line", "one line holds one statement");
}

void Parser::unknown_statement() {
  const Tok now = kind();
  const Span here = token().span;
  if (now == Tok::name) return unknown_word();
  if (is_operator(now)) {
    return give_up(
        kinds::line_break, here,
        fmt::format("a line that begins with {} does not go on with the statement before", spelling(now)),
        "outside brackets a newline ends a statement; put the whole expression in brackets");
  }
  if (now == Tok::dot || now == Tok::chain) {
    return give_up(kinds::not_a_statement, here,
                   fmt::format("{} goes on with a step, and no step stands before it", spelling(now)),
                   "begin with `y = ...`");
  }
  if (now == Tok::at)
    return give_up(kinds::not_a_statement, here, "a statement does not begin with `@`",
                   "attributes follow the type: `input x: f32[64, 64] @col`");
  if (now == Tok::close_paren || now == Tok::close_bracket || now == Tok::close_brace) {
    return give_up(kinds::stray_bracket, here, fmt::format("{} closes nothing", spelling(now)),
                   "drop it, or open it before");
  }
  give_up(kinds::not_a_statement, here, fmt::format("a statement does not begin with {}", found()),
          "a step gives its result a name: `y = ...`");
}

void Parser::unknown_word() {
  const std::string_view word = text();
  const Span here = token().span;
  const Tok next = kind(1);
  if (std::find(kControl.begin(), kControl.end(), word) != kControl.end()) {
    return give_up(kinds::no_control_flow, here, fmt::format("`{}` has no meaning here", word),
                   "a program is a straight line of steps; `where(condition, a, b)` chooses by element");
  }
  if (next == Tok::equal) {
    auto& diag = error(kinds::not_a_statement, token(1).span, "`==` compares; a step is written with `=`");
    diag.help = fmt::format("`{} = ...`", word);
    diag.replacement = "=";
    panic_ = true;
    return;
  }
  if (next == Tok::name) {
    auto& diag = error(kinds::unknown_keyword, here, fmt::format("no statement begins with `{}`", word));
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const std::span<const std::string_view> keywords(kKeywords);
    diag.replacement = nearest(lower, kind(2) == Tok::colon ? keywords.first(3) : keywords.last(5));
    diag.help = diag.replacement.empty() ? std::string(kinds::not_a_statement.summary)
                                         : fmt::format("did you mean `{}`?", diag.replacement);
    panic_ = true;
    return;
  }
  if (next == Tok::colon) {
    auto& diag = error(kinds::not_a_statement, here, "a declaration begins with input, param or scalar");
    diag.help = fmt::format("`input {}: ...`", word);
    diag.replacement = fmt::format("input {}", word);
    panic_ = true;
    return;
  }
  if (is_keyword(word)) return keyword_statement();
  if (next == Tok::invalid || token(1).reported) {
    panic_ = true;
    return;
  }
  auto& diag = error(kinds::not_a_statement, here, "this is not a statement");
  diag.help = next == Tok::newline ? fmt::format("`return {}` ends a program; a step is `y = ...`", word)
                                   : fmt::format("a step gives its result a name: `y = {}...`", word);
  if (next == Tok::open_paren) diag.replacement = fmt::format("y = {}", word);
  panic_ = true;
}

// `precision = f16`: as a step it would apply no operator.
void Parser::header_with_equals() {
  auto& diag = error(kinds::header_form, {token().span.begin, token(2).span.end},
                     fmt::format("`{}` takes a name without `=`", text()));
  diag.replacement = fmt::format("{} {}", text(), text(2));
  diag.help = fmt::format("`{}`", shown(diag.replacement));
  panic_ = true;
}

void Parser::header() {
  ast::Header header;
  header.keyword = name();
  if (kind() == Tok::string && is_plain_name(string_content(text()))) {
    auto& diag = error(kinds::header_form, token().span, "a header takes a name, not a string");
    diag.replacement = string_content(text());
    diag.help = fmt::format("`{} {}`", header.keyword.text, shown(diag.replacement));
    advance();
  } else if (kind() == Tok::colon) {
    auto& diag = error(kinds::header_form, token().span,
                       fmt::format("`{}` takes a name without `:`", header.keyword.text));
    diag.help = fmt::format("`{} {}`", header.keyword.text, kind(1) == Tok::name ? text(1) : "NAME");
    if (kind(1) == Tok::name) diag.replacement = " ";
    panic_ = true;
  } else if (kind() == Tok::name) {
    header.value = name();
    file_.statements.emplace_back(std::move(header));
  } else if (reported()) {
    panic_ = true;
  } else {
    const std::string_view example = header.keyword.text == "target"      ? "target sm_90a"
                                     : header.keyword.text == "precision" ? "precision f16"
                                                                          : "name my_program";
    give_up(kinds::header_form, kind() == Tok::newline ? gap() : token().span,
            fmt::format("`{}` takes a name, found {}", header.keyword.text, found()),
            fmt::format("`{}`", example));
  }
}

void Parser::result() {
  ast::Result result;
  const size_t first = at_;
  advance();
  returned_ = true;
  if (kind() == Tok::open_paren || kind() == Tok::open_bracket) return bracketed_result();
  while (true) {
    if (kind() != Tok::name || kind(1) == Tok::open_paren || kind(1) == Tok::open_bracket)
      return bad_result(first);
    result.names.push_back(name());
    if (kind() != Tok::comma) break;
    advance();
  }
  if (kind() != Tok::newline && !at_closer()) return bad_result(first);
  result.span = since(first);
  file_.statements.emplace_back(std::move(result));
}

void Parser::bad_result(size_t first) {
  if (reported()) {
    panic_ = true;
    return;
  }
  if (before().kind == Tok::comma && kind() == Tok::newline) {
    return give_up(kinds::trailing_comma, before().span, "a comma with nothing behind it", "drop it");
  }
  if (at_ == first + 1 && kind() == Tok::newline)
    return give_up(kinds::return_form, gap(), "`return` of nothing",
                   "`return y`, with the names of the results");
  give_up(kinds::return_form, token().span, fmt::format("`return` takes names, found {}", found()),
          "give the expression a name in a step, `y = ...`, then `return y`");
}

void Parser::bracketed_result() {
  const size_t opener = at_;
  skip_brackets();
  if (panic_) return;
  const Span span = since(opener);
  const std::string_view inside = trim(source_.substr(span.begin + 1, span.end - span.begin - 2));
  auto& diag = error(kinds::return_form, span, "`return` takes names without brackets");
  diag.help = "`return y, z`";
  const bool names = std::all_of(inside.begin(), inside.end(), [](char c) {
    return c == ',' || c == ' ' || c == '_' || std::isalnum(static_cast<unsigned char>(c));
  });
  if (names && !inside.empty() && inside.back() != ',') diag.replacement = inside;
  panic_ = true;
}

}  // namespace uc::syntax
