#include <fmt/format.h>

#include "base/text.h"
#include "ir/dtype.h"
#include "syntax/diags.h"
#include "syntax/lexer.h"
#include "syntax/parser_impl.h"

namespace uc::syntax {
namespace {

constexpr uint32_t kDeepest = 200;

bool is_comparison(Tok kind) { return kind >= Tok::equal && kind <= Tok::greater_equal; }

class Level {
 public:
  explicit Level(uint32_t& level) : level_(++level) {}
  ~Level() { --level_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  bool too_deep() const { return level_ > kDeepest; }

 private:
  uint32_t& level_;
};

}  // namespace

void Parser::too_deep(Span span) {
  give_up(kinds::too_deep, span, "this expression is too deep",
          "at most 200 levels, or operands in a row; make parts of it steps of their own");
}

Sub Parser::binary(Sub left, Sub right, Span op) {
  if (panic_ || !left.expr || !right.expr) return {};
  Sub out;
  out.height = std::max(left.height, right.height) + 1;
  if (out.height > kDeepest) return too_deep(op), Sub{};
  out.expr = std::make_unique<ast::Expr>();
  out.expr->kind = ast::Expr::Kind::binary;
  out.expr->text = text(op);
  if (out.expr->text.size() > 2 || out.expr->text[0] == '^') out.expr->text = "**";
  out.expr->op_span = op;
  out.expr->span = {left.expr->span.begin, right.expr->span.end};
  out.expr->left = std::move(left.expr);
  out.expr->right = std::move(right.expr);
  return out;
}

Sub Parser::expr() {
  const Level level(level_);
  if (level.too_deep()) return too_deep(token().span), Sub{};
  Sub left = sum();
  if (panic_ || !is_comparison(kind())) return left;
  const Span op = token().span;
  advance();
  Sub out = binary(std::move(left), sum(), op);
  while (!panic_ && is_comparison(kind())) {
    error(kinds::chained_comparison, token().span, "a second comparison in a row").help =
        "compare twice and multiply: `(a < b) * (b < c)`";
    advance();
    sum();
  }
  return out;
}

Sub Parser::sum() {
  Sub left = prod();
  while (!panic_ && (kind() == Tok::plus || kind() == Tok::minus)) {
    const Span op = token().span;
    advance();
    left = binary(std::move(left), prod(), op);
  }
  return left;
}

Sub Parser::prod() {
  Sub left = unary();
  while (!panic_ && (kind() == Tok::star || kind() == Tok::slash || kind() == Tok::at)) {
    const Span op = token().span;
    if (kind() == Tok::at) {
      error(kinds::foreign_operator, op, "`@` does not multiply").help =
          "`gemm(A, B)`; for x @ W.T: `linear(x, W)`";
    }
    advance();
    left = binary(std::move(left), unary(), op);
  }
  return left;
}

Sub Parser::unary() {
  if (kind() == Tok::minus) return negation();
  Sub left = atom();
  if (panic_ || kind() != Tok::power) return left;
  const Level level(level_);
  const Span op = token().span;
  if (level.too_deep()) return too_deep(op), Sub{};
  advance();
  return binary(std::move(left), unary(), op);
}

Sub Parser::negation() {
  const Level level(level_);
  const size_t first = at_;
  if (level.too_deep()) return too_deep(token().span), Sub{};
  advance();
  Sub inner = unary();
  if (panic_ || !inner.expr) return {};
  if (inner.height + 1 > kDeepest) return too_deep(token().span), Sub{};
  Sub out;
  out.height = inner.height + 1;
  out.expr = std::make_unique<ast::Expr>();
  out.expr->kind = ast::Expr::Kind::negate;
  out.expr->span = since(first);
  out.expr->left = std::move(inner.expr);
  return out;
}

// An operand, and what other languages would let follow it.
Sub Parser::atom() {
  Sub out = operand();
  while (!panic_ && out.expr) {
    if (kind() == Tok::open_bracket) {
      const size_t first = at_;
      skip_brackets();
      if (panic_) break;
      error(kinds::no_indexing, since(first), "there is no indexing").help =
          "`slice`, `split` and `unbind` make views without a copy";
    } else if (kind() == Tok::dot &&
               (!open_.empty() || (kind(1) == Tok::name && kind(2) != Tok::open_paren))) {
      member(*out.expr);
    } else if (kind() == Tok::chain && !open_.empty()) {
      step_in_brackets();
    } else {
      break;
    }
  }
  return out;
}

// `W.T`, and inside brackets `x.f(...)`.
void Parser::member(const ast::Expr& of) {
  if (kind(1) != Tok::name || kind(2) == Tok::open_paren) return step_in_brackets();
  advance();
  const ast::Name word = name();
  if (word.text != "T") return no_settings(word);
  const Span span{of.span.begin, word.span.end};
  auto& diag = error(kinds::knob_form, span, "`.T` is not a member");
  diag.replacement = fmt::format("transpose({})", text(of.span));
  diag.help = diag.replacement.size() <= 60 ? fmt::format("`{}` is a view", diag.replacement)
                                            : "`transpose(x)` is a view";
}

Sub Parser::leaf(ast::Expr::Kind kind_of) {
  Sub out;
  out.expr = std::make_unique<ast::Expr>();
  out.expr->kind = kind_of;
  out.expr->text = text();
  out.expr->span = token().span;
  if (kind_of == ast::Expr::Kind::integer) out.expr->integer = integer_value(text());
  if (kind_of == ast::Expr::Kind::real) out.expr->real = real_value(text());
  advance();
  return out;
}

Sub Parser::operand() {
  switch (kind()) {
    case Tok::integer: return leaf(ast::Expr::Kind::integer);
    case Tok::real: return leaf(ast::Expr::Kind::real);
    case Tok::name: return kind(1) == Tok::open_paren ? call_operand() : leaf(ast::Expr::Kind::name);
    case Tok::open_paren: return parenthesised();
    case Tok::tile:
      error(kinds::tile_in_expression, token().span,
            fmt::format("the tile `{}` in an expression", shown(text())))
          .help = "a product is `2 * 4`; tiles stand in knobs: `.tile(128x256x64)`";
      return leaf(ast::Expr::Kind::integer);
    case Tok::string:
      error(kinds::string_in_expression, token().span, "a string in an expression").help =
          "words stand without quotes: `gelu(tanh)`";
      return leaf(ast::Expr::Kind::integer);
    default: return no_operand(), Sub{};
  }
}

void Parser::no_operand() {
  const Tok now = kind();
  const Tok last = before().kind;
  const bool after_operator = (last >= Tok::equal && last <= Tok::slash) && last != Tok::chain;
  if (now == Tok::newline && after_operator && token().kind != Tok::end) {
    return give_up(kinds::line_break, before().span,
                   fmt::format("the line ends after {}, and with it the statement", spelling(last)),
                   "outside brackets a newline ends a statement; put the whole expression in brackets");
  }
  if (now == Tok::plus)
    return give_up(kinds::unexpected_token, token().span, "`+` without a left operand", "drop it");
  if (now == Tok::open_bracket)
    return unexpected("an expression", "a list stands only as an argument: `permute(x, [0, 2, 1])`");
  if (now == Tok::comma && before().kind == Tok::comma)
    return unexpected("an argument", "one comma between two arguments");
  unexpected("an expression", "an expression is a number, a name, a call, or one in brackets");
}

Sub Parser::parenthesised() {
  const size_t first = at_;
  open();
  Sub out = expr();
  if (!panic_ && kind() == Tok::comma) {
    give_up(kinds::unexpected_token, token().span, "there are no tuples",
            "a list is `[a, b]`; several results have names on the left: `a, b = ...`");
  }
  close("`)`", "an operator stands between two operands");
  if (out.expr) out.expr->span = since(first);
  return out;
}

Sub Parser::call_operand() {
  Sub out;
  const uint32_t outer = std::exchange(tallest_, 0);
  ast::Call read = call();
  out.height = tallest_ + 1;
  tallest_ = outer;
  if (panic_) return {};
  if (out.height > kDeepest) return too_deep(token().span), Sub{};
  out.expr = std::make_unique<ast::Expr>();
  out.expr->kind = ast::Expr::Kind::call;
  out.expr->span = read.span;
  out.expr->call = std::move(read);
  return out;
}

ast::Call Parser::call() {
  ast::Call out;
  const size_t first = at_;
  out.callee = name();
  out.args = args();
  out.span = since(first);
  return out;
}

std::vector<ast::Arg> Parser::args() {
  std::vector<ast::Arg> out;
  open();
  while (!panic_ && kind() != Tok::close_paren) {
    out.push_back(arg());
    if (panic_ || kind() != Tok::comma) break;
    advance();
    if (kind() == Tok::close_paren) trailing_comma();
  }
  close("`,` or `)`", "arguments are separated by commas");
  return out;
}

// At a closer behind a comma.
void Parser::trailing_comma() {
  auto& diag =
      error(kinds::trailing_comma, {before().span.begin, token().span.end}, "a comma with nothing behind it");
  diag.help = "drop it";
  diag.replacement = text();
}

ast::Arg Parser::arg() {
  ast::Arg out;
  const size_t first = at_;
  if (kind() == Tok::name && (kind(1) == Tok::assign || kind(1) == Tok::colon)) {
    out.name = name();
    if (kind() == Tok::colon) {
      auto& diag = error(kinds::unexpected_token, token().span, "a named argument is written with `=`");
      diag.help = fmt::format("`{}=...`", out.name->text);
      diag.replacement = "=";
    }
    advance();
  }
  out.value = arg_value(true);
  out.span = since(first);
  return out;
}

ast::ArgValue Parser::arg_value(bool may_be_string) {
  if (kind() == Tok::string && may_be_string && (kind(1) == Tok::comma || kind(1) == Tok::close_paren)) {
    std::string raw(string_content(text()));
    advance();
    return raw;
  }
  if (kind() == Tok::open_bracket) return list();
  if (kind() == Tok::name && kind(1) == Tok::open_bracket && is_type(text())) return typed();
  Sub sub = expr();
  raise(sub.height);
  return std::move(sub.expr);
}

// `x[0]` is a mistake about indexing, `f23[4]` one about a type, which the resolver reports.
bool Parser::is_type(std::string_view word) {
  if (parse_dtype(word)) return true;
  std::vector<std::string_view> known;
  for (const DTypeInfo& row : all_dtypes()) known.push_back(row.name);
  return word.size() > 2 && !nearest(word, known).empty();
}

ast::Typed Parser::typed() {
  ast::Typed out;
  out.dtype = name();
  out.sizes = sizes();
  return out;
}

std::unique_ptr<ast::List> Parser::list() {
  const Level level(level_);
  auto out = std::make_unique<ast::List>();
  const size_t first = at_;
  if (level.too_deep()) {
    too_deep(token().span);
    return out;
  }
  open();
  const uint32_t outer = std::exchange(tallest_, 0);
  while (!panic_ && kind() != Tok::close_bracket) {
    out->items.push_back(arg_value(false));
    if (panic_ || kind() != Tok::comma) break;
    advance();
    if (kind() == Tok::close_bracket) trailing_comma();
  }
  close("`,` or `]`", "items are separated by commas");
  const uint32_t height = tallest_ + 1;
  tallest_ = outer;
  raise(height);
  if (height > kDeepest && !panic_) too_deep(token().span);
  out->span = since(first);
  return out;
}

}  // namespace uc::syntax
