#include "syntax/ast_make.h"

#include <cmath>

#include "base/text.h"

namespace uc::syntax {
namespace {

constexpr double kLargestInteger = 1e18;  // an INT has at most 18 digits

ast::ExprPtr leaf(ast::Expr::Kind kind, std::string text) {
  auto out = std::make_unique<ast::Expr>();
  out->kind = kind;
  out->text = std::move(text);
  return out;
}

ast::ExprPtr integer(int64_t value) {
  auto out = leaf(ast::Expr::Kind::integer, std::to_string(value));
  out->integer = value;
  return out;
}

ast::ExprPtr real(double value) {
  auto out = leaf(ast::Expr::Kind::real, float_text(value));
  out->real = value;
  return out;
}

// m * 2 ** e, exactly.
ast::ExprPtr large_integer(double value) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(value, &exponent), 53);
  return make_binary("*", integer(static_cast<int64_t>(mantissa)),
                     make_binary("**", integer(2), integer(exponent - 53)));
}

}  // namespace

ast::Name make_name(std::string_view text) { return {std::string(text), {}}; }

ast::ExprPtr make_word(std::string_view text) { return leaf(ast::Expr::Kind::name, std::string(text)); }

ast::ExprPtr make_number(double value, bool is_int) {
  if (std::isnan(value)) return make_binary("-", make_word("inf"), make_word("inf"));
  if (std::signbit(value) && !(is_int && value == 0)) return make_negate(make_number(-value, is_int));
  if (std::isinf(value)) return make_word("inf");
  if (!is_int) return real(value);
  return value < kLargestInteger ? integer(static_cast<int64_t>(value)) : large_integer(value);
}

ast::ExprPtr make_call(ast::Call call) {
  auto out = leaf(ast::Expr::Kind::call, {});
  out->call = std::move(call);
  return out;
}

ast::ExprPtr make_negate(ast::ExprPtr operand) {
  auto out = leaf(ast::Expr::Kind::negate, {});
  out->left = std::move(operand);
  return out;
}

ast::ExprPtr make_binary(std::string_view op, ast::ExprPtr left, ast::ExprPtr right) {
  auto out = leaf(ast::Expr::Kind::binary, std::string(op));
  out->left = std::move(left);
  out->right = std::move(right);
  return out;
}

ast::Arg make_arg(ast::ArgValue value, std::string_view name) {
  ast::Arg out;
  if (!name.empty()) out.name = make_name(name);
  out.value = std::move(value);
  return out;
}

ast::ArgValue make_attr(const AttrValue& value, bool single_as_list) {
  struct Visitor {
    bool single_as_list;
    ast::ArgValue operator()(int64_t whole) const {
      if (whole >= 0) return integer(whole);
      return make_negate(leaf(ast::Expr::Kind::integer, std::to_string(0 - static_cast<uint64_t>(whole))));
    }
    ast::ArgValue operator()(double number) const { return make_number(number, false); }
    ast::ArgValue operator()(bool truth) const { return make_word(truth ? "true" : "false"); }
    ast::ArgValue operator()(DType type) const { return make_word(name(type)); }
    ast::ArgValue operator()(const std::string& word) const { return make_word(word); }
    ast::ArgValue operator()(const std::vector<int64_t>& list) const {
      if (list.size() == 1 && !single_as_list) return (*this)(list[0]);
      auto out = std::make_unique<ast::List>();
      for (const int64_t item : list) out->items.push_back((*this)(item));
      return out;
    }
  };
  return std::visit(Visitor{single_as_list}, value);
}

std::string float_text(double value) {
  std::string text = shortest_float(value);
  const size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  size_t digits = exponent + 1;
  const bool minus = text[digits] == '-';
  while (digits + 1 < text.size() && (text[digits] == '-' || text[digits] == '+' || text[digits] == '0'))
    ++digits;
  return text.substr(0, exponent) + (minus ? "e-" : "e") + text.substr(digits);
}

}  // namespace uc::syntax
