#pragma once
// Why: expressions as canonical text, on one line where they fit and broken inside brackets where they do
// not.
#include <string>
#include <string_view>

#include "syntax/ast.h"

namespace uc::syntax {

inline constexpr size_t kLineWidth = 100;
inline constexpr size_t kContinuation = 5;  ///< indentation of knobs and chains on lines of their own

/// Everything on one line, with the fewest brackets that the grammar needs.
std::string text_of(const ast::Expr& expr);
std::string text_of(const ast::Call& call);
std::string text_of(const ast::Knob& knob);
std::string text_of(const std::vector<ast::Size>& sizes);
std::string text_of(const std::vector<ast::Arg>& args);

/// A string literal: in `"""` when it holds quotes or newlines.
std::string quoted(std::string_view raw);

/// True for `a + b` and `-a`, which stand in brackets when knobs or `>>` follow.
bool is_infix(const ast::Expr& expr);

/// Text that grows at its end and knows its column.
class Layout {
 public:
  void put(std::string_view text);
  void newline(size_t indent);
  /// An expression with `after` characters to come on its last line. Breaks lines inside brackets only.
  void put(const ast::Expr& expr, size_t after, bool in_brackets);
  void put(const ast::Call& call, size_t after);
  bool fits(std::string_view text, size_t after = 0) const;
  size_t column() const { return out_.size() - line_begin_; }
  std::string take() { return std::move(out_); }

 private:
  void put_args(const std::vector<ast::Arg>& args, size_t after);
  void put_value(const ast::ArgValue& value, size_t after);
  void put_operand(const ast::Expr& expr, bool brackets, size_t after);
  void put_binary(const ast::Expr& expr, size_t align, size_t after);
  size_t inner_indent() const;

  std::string out_;
  size_t line_begin_ = 0;
  size_t indent_ = 0;  // of the current line
};

}  // namespace uc::syntax
