#include <fmt/format.h>

#include "base/text.h"
#include "syntax/diags.h"
#include "syntax/lexer.h"
#include "syntax/parser_impl.h"

namespace uc::syntax {

// ---- dim N = 1..8192 step 8

void Parser::dim() {
  ast::Dim dim;
  const size_t first = at_;
  constexpr std::string_view kHelp = "`dim N = 1..8192`, or `dim N = 8..8192 step 8`";
  advance();
  if (kind() != Tok::name) return bad_dim("a name", kHelp);
  dim.name = name();
  if (kind() != Tok::assign) return bad_dim("`=`", kHelp);
  advance();
  if (kind() != Tok::integer) return bad_dim("the least size", kHelp);
  dim.low = integer_value(text());
  advance();
  if (kind() != Tok::range) return bad_dim("`..`", kHelp);
  advance();
  if (kind() != Tok::integer) return bad_dim("the greatest size", kHelp);
  dim.high = integer_value(text());
  advance();
  if (at_name("step")) {
    advance();
    if (kind() != Tok::integer) return bad_dim("the step", kHelp);
    dim.step = integer_value(text());
    advance();
  } else if (kind() != Tok::newline) {
    return bad_dim("`step` or the end of the line", kHelp);
  }
  dim.span = since(first);
  file_.statements.emplace_back(std::move(dim));
}

void Parser::bad_dim(std::string_view wanted, std::string_view help) {
  if (reported()) {
    panic_ = true;
    return;
  }
  give_up(kinds::dim_form, kind() == Tok::newline ? gap() : token().span,
          fmt::format("expected {} of the dim, found {}", wanted, found()), std::string(help));
}

// ---- input x: f32[1024, 8192] @col = "name"

void Parser::decl() {
  ast::Decl decl;
  const size_t first = at_;
  decl.keyword = name();
  if (kind() != Tok::name) {
    return bad_decl(fmt::format("`{}` takes a name, found {}", decl.keyword.text, found()),
                    fmt::format("`{} x: f32[64, 64]`", decl.keyword.text));
  }
  decl.name = name();
  decl_colon(decl.name);
  if (!panic_) decl.type = type();
  while (!panic_ && kind() == Tok::at) decl.attributes.push_back(attribute());
  if (!panic_ && kind() == Tok::assign) binding(decl);
  if (!panic_ && kind() != Tok::newline && !at_closer()) {
    bad_decl(fmt::format("expected `@`, `=` or the end of the line, found {}", found()),
             "`param W: f32[64, 64] @col = \"module.name\"`");
  }
  decl.span = since(first);
  if (!panic_) file_.statements.emplace_back(std::move(decl));
}

void Parser::bad_decl(std::string message, std::string help) {
  if (reported()) {
    panic_ = true;
    return;
  }
  if (kind() == Tok::end || (!open_.empty() && begins_statement(at_))) return unclosed();
  give_up(kinds::declaration_form, kind() == Tok::newline ? gap() : token().span, std::move(message),
          std::move(help));
}

void Parser::decl_colon(const ast::Name& declared) {
  const Tok now = kind();
  if (now == Tok::colon) return advance();
  if (now == Tok::name || now == Tok::assign) {
    auto& diag = error(kinds::declaration_form, now == Tok::name ? gap() : token().span,
                       "a `:` stands between name and type");
    diag.help = fmt::format("`{}: {}`", declared.text,
                            now == Tok::name       ? text()
                            : kind(1) == Tok::name ? text(1)
                                                   : "f32[...]");
    diag.replacement = ":";
    if (now == Tok::assign) advance();
    return;
  }
  if (now == Tok::comma)
    return bad_decl("one declaration gives one name",
                    "a line for each: `input x: f32[64]`, `input y: f32[64]`");
  if (now == Tok::open_bracket)
    return bad_decl("the sizes stand behind the type", fmt::format("`{}: f32[...]`", declared.text));
  bad_decl(fmt::format("expected `:` and a type, found {}", found()),
           fmt::format("`{}: f32[64, 64]`", declared.text));
}

ast::Type Parser::type() {
  ast::Type type;
  const size_t first = at_;
  if (kind() != Tok::name) {
    bad_decl(fmt::format("expected a type, found {}", found()),
             "types are f64 f32 f16 bf16 f8e4m3 f8e5m2 i8 u8 i32 i64 bool, with sizes: `f32[64, 64]`");
    return type;
  }
  type.dtype = name();
  if (kind() == Tok::open_bracket) type.sizes = sizes();
  if (!panic_ && (kind() == Tok::open_paren || kind() == Tok::less)) {
    give_up(kinds::size_form, token().span, "sizes stand in `[ ]`",
            fmt::format("`{}[64, 64]`", type.dtype.text));
  }
  if (!panic_ && kind() == Tok::open_bracket) {
    give_up(kinds::size_form, token().span, "all sizes stand in one pair of brackets",
            fmt::format("`{}[64, 64]`", type.dtype.text));
  }
  type.span = since(first);
  return type;
}

std::vector<ast::Size> Parser::sizes() {
  std::vector<ast::Size> out;
  open();
  if (kind() == Tok::close_bracket) {
    give_up(kinds::size_form, token().span, "no size between the brackets",
            "a number has no brackets: the type stands alone, as in `f32`");
  }
  while (!panic_) {
    out.push_back(size());
    if (panic_ || kind() != Tok::comma) break;
    advance();
    if (kind() == Tok::close_bracket) {
      trailing_comma();
      break;
    }
  }
  close("`,` or `]`", "sizes are separated by commas");
  return out;
}

ast::Size Parser::size() {
  ast::Size size;
  const size_t first = at_;
  if (kind() == Tok::integer) {
    size.scale = integer_value(text());
    advance();
    if (kind() == Tok::star && kind(1) == Tok::name) {
      advance();
      size.dim = name();
    }
  } else if (kind() == Tok::name) {
    size.dim = name();
  } else {
    bad_size(first);
  }
  if (!panic_ && kind() != Tok::comma && kind() != Tok::close_bracket) bad_size(first);
  size.span = since(std::max(first, size_t{0}));
  return size;
}

// Says what is wrong with a size, from the text up to the next comma or bracket.
void Parser::bad_size(size_t first) {
  if (reported() || kind() == Tok::end || begins_statement(at_) || (at_closer() && at_ > first))
    return unexpected("`,` or `]`", "sizes are separated by commas");
  while (kind() != Tok::comma && !at_closer() && kind() != Tok::end && !begins_statement(at_)) advance();
  const Span span{lexed_.tokens[first].span.begin,
                  std::max(lexed_.tokens[first].span.end, before().span.end)};
  const std::string_view written = text(span);
  const Token& a = lexed_.tokens[first];
  auto& diag = error(kinds::size_form, span, fmt::format("`{}` is not a size", shown(written)));
  diag.help = "a size is an integer, the name of a dim, or `4 * N`";
  if (at_ == first + 1 && a.kind == Tok::tile) {
    diag.replacement = replace_all(std::string(written), "x", ", ");
    diag.help = fmt::format("`{}`", shown(diag.replacement));
  } else if (at_ == first + 3 && a.kind == Tok::name && lexed_.tokens[first + 1].kind == Tok::star &&
             lexed_.tokens[first + 2].kind == Tok::integer) {
    diag.replacement = fmt::format("{}*{}", text(lexed_.tokens[first + 2].span), text(a.span));
    diag.help = fmt::format("the integer stands first: `{}`", shown(diag.replacement));
  } else if (a.kind == Tok::minus || a.kind == Tok::colon) {
    diag.help = "sizes are known: give each as an integer, or declare `dim N = 1..8192`";
  }
  panic_ = true;
}

ast::Attribute Parser::attribute() {
  ast::Attribute attribute;
  const size_t first = at_;
  advance();
  if (kind() != Tok::name) {
    bad_decl(fmt::format("expected an attribute behind `@`, found {}", found()),
             "`@col`, `@nhwc`, `@strides(8, 1)`, `@upper`");
    return attribute;
  }
  attribute.name = name();
  if (kind() == Tok::open_paren) attribute.args = args();
  attribute.span = since(first);
  return attribute;
}

void Parser::binding(ast::Decl& decl) {
  advance();
  if (kind() == Tok::string) {
    decl.binding = std::string(string_content(text()));
    advance();
    return;
  }
  if (kind() != Tok::name) {
    return bad_decl(fmt::format("expected a string, found {}", found()),
                    "the name that the module has for it: `= \"matmul.weight\"`");
  }
  const size_t first = at_;
  advance();
  while (kind() == Tok::dot && (kind(1) == Tok::name || kind(1) == Tok::integer)) {
    advance();
    advance();
  }
  auto& diag = error(kinds::declaration_form, since(first), "the module's name for it is a string");
  diag.replacement = fmt::format("\"{}\"", text(since(first)));
  diag.help = fmt::format("`{}`", shown(diag.replacement));
}

}  // namespace uc::syntax
