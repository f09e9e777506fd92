#pragma once
// Why: what declarations say beside names and sizes: layouts, structure, and named dimensions that hold at
// every size.
#include <string_view>
#include <vector>

#include "base/text.h"
#include "check/scope.h"

namespace uc {

/// The nearest of `names`, as help and replacement; else `otherwise` as help.
template <class Names>
void suggest(Diag& diag, std::string_view text, const Names& names, std::string_view otherwise) {
  const std::vector<std::string_view> known(std::begin(names), std::end(names));
  const std::string_view near = nearest(text, known);
  diag.help = near.empty() ? std::string(otherwise) : "did you mean `" + std::string(near) + "`?";
  diag.replacement = near;
}

/// Layouts change strides; structure (@upper, ...) is kept for rules and work.
void set_attributes(Scope& scope, ValueId id, const std::vector<ast::Attribute>& attributes);

/// Every dimension is said by a tensor, and the program holds at other sizes than those it was resolved at.
void check_dims(Scope& scope);

}  // namespace uc
