#include "syntax/parser.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.h"
#include "syntax/diags.h"
#include "syntax/lexer.h"
#include "syntax/parser_impl.h"

namespace uc {

ast::File parse(std::string_view source, DiagSink& diags) {
  constexpr size_t kMostBytes = size_t{16} << 20;
  syntax::Reporter report(diags);
  if (source.size() > kMostBytes) {
    report.add(kinds::source_too_large, Span{0, 0}, fmt::format("this text has {} bytes", source.size()))
        .help = "is it the right file? a program is a few lines";
    return {};
  }
  return syntax::Parser(source, syntax::lex(source, report), report).run();
}

namespace syntax {

ast::File Parser::run() {
  while (token().kind != Tok::end) {
    first_ = at_;
    panic_ = false;
    level_ = 0;
    open_.clear();
    const size_t errors = report_.count();
    const size_t statements = file_.statements.size();
    statement();
    if (!panic_) end_of_statement();
    if (panic_) recover();
    if (report_.count() != errors || any_reported(first_, at_)) give_up_on(statements);
  }
  file_.comments = std::move(lexed_.comments);
  return std::move(file_);
}

bool Parser::any_reported(size_t begin, size_t end) const {
  const auto& tokens = lexed_.tokens;
  return std::any_of(tokens.begin() + static_cast<ptrdiff_t>(begin),
                     tokens.begin() + static_cast<ptrdiff_t>(end),
                     [](const Token& token) { return token.reported; });
}

// A statement with an error is not in the tree; the names that it would have declared are known as broken.
void Parser::give_up_on(size_t statements) {
  while (file_.statements.size() > statements) file_.statements.pop_back();
  const auto& tokens = lexed_.tokens;
  const auto is = [&tokens](size_t i, Tok kind) { return tokens[i].kind == kind; };
  for (size_t i = first_; i < at_ && i + 1 < tokens.size(); ++i) {
    const bool at_line = i == first_ || tokens[i].line_start;
    if (!at_line || !is(i, Tok::name)) continue;
    size_t name = i;
    if (is(i + 1, Tok::name)) {
      file_.broken.push_back({std::string(text(tokens[i + 1].span)), tokens[i + 1].span});  // input x, dim N
    }
    while (is(name + 1, Tok::comma) && is(name + 2, Tok::name)) name += 2;
    if (!is(name + 1, Tok::assign)) continue;
    for (size_t k = i; k <= name; k += 2)
      file_.broken.push_back({std::string(text(tokens[k].span)), tokens[k].span});
  }
}

// ---- tokens

Tok Parser::kind(size_t ahead) const {
  const Token& there = token(ahead);
  if (there.kind == Tok::end) return open_.empty() ? Tok::newline : Tok::end;
  if (!open_.empty()) return there.kind;
  for (size_t i = 0; i <= ahead; ++i) {
    if (token(i).breaks && at_ + i > first_) return Tok::newline;
  }
  return there.kind;
}

ast::Name Parser::name() {
  ast::Name out{std::string(text()), token().span};
  advance();
  return out;
}

// ---- errors

std::string Parser::found() const {
  const Tok now = kind();
  if (now == Tok::newline || now == Tok::end)
    return std::string(spelling(token().kind == Tok::end ? Tok::end : Tok::newline));
  if (now == Tok::string) return "a string";
  return fmt::format("`{}`", shown(text()));
}

void Parser::give_up(const DiagKind& kind, Span span, std::string message, std::string help) {
  if (!panic_) error(kind, span, std::move(message)).help = std::move(help);
  panic_ = true;
}

void Parser::unexpected(std::string_view wanted, std::string_view help) {
  if (panic_) return;
  const Tok now = kind();
  if (reported()) {
    panic_ = true;  // the lexer has spoken
  } else if (!open_.empty() && (now == Tok::end || begins_statement(at_))) {
    unclosed();
  } else {
    const Span span = now == Tok::newline || now == Tok::end ? gap() : token().span;
    give_up(kinds::unexpected_token, span, fmt::format("expected {}, found {}", wanted, found()),
            std::string(help));
  }
}

void Parser::unclosed() {
  std::string closers;
  for (size_t i = open_.size(); i-- > 0;) {
    const Tok opener = lexed_.tokens[open_[i]].kind;
    closers += opener == Tok::open_paren ? ')' : opener == Tok::open_bracket ? ']' : '}';
  }
  const Token& opener = lexed_.tokens[open_.back()];
  const std::string_view head = source_.substr(0, opener.span.begin);
  auto& diag = error(kinds::unclosed_bracket, gap(), fmt::format("`{}` is not closed", text(opener.span)));
  diag.label = fmt::format("opened on line {}", 1 + std::count(head.begin(), head.end(), '\n'));
  diag.help = fmt::format("close it: `{}`", shown(closers));
  diag.replacement = closers;
  panic_ = true;
}

void Parser::expect(Tok wanted, std::string_view words, std::string_view help) {
  if (panic_) return;
  if (kind() == wanted) return advance();
  unexpected(words, help);
}

// A line that begins like a statement, not deeper than the current one does: an open bracket was forgotten.
bool Parser::begins_statement(size_t index) const {
  const auto& tokens = lexed_.tokens;
  const Token& first = tokens[index];
  if (index == first_ || !first.line_start || first.kind != Tok::name || first.column > tokens[first_].column)
    return false;
  const auto on_line = [&tokens](size_t i, Tok wanted) {
    return tokens[i].kind == wanted && !tokens[i].line_start;
  };
  if (on_line(index + 1, Tok::name)) return is_keyword(text(first.span));
  while (on_line(index + 1, Tok::comma) && on_line(index + 2, Tok::name)) index += 2;
  return on_line(index + 1, Tok::assign);
}

// Passes over tokens to the next statement.
void Parser::recover() {
  size_t depth = open_.size();
  while (token().kind != Tok::end) {
    const Token& now = token();
    if (at_ > first_ && ((depth == 0 && now.breaks) || begins_statement(at_))) return;
    if (now.kind == Tok::open_paren || now.kind == Tok::open_bracket || now.kind == Tok::open_brace) ++depth;
    const bool closes =
        now.kind == Tok::close_paren || now.kind == Tok::close_bracket || now.kind == Tok::close_brace;
    if (closes && depth > 0) --depth;
    advance();
  }
}

// ---- brackets

void Parser::open() {
  open_.push_back(at_);
  advance();
}

bool Parser::at_closer() const {
  const Tok now = kind();
  return now == Tok::close_paren || now == Tok::close_bracket || now == Tok::close_brace;
}

void Parser::close(std::string_view wanted, std::string_view help) {
  if (panic_) return;
  const Tok opener = lexed_.tokens[open_.back()].kind;
  const Tok closer = opener == Tok::open_paren     ? Tok::close_paren
                     : opener == Tok::open_bracket ? Tok::close_bracket
                                                   : Tok::close_brace;
  if (!at_closer()) return missing_comma(wanted, help);
  if (kind() != closer) {
    auto& diag = error(kinds::stray_bracket, token().span,
                       fmt::format("{} cannot close {}", spelling(kind()), spelling(opener)));
    diag.help = std::string(spelling(closer));
    diag.replacement = spelling(closer).substr(1, 1);
  }
  open_.pop_back();
  advance();
}

// `f(x w)`.
void Parser::missing_comma(std::string_view wanted, std::string_view help) {
  const Tok now = kind();
  const bool item = now == Tok::name || now == Tok::integer || now == Tok::real;
  if (!item || reported() || begins_statement(at_) || wanted == "`)`") return unexpected(wanted, help);
  auto& diag =
      error(kinds::unexpected_token, token().span, fmt::format("expected {}, found {}", wanted, found()));
  diag.help = help;
  diag.replacement = fmt::format(", {}", text());
  panic_ = true;
}

void Parser::drop_stray_closers() {
  while (!panic_ && open_.empty() && at_closer()) {
    error(kinds::stray_bracket, token().span, fmt::format("{} closes nothing", spelling(kind()))).help =
        "drop it, or open it before";
    advance();
  }
}

// At an opening bracket: passes over it, what is inside, and its closer.
void Parser::skip_brackets() {
  const size_t outer = open_.size();
  open();
  while (open_.size() > outer) {
    if (kind() == Tok::end || begins_statement(at_)) return unclosed();
    if (kind() == Tok::open_paren || kind() == Tok::open_bracket || kind() == Tok::open_brace) {
      open();
    } else if (at_closer()) {
      open_.pop_back();
      advance();
    } else {
      advance();
    }
  }
}

}  // namespace syntax
}  // namespace uc
