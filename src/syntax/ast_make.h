#pragma once
// Why: trees that no text was parsed into are made by these, so that their spelling is the canonical one.
#include <string>
#include <vector>

#include "ir/attrs.h"
#include "syntax/ast.h"

namespace uc::syntax {

ast::Name make_name(std::string_view text);
ast::ExprPtr make_word(std::string_view text);
/// Negative numbers, infinities, NaN and integers beyond 18 digits become expressions that fold to them.
ast::ExprPtr make_number(double value, bool is_int);
ast::ExprPtr make_call(ast::Call call);
ast::ExprPtr make_negate(ast::ExprPtr operand);
ast::ExprPtr make_binary(std::string_view op, ast::ExprPtr left, ast::ExprPtr right);
ast::Arg make_arg(ast::ArgValue value, std::string_view name = {});
/// `single_as_list`: a list of one integer in brackets.
ast::ArgValue make_attr(const AttrValue& value, bool single_as_list);

/// The shortest FLOAT that reads back as `value`, which is finite: "0.1", "1e-5", "1e20".
std::string float_text(double value);

}  // namespace uc::syntax
