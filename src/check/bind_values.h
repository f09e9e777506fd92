#pragma once
// Why: how an argument's tree becomes a value of its parameter's kind.
#include <optional>
#include <string>
#include <vector>

#include "check/bind_args.h"

namespace uc::binding {

bool is_tensor(const ParamSpec& param);
bool is_word(const ParamSpec& param, std::string_view text);
bool is_layout(std::string_view text);
/// The argument as an expression; null for lists, texts and types with sizes.
const ast::Expr* as_expr(const ast::ArgValue& value);
/// Integers as written, one or a list: numbers, names of dimensions, products of both.
std::optional<std::vector<SizeTerm>> as_terms(const BindQuery& query, const ast::ArgValue& value);
std::vector<int64_t> numbers(const BindQuery& query, const std::vector<SizeTerm>& terms);
/// The attribute that `value` gives to `param` (no integers, no types with sizes), or nothing when it is not
/// of the parameter's kind.
std::optional<AttrValue> as_attr(const ParamSpec& param, const ast::ArgValue& value);
/// "an integer", for messages.
std::string kind_words(const ParamSpec& param);

}  // namespace uc::binding
