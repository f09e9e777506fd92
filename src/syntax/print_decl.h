#pragma once
// Why: the head of a program as text: headers, dimensions, declarations; and sizes, which steps write too.
#include "ir/attrs.h"
#include "ir/program.h"
#include "syntax/ast.h"
#include "syntax/print_names.h"

namespace uc::syntax {

/// Headers, named dimensions, and inputs, params and scalars in the order of their declaration.
void print_head(const Program& program, const PrintNames& names, ast::File& file);

/// A size in a type: 64, m, 2 * m.
ast::Size print_size(const Program& program, const SizeTerm& term);
/// An integer argument, or a list of them, with named dimensions.
ast::ArgValue print_integers(const Program& program, const AttrValue& value,
                             const std::vector<SizeTerm>& terms);
/// The types of parameter `name` (catalog/op_spec.h: ParamKind::typed).
ast::ArgValue print_typed(const Program& program, const Attrs& attrs, std::string_view name);

}  // namespace uc::syntax
