#pragma once
// Why: the recursive descent, in five sources: parser.cpp (tokens, brackets, recovery), parse_statement.cpp,
// parse_decl.cpp, parse_step.cpp and parse_expr.cpp. A function that meets something it cannot read reports
// it and sets `panic_`, and everything above it returns; the loop over statements then resumes at the next
// one.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/ast.h"
#include "syntax/token.h"

namespace uc::syntax {

bool is_keyword(std::string_view word);
bool is_plain_name(std::string_view text);

/// An expression and the height of its tree, which bounds every recursion over it.
struct Sub {
  ast::ExprPtr expr;
  uint32_t height = 1;
};

class Parser {
 public:
  Parser(std::string_view source, Lexed lexed, Reporter& report)
      : source_(source), lexed_(std::move(lexed)), report_(report) {}
  ast::File run();

 private:
  bool any_reported(size_t begin, size_t end) const;
  void give_up_on(size_t statements);

  // ---- tokens
  const Token& token(size_t ahead = 0) const {
    return lexed_.tokens[std::min(at_ + ahead, lexed_.tokens.size() - 1)];
  }
  const Token& before() const { return lexed_.tokens[at_ == 0 ? 0 : at_ - 1]; }
  /// The kind of a token ahead; newline where the statement ends before it.
  Tok kind(size_t ahead = 0) const;
  std::string_view text(size_t ahead = 0) const { return text(token(ahead).span); }
  std::string_view text(Span span) const { return source_.substr(span.begin, span.end - span.begin); }
  void advance() { at_ += at_ + 1 < lexed_.tokens.size() ? 1 : 0; }
  bool at_name(std::string_view word) const { return kind() == Tok::name && text() == word; }
  ast::Name name();
  /// The text from a token up to the last one read.
  Span since(size_t first) const {
    return {lexed_.tokens[first].span.begin, std::max(lexed_.tokens[first].span.begin, before().span.end)};
  }
  /// A place of no width behind the last token read.
  Span gap() const { return {before().span.end, before().span.end}; }

  // ---- errors
  Diag& error(const DiagKind& kind, Span span, std::string message) {
    return report_.add(kind, span, std::move(message));
  }
  void give_up(const DiagKind& kind, Span span, std::string message, std::string help);
  /// Gives up because `wanted` was expected; in silence when the lexer reported the token.
  void unexpected(std::string_view wanted, std::string_view help);
  std::string found() const;
  /// The token is one that the lexer reported: what it breaks is not worth a second error.
  bool reported() const { return kind() == Tok::invalid || (kind() != Tok::newline && token().reported); }
  void unclosed();
  void expect(Tok wanted, std::string_view words, std::string_view help);
  bool begins_statement(size_t index) const;
  void recover();

  // ---- brackets
  void open();
  void close(std::string_view wanted,
             std::string_view help = {});  ///< a closer of another kind is reported and taken
  void missing_comma(std::string_view wanted, std::string_view help);
  bool at_closer() const;
  void drop_stray_closers();
  void skip_brackets();
  void trailing_comma();

  // ---- statements
  void statement();
  void keyword_statement();
  void unknown_statement();
  void unknown_word();
  void end_of_statement();
  void trailing_words();
  void header();
  void header_with_equals();
  void result();
  void bad_result(size_t first);
  void bracketed_result();

  // ---- declarations
  void dim();
  void bad_dim(std::string_view wanted, std::string_view help);
  void decl();
  void bad_decl(std::string message, std::string help);
  void decl_colon(const ast::Name& declared);
  ast::Type type();
  std::vector<ast::Size> sizes();
  ast::Size size();
  void bad_size(size_t first);
  ast::Attribute attribute();
  void binding(ast::Decl& decl);

  // ---- steps
  void step();
  void knobs(ast::Step& step);
  ast::Knob knob();
  void no_settings(const ast::Name& knob);
  ast::Setting setting();
  ast::Literal literal();
  std::string tile_in_pieces();
  void bad_setting();
  void chain(ast::Step& step);
  void chain_link(ast::Step& step);
  void chain_expression();
  void late_knobs(ast::Step& step);
  void step_in_brackets();

  // ---- expressions
  Sub expr();
  Sub sum();
  Sub prod();
  Sub unary();
  Sub negation();
  Sub atom();
  Sub operand();
  Sub leaf(ast::Expr::Kind kind_of);
  Sub parenthesised();
  Sub call_operand();
  Sub binary(Sub left, Sub right, Span op);
  void no_operand();
  void member(const ast::Expr& of);
  void too_deep(Span span);
  ast::Call call();
  std::vector<ast::Arg> args();
  ast::Arg arg();
  ast::ArgValue arg_value(bool may_be_string);
  static bool is_type(std::string_view word);
  ast::Typed typed();
  std::unique_ptr<ast::List> list();
  void raise(uint32_t height) { tallest_ = std::max(tallest_, height); }

  std::string_view source_;
  Lexed lexed_;
  Reporter& report_;
  ast::File file_;
  size_t at_ = 0;
  size_t first_ = 0;          // the statement's first token
  std::vector<size_t> open_;  // the tokens of the open brackets
  uint32_t level_ = 0;        // of recursion
  uint32_t tallest_ = 0;      // the highest argument of the call being read
  bool panic_ = false;
  bool returned_ = false;
};

}  // namespace uc::syntax
