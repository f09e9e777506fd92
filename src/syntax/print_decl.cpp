#include "syntax/print_decl.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "ir/layout.h"
#include "syntax/ast_make.h"

namespace uc::syntax {
namespace {

void header(ast::File& file, std::string_view keyword, std::string_view value) {
  file.statements.emplace_back(ast::Header{make_name(keyword), make_name(value)});
}

void dimension(ast::File& file, const Dim& dim) {
  ast::Dim out;
  out.name = make_name(dim.name);
  out.low = dim.low;
  out.high = dim.high;
  if (dim.step != 1) out.step = dim.step;
  file.statements.emplace_back(std::move(out));
}

void layout_attribute(const Value& value, ast::Decl& decl) {
  const std::string_view layout = layout_of(value.shape, value.stride);
  if (layout == "row") return;
  ast::Attribute attribute;
  attribute.name = make_name(layout.empty() ? "strides" : layout);
  if (layout.empty()) {
    for (const int64_t stride : value.stride) attribute.args.push_back(make_arg(make_attr(stride, false)));
  }
  decl.attributes.push_back(std::move(attribute));
}

ast::Decl declaration(const Program& program, const Value& value, std::string_view name_of) {
  ast::Decl decl;
  decl.keyword = make_name(value.kind == ValueKind::input   ? "input"
                           : value.kind == ValueKind::param ? "param"
                                                            : "scalar");
  decl.name = make_name(name_of);
  decl.type.dtype = make_name(name(value.dtype));
  for (size_t d = 0; d < value.shape.size(); ++d) {
    const SizeTerm size = value.sizes.empty() ? SizeTerm{value.shape[d], -1} : value.sizes[d];
    decl.type.sizes.push_back(print_size(program, size));
  }
  layout_attribute(value, decl);
  for (const std::string& structure : value.structure)
    decl.attributes.push_back({make_name(structure), {}, {}});
  if (!value.binding.empty()) decl.binding = value.binding;
  return decl;
}

ast::ExprPtr integer(const Program& program, const SizeTerm& term) {
  if (!term.named()) return make_number(static_cast<double>(term.scale), true);
  auto dim = make_word(program.dims[static_cast<size_t>(term.dim)].name);
  if (term.scale == 1) return dim;
  return make_binary("*", make_number(static_cast<double>(term.scale), true), std::move(dim));
}

}  // namespace

void print_head(const Program& program, const PrintNames& names, ast::File& file) {
  header(file, "target", program.target);
  if (program.precision != Precision::strict) header(file, "precision", name(program.precision));
  if (!program.name.empty()) header(file, "name", program.name);
  for (const Dim& dim : program.dims) dimension(file, dim);
  std::vector<ValueId> declared = program.inputs;
  declared.insert(declared.end(), program.params.begin(), program.params.end());
  declared.insert(declared.end(), program.scalars.begin(), program.scalars.end());
  std::ranges::sort(declared, {}, [](ValueId id) { return id.index(); });
  for (const ValueId id : declared)
    file.statements.emplace_back(declaration(program, program[id], names.of(id)));
}

ast::Size print_size(const Program& program, const SizeTerm& term) {
  if (!term.named()) return {term.scale, std::nullopt, {}};
  const ast::Name dim = make_name(program.dims[static_cast<size_t>(term.dim)].name);
  return {term.scale == 1 ? std::nullopt : std::optional(term.scale), dim, {}};
}

ast::ArgValue print_integers(const Program& program, const AttrValue& value,
                             const std::vector<SizeTerm>& terms) {
  if (std::holds_alternative<int64_t>(value)) return integer(program, terms[0]);
  auto list = std::make_unique<ast::List>();
  for (const SizeTerm& term : terms) list->items.emplace_back(integer(program, term));
  return list;
}

// Types as words, and for each its rank and extents.
ast::ArgValue print_typed(const Program& program, const Attrs& attrs, std::string_view name) {
  const std::string key = std::string(name) + "_shape";
  const AttrValue* shapes = attrs.find(key);
  const auto numbers = shapes == nullptr ? std::vector<int64_t>() : std::get<std::vector<int64_t>>(*shapes);
  const auto* terms = attrs.terms(key);
  auto list = std::make_unique<ast::List>();
  size_t at = 0;
  const std::string types = attrs.get_word(name, "");
  for (const std::string_view type : split(types, ' ')) {
    ast::Typed item{make_name(type), {}};
    const auto rank = at < numbers.size() ? static_cast<size_t>(numbers[at++]) : 0;
    for (const size_t end = std::min(at + rank, numbers.size()); at < end; ++at)
      item.sizes.push_back(print_size(program, terms == nullptr ? SizeTerm{numbers[at], -1} : (*terms)[at]));
    list->items.emplace_back(std::move(item));
  }
  return list->items.size() == 1 ? std::move(list->items[0]) : ast::ArgValue(std::move(list));
}

}  // namespace uc::syntax
