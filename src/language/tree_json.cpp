// A program's tree as JSON. The shapes are those of schema.cpp.
#include <nlohmann/json.hpp>

#include "language/exports.h"

namespace uc::language {
namespace {

using nlohmann::ordered_json;

ordered_json of(const ast::Expr& expr);
ordered_json of(const ast::ArgValue& value);

ordered_json of(const std::vector<ast::Name>& names) {
  ordered_json out = ordered_json::array();
  for (const ast::Name& name : names) out.push_back(name.text);
  return out;
}

ordered_json of(const std::vector<ast::Size>& sizes) {
  ordered_json out = ordered_json::array();
  for (const ast::Size& size : sizes) {
    if (!size.dim) {
      out.push_back(size.scale.value_or(1));
    } else if (!size.scale) {
      out.push_back(size.dim->text);
    } else {
      out.push_back({{"scale", *size.scale}, {"dim", size.dim->text}});
    }
  }
  return out;
}

ordered_json of(const std::vector<ast::Arg>& args) {
  ordered_json out = ordered_json::array();
  for (const ast::Arg& arg : args)
    out.push_back(
        {{"name", arg.name ? ordered_json(arg.name->text) : ordered_json()}, {"value", of(arg.value)}});
  return out;
}

ordered_json of(const ast::ArgValue& value) {
  if (const auto* expr = std::get_if<ast::ExprPtr>(&value)) return of(**expr);
  if (const auto* typed = std::get_if<ast::Typed>(&value))
    return {{"dtype", typed->dtype.text}, {"sizes", of(typed->sizes)}};
  if (const auto* raw = std::get_if<std::string>(&value)) return {{"string", *raw}};
  ordered_json items = ordered_json::array();
  for (const ast::ArgValue& item : std::get<std::unique_ptr<ast::List>>(value)->items)
    items.push_back(of(item));
  return {{"list", items}};
}

ordered_json of(const ast::Expr& expr) {
  using Kind = ast::Expr::Kind;
  switch (expr.kind) {
    case Kind::integer: return {{"int", expr.integer}};
    case Kind::real: return {{"float", expr.real}};
    case Kind::name: return {{"name", expr.text}};
    case Kind::call: return {{"call", expr.call->callee.text}, {"args", of(expr.call->args)}};
    case Kind::negate: return {{"minus", of(*expr.left)}};
    case Kind::binary: break;
  }
  return {{"left", of(*expr.left)}, {"sign", expr.text}, {"right", of(*expr.right)}};
}

ordered_json of(const ast::Literal& literal) {
  if (const auto* integer = std::get_if<int64_t>(&literal.value)) return *integer;
  if (const auto* real = std::get_if<double>(&literal.value)) return *real;
  return literal.text;
}

ordered_json of(const ast::Knob& knob) {
  ordered_json settings = ordered_json::array();
  for (const ast::Setting& setting : knob.settings) {
    ordered_json literals = ordered_json::array();
    for (const ast::Literal& literal : setting.literals) literals.push_back(of(literal));
    settings.push_back(setting.is_set ? ordered_json{{"set", literals}} : literals.at(0));
  }
  return {{"knob", knob.name.text}, {"settings", settings}};
}

ordered_json of(const ast::Header& header) {
  return {{"header", header.keyword.text}, {"value", header.value.text}};
}

ordered_json of(const ast::Dim& dim) {
  return {{"dim", dim.name.text},
          {"low", dim.low},
          {"high", dim.high},
          {"step", dim.step ? ordered_json(*dim.step) : ordered_json()}};
}

ordered_json of(const ast::Decl& decl) {
  ordered_json attributes = ordered_json::array();
  for (const ast::Attribute& attribute : decl.attributes)
    attributes.push_back({{"attribute", attribute.name.text}, {"args", of(attribute.args)}});
  return {{"declare", decl.keyword.text},
          {"name", decl.name.text},
          {"dtype", decl.type.dtype.text},
          {"sizes", of(decl.type.sizes)},
          {"attributes", attributes},
          {"binding", decl.binding ? ordered_json(*decl.binding) : ordered_json()}};
}

ordered_json of(const ast::Step& step) {
  ordered_json knobs = ordered_json::array();
  for (const ast::Knob& knob : step.knobs) knobs.push_back(of(knob));
  ordered_json chain = ordered_json::array();
  for (const ast::Call& call : step.chain)
    chain.push_back({{"call", call.callee.text}, {"args", of(call.args)}});
  return {{"names", of(step.names)}, {"expr", of(*step.expr)}, {"knobs", knobs}, {"chain", chain}};
}

ordered_json of(const ast::Result& result) { return {{"return", of(result.names)}}; }

}  // namespace

std::string to_json(const ast::File& file) {
  ordered_json statements = ordered_json::array();
  for (const ast::Statement& statement : file.statements)
    statements.push_back(std::visit([](const auto& node) { return of(node); }, statement));
  return ordered_json{{"schema", "ucutlass.tree/1"}, {"statements", statements}}.dump();
}

}  // namespace uc::language
