#include <fmt/format.h>

#include "base/text.h"
#include "syntax/diags.h"
#include "syntax/lexer.h"
#include "syntax/parser_impl.h"

namespace uc::syntax {
namespace {

bool is_arithmetic(Tok kind) { return kind >= Tok::equal && kind <= Tok::slash && kind != Tok::chain; }

bool is_literal(Tok kind) {
  return kind == Tok::integer || kind == Tok::real || kind == Tok::tile || kind == Tok::name;
}

}  // namespace

void Parser::step() {
  ast::Step step;
  const size_t first = at_;
  step.names.push_back(name());
  while (kind() == Tok::comma) {
    advance();
    if (kind() != Tok::name) {
      unexpected("a name", "the results' names stand on the left: `a, b = ...`");
      break;
    }
    step.names.push_back(name());
  }
  if (!panic_ && kind() == Tok::equal) {
    auto& diag = error(kinds::not_a_statement, token().span, "`==` compares; a step is written with `=`");
    diag.help = "`=`";
    diag.replacement = "=";
    advance();
  } else {
    expect(Tok::assign, "`=`", "the results' names stand on the left: `a, b = ...`");
  }
  if (!panic_) step.expr = expr().expr;
  if (!panic_) knobs(step);
  if (!panic_ && !step.knobs.empty() && is_arithmetic(kind())) {
    give_up(kinds::knob_form, token().span, "an operator behind a knob",
            "knobs stand behind the whole expression: `(a + b).vector(4)`; operators are calls: `relu(x)`");
  }
  if (!panic_) chain(step);
  step.span = since(first);
  if (!panic_) file_.statements.emplace_back(std::move(step));
}

// ---- knobs

void Parser::knobs(ast::Step& step) {
  drop_stray_closers();
  while (!panic_ && kind() == Tok::dot) {
    step.knobs.push_back(knob());
    drop_stray_closers();
  }
}

ast::Knob Parser::knob() {
  ast::Knob knob;
  advance();
  const size_t first = at_;
  if (kind() != Tok::name) {
    if (reported()) {
      panic_ = true;
    } else {
      give_up(kinds::knob_form, kind() == Tok::newline ? gap() : token().span,
              fmt::format("expected a knob behind `.`, found {}", found()), "`.tile(128x256x64)`");
    }
    return knob;
  }
  knob.name = name();
  if (reported()) panic_ = true;
  if (!panic_ && kind() != Tok::open_paren) no_settings(knob.name);
  if (panic_ || kind() != Tok::open_paren) return knob;
  open();
  while (!panic_ && kind() != Tok::close_paren) {
    knob.settings.push_back(setting());
    if (panic_ || kind() != Tok::comma) break;
    advance();
    if (kind() == Tok::close_paren) trailing_comma();
  }
  if (!panic_ && !at_closer() && kind() != Tok::end && !begins_statement(at_)) bad_setting();
  close("`,` or `)`", "settings are separated by commas");
  knob.span = since(first);
  return knob;
}

// `.shape`, `.stages` without brackets.
void Parser::no_settings(const ast::Name& knob) {
  auto& diag =
      error(kinds::knob_form, knob.span, fmt::format("`.{}` is neither a knob nor a member", knob.text));
  diag.help =
      knob.text == "shape"
          ? "sizes are known: write them as integers"
          : fmt::format("a knob has settings: `.{0}(...)`; an operator is a call: `{0}(x)`", knob.text);
}

ast::Setting Parser::setting() {
  ast::Setting setting;
  const size_t first = at_;
  if (kind() == Tok::open_brace) {
    setting.is_set = true;
    open();
    while (!panic_) {
      setting.literals.push_back(literal());
      if (panic_ || kind() != Tok::comma) break;
      advance();
      if (kind() == Tok::close_brace) {
        trailing_comma();
        break;
      }
    }
    if (!panic_ && !at_closer() && kind() != Tok::end) bad_setting();
    close("`,` or `}`", "the settings of a set are separated by commas");
  } else {
    setting.literals.push_back(literal());
  }
  setting.span = since(first);
  return setting;
}

ast::Literal Parser::literal() {
  ast::Literal literal;
  const Tok now = kind();
  if (!is_literal(now) || (now == Tok::name && kind(1) != Tok::comma && kind(1) != Tok::close_paren &&
                           kind(1) != Tok::close_brace)) {
    bad_setting();
    return literal;
  }
  literal.text = text();
  literal.span = token().span;
  if (now == Tok::integer) literal.value = integer_value(text());
  if (now == Tok::real) literal.value = real_value(text());
  if (now == Tok::tile) literal.value = tile_value(text());
  if (now == Tok::name) literal.value = literal.text;
  advance();
  return literal;
}

// A tile written as `64 * 64`, `64 x 64`, `(64, 64)` or `[64, 64]`: passes over it and gives it as one word.
std::string Parser::tile_in_pieces() {
  const auto is_integer = [this](size_t ahead) { return kind(ahead) == Tok::integer; };
  std::string out;
  if (before().kind == Tok::integer && (kind() == Tok::star || at_name("x")) && is_integer(1)) {
    out = text(before().span);
    for (; (kind() == Tok::star || at_name("x")) && is_integer(1); advance(), advance())
      out += fmt::format("x{}", text(1));
    return out;
  }
  const Tok closer = kind() == Tok::open_paren     ? Tok::close_paren
                     : kind() == Tok::open_bracket ? Tok::close_bracket
                                                   : Tok::invalid;
  size_t ahead = 1;
  for (; is_integer(ahead) && kind(ahead + 1) == Tok::comma; ahead += 2)
    out += fmt::format("{}x", text(ahead));
  if (closer == Tok::invalid || out.empty() || !is_integer(ahead) || kind(ahead + 1) != closer) return {};
  out += text(ahead);
  for (size_t i = 0; i < ahead + 2; ++i) advance();
  return out;
}

// Says what is wrong with a setting; the token is the first that does not fit.
void Parser::bad_setting() {
  const Tok now = kind();
  if (reported() || now == Tok::end || begins_statement(at_) || at_closer() || now == Tok::comma) {
    return unexpected("a setting", "an integer, a float, a tile such as 128x256x64, a name, or a set {a, b}");
  }
  const size_t start = at_;
  std::string help = "an integer, a float, a tile such as 128x256x64, a name, or a set {a, b}";
  std::string replacement;
  if (const std::string tile = tile_in_pieces(); !tile.empty()) {
    replacement = tile;
    help = fmt::format("a tile is one word: `{}`", shown(replacement));
  } else if (now == Tok::name && kind(1) == Tok::assign) {
    help = "settings have no names; give the value alone";
    if (is_literal(kind(2)) && (kind(3) == Tok::comma || kind(3) == Tok::close_paren)) {
      replacement = std::string(text(2));
      for (int i = 0; i < 3; ++i) advance();
    }
  } else if (now == Tok::minus) {
    help = "no knob takes a negative number";
  } else if (now == Tok::string) {
    help = "a setting is a word without quotes: `.schedule(pingpong)`";
    if (is_plain_name(string_content(text()))) replacement = std::string(string_content(text()));
  } else if (now == Tok::open_bracket || now == Tok::open_paren) {
    help = "a set of settings stands in braces: `{64x64x64, 128x128x64}`; a tile is `128x64`";
  } else if (is_arithmetic(now)) {
    help = "a setting is one literal, no expression";
  }
  const bool pieces =
      start != at_ && lexed_.tokens[start - 1].kind == Tok::integer;  // `64 * 64` from its first
  const size_t first = pieces ? start - 1 : start;
  if (start == at_) advance();
  auto& diag = error(kinds::knob_setting, since(first),
                     fmt::format("`{}` is not a setting", shown(text(since(first)))));
  diag.help = help;
  diag.replacement = replacement;
  panic_ = replacement.empty();  // what was meant is clear: go on
}

// ---- >> calls

void Parser::chain(ast::Step& step) {
  while (!panic_ && kind() == Tok::chain) {
    advance();
    chain_link(step);
    drop_stray_closers();
    if (!panic_ && kind() == Tok::dot) late_knobs(step);
  }
}

void Parser::chain_link(ast::Step& step) {
  const size_t first = at_;
  if (kind() == Tok::name && kind(1) == Tok::open_paren) {
    step.chain.push_back(call());
    if (!panic_ && is_arithmetic(kind())) {
      give_up(kinds::chain_call, token().span, fmt::format("{} behind a call in a chain", spelling(kind())),
              "`>> map(it * 2)` applies an expression to the running value");
    }
    return;
  }
  if (kind() == Tok::dot) {
    return give_up(kinds::knob_after_chain, token().span, "a knob behind `>>`",
                   "knobs stand before the first `>>`: `gemm(a, b).tile(128x256x64) >> relu()`");
  }
  if (kind() == Tok::newline || begins_statement(at_)) {
    return give_up(kinds::unexpected_token, gap(), "nothing follows `>>`", "`>> relu()`, or drop the `>>`");
  }
  const bool bare =
      kind() == Tok::name && (kind(1) == Tok::newline || kind(1) == Tok::chain || kind(1) == Tok::dot);
  if (!bare) return chain_expression();
  ast::Call call;
  call.callee = name();
  call.span = call.callee.span;
  auto& diag =
      error(kinds::chain_call, since(first), fmt::format("`{}` after `>>` is not a call", call.callee.text));
  diag.replacement = call.callee.text + "()";
  diag.help = fmt::format("`{}`", diag.replacement);
  step.chain.push_back(std::move(call));
}

void Parser::chain_expression() {
  const size_t first = at_;
  expr();
  if (panic_) return;
  const Span span = since(first);
  auto& diag = error(kinds::chain_call, span, "after `>>` stands a call, not an expression");
  diag.help = "`map(...)` applies an expression; `it` is the running value: `>> map(it * 2)`";
  if (span.end - span.begin <= 200) diag.replacement = fmt::format("map({})", text(span));
}

void Parser::late_knobs(ast::Step& step) {
  const size_t first = at_;
  const size_t before_knobs = step.knobs.size();
  while (!panic_ && kind() == Tok::dot) step.knobs.push_back(knob());
  if (panic_) return;
  const std::string_view called = step.chain.empty() ? "" : std::string_view(step.chain.back().callee.text);
  if (step.knobs.size() > before_knobs && step.knobs.back().span.end == 0) return;
  error(kinds::knob_after_chain, since(first), "a knob after `>>`").help =
      fmt::format("knobs set the step's kernel: move it before the first `>>`{}",
                  called.empty() ? "" : fmt::format("; `{}` runs in that kernel", called));
}

// `.tile(...)` or `>> relu()` inside brackets: said once, and passed over.
void Parser::step_in_brackets() {
  const size_t first = at_;
  const bool knob_here = kind() == Tok::dot;
  while (!panic_ && (kind() == Tok::dot || kind() == Tok::chain)) {
    advance();
    if (kind() == Tok::name) advance();
    if (kind() == Tok::open_paren) skip_brackets();
  }
  if (panic_) return;
  error(kinds::step_in_brackets, since(first), knob_here ? "a knob inside brackets" : "`>>` inside brackets")
      .help =
      knob_here ? "one statement is one launch: make the inner call a step of its own, with its knobs"
                : "make it a step of its own: `t = f(x) >> g()`, then use `t`; or nest the calls: `g(f(x))`";
}

}  // namespace uc::syntax
