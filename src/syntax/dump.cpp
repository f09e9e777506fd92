#include "syntax/dump.h"

#include <fmt/format.h>

namespace uc {
namespace {

std::string dump(const ast::Call& call);

std::string names(const std::vector<ast::Name>& list) {
  std::vector<std::string_view> texts;
  for (const ast::Name& name : list) texts.push_back(name.text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string dump(const std::vector<ast::Size>& sizes) {
  std::vector<std::string> parts;
  for (const ast::Size& size : sizes) {
    parts.push_back(!size.dim     ? std::to_string(size.scale.value_or(0))
                    : !size.scale ? size.dim->text
                                  : fmt::format("{}*{}", *size.scale, size.dim->text));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string dump(const ast::ArgValue& value) {
  if (const auto* expr = std::get_if<ast::ExprPtr>(&value)) return *expr ? uc::dump(**expr) : "?";
  if (const auto* typed = std::get_if<ast::Typed>(&value)) return typed->dtype.text + dump(typed->sizes);
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("\"{}\"", *text);
  std::vector<std::string> parts;
  for (const ast::ArgValue& item : std::get<std::unique_ptr<ast::List>>(value)->items)
    parts.push_back(dump(item));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string dump(const std::vector<ast::Arg>& args) {
  std::vector<std::string> parts;
  for (const ast::Arg& arg : args) {
    parts.push_back((arg.name ? arg.name->text + "=" : std::string()) + dump(arg.value));
  }
  return fmt::format("({})", fmt::join(parts, ", "));
}

std::string dump(const ast::Call& call) { return call.callee.text + dump(call.args); }

std::string dump(const ast::Setting& setting) {
  std::vector<std::string_view> parts;
  for (const ast::Literal& literal : setting.literals) parts.push_back(literal.text);
  return setting.is_set ? fmt::format("{{{}}}", fmt::join(parts, ", "))
                        : fmt::format("{}", fmt::join(parts, ", "));
}

std::string dump(const ast::Header& header) {
  return fmt::format("{} {}", header.keyword.text, header.value.text);
}

std::string dump(const ast::Dim& dim) {
  return fmt::format("dim {} {} {} {}", dim.name.text, dim.low, dim.high, dim.step.value_or(1));
}

std::string dump(const ast::Decl& decl) {
  std::string out = fmt::format("{} {}: {}{}", decl.keyword.text, decl.name.text, decl.type.dtype.text,
                                decl.type.sizes.empty() ? std::string() : dump(decl.type.sizes));
  for (const ast::Attribute& attribute : decl.attributes) {
    out += fmt::format(" @{}{}", attribute.name.text, dump(attribute.args));
  }
  return decl.binding ? fmt::format("{} = \"{}\"", out, *decl.binding) : out;
}

std::string dump(const ast::Step& step) {
  std::string out = fmt::format("step {} = {}", names(step.names), step.expr ? uc::dump(*step.expr) : "?");
  for (const ast::Knob& knob : step.knobs) {
    std::vector<std::string> settings;
    for (const ast::Setting& setting : knob.settings) settings.push_back(dump(setting));
    out += fmt::format(" .{}({})", knob.name.text, fmt::join(settings, ", "));
  }
  for (const ast::Call& call : step.chain) out += " >> " + dump(call);
  return out;
}

std::string dump(const ast::Result& result) { return "return " + names(result.names); }

}  // namespace

std::string dump(const ast::Expr& expr) {
  using Kind = ast::Expr::Kind;
  const auto side = [](const ast::ExprPtr& part) { return part ? dump(*part) : std::string("?"); };
  switch (expr.kind) {
    case Kind::integer: return std::to_string(expr.integer);
    case Kind::real: return fmt::format("{}f", expr.real);
    case Kind::name: return expr.text;
    case Kind::call: return dump(*expr.call);
    case Kind::negate: return fmt::format("(- {})", side(expr.left));
    case Kind::binary: return fmt::format("({} {} {})", expr.text, side(expr.left), side(expr.right));
  }
  return {};
}

std::string dump(const ast::File& file) {
  std::string out;
  for (const ast::Statement& statement : file.statements) {
    out += std::visit([](const auto& node) { return dump(node); }, statement) + "\n";
  }
  return out;
}

}  // namespace uc
