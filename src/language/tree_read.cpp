// A program from its tree as JSON: what a decoder made under the schema becomes text, and is read as such.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ir/json_reader.h"
#include "language/exports.h"
#include "syntax/ast_make.h"
#include "syntax/format.h"
#include "syntax/parser.h"

namespace uc::language {
namespace {

using syntax::make_name;

constexpr int64_t kLargest = 999'999'999'999'999'999;

bool has(const JsonAt& at, const char* key) {
  return at.raw() != nullptr && at.raw()->is_object() && at.raw()->contains(key);
}
bool is_text(const JsonAt& at) { return at.raw() != nullptr && at.raw()->is_string(); }
bool is_whole(const JsonAt& at) { return at.raw() != nullptr && at.raw()->is_number_integer(); }

// Strings of programs hold line breaks, so `JsonAt::text` is too strict for them.
std::string raw_text(const JsonAt& at) {
  if (!is_text(at)) return at.text();
  return at.raw()->get<std::string>();
}

template <class Read>
auto all(const JsonAt& list, Read read) {
  std::vector<decltype(read(list))> out;
  for (size_t i = 0; i < list.size(); ++i) out.push_back(read(list.item(i)));
  return out;
}

ast::Name name(const JsonAt& at) { return make_name(at.text()); }
std::vector<ast::Name> names(const JsonAt& at) { return all(at, name); }

ast::ExprPtr expr(const JsonAt& at);
ast::ArgValue value(const JsonAt& at);

ast::Size size(const JsonAt& at) {
  ast::Size out;
  if (is_text(at)) {
    out.dim = name(at);
  } else if (is_whole(at)) {
    out.scale = at.integer(0, kLargest);
  } else {
    out.scale = at.field("scale").integer(0, kLargest);
    out.dim = name(at.field("dim"));
  }
  return out;
}

ast::Arg arg(const JsonAt& at) {
  const auto named = at.maybe("name");
  return syntax::make_arg(value(at.field("value")), named ? named->text() : std::string());
}

ast::Call call(const JsonAt& at) {
  ast::Call out;
  out.callee = name(at.field("call"));
  out.args = all(at.field("args"), arg);
  return out;
}

ast::ArgValue value(const JsonAt& at) {
  if (has(at, "string")) return raw_text(at.field("string"));
  if (has(at, "dtype")) return ast::Typed{name(at.field("dtype")), all(at.field("sizes"), size)};
  if (!has(at, "list")) return expr(at);
  auto out = std::make_unique<ast::List>();
  const JsonAt items = at.field("list");
  for (size_t i = 0; i < items.size(); ++i) out->items.push_back(value(items.item(i)));
  return out;
}

ast::ExprPtr expr(const JsonAt& at) {
  if (has(at, "int")) {
    auto out = syntax::make_number(0, true);
    out->integer = at.field("int").integer(0, kLargest);
    out->text = std::to_string(out->integer);
    return out;
  }
  if (has(at, "float")) return syntax::make_number(at.field("float").number(), false);
  if (has(at, "call")) return syntax::make_call(call(at));
  if (has(at, "minus")) return syntax::make_negate(expr(at.field("minus")));
  if (has(at, "left"))
    return syntax::make_binary(at.field("sign").text(), expr(at.field("left")), expr(at.field("right")));
  return syntax::make_word(at.field("name").text());
}

ast::Literal literal(const JsonAt& at) {
  ast::Literal out;
  if (is_text(at)) {
    out.value = out.text = at.text();
  } else if (is_whole(at)) {
    const int64_t integer = at.integer(0, kLargest);
    out.value = integer;
    out.text = std::to_string(integer);
  } else {
    out.value = at.number();
    out.text = syntax::float_text(at.number());
  }
  return out;
}

ast::Knob knob(const JsonAt& at) {
  ast::Knob out;
  out.name = name(at.field("knob"));
  out.settings = all(at.field("settings"), [](const JsonAt& setting) {
    ast::Setting one;
    one.is_set = has(setting, "set");
    one.literals = one.is_set ? all(setting.field("set"), literal) : std::vector{literal(setting)};
    return one;
  });
  return out;
}

ast::Decl decl(const JsonAt& at) {
  ast::Decl out;
  out.keyword = name(at.field("declare"));
  out.name = name(at.field("name"));
  out.type = {name(at.field("dtype")), all(at.field("sizes"), size), {}};
  out.attributes = all(at.field("attributes"), [](const JsonAt& attribute) {
    return ast::Attribute{name(attribute.field("attribute")), all(attribute.field("args"), arg), {}};
  });
  if (const auto binding = at.maybe("binding")) out.binding = raw_text(*binding);
  return out;
}

ast::Dim dim(const JsonAt& at) {
  ast::Dim out;
  out.name = name(at.field("dim"));
  out.low = at.field("low").integer(0, kLargest);
  out.high = at.field("high").integer(0, kLargest);
  if (const auto step = at.maybe("step")) out.step = step->integer(0, kLargest);
  return out;
}

ast::Statement statement(const JsonAt& at) {
  if (has(at, "header")) return ast::Header{name(at.field("header")), name(at.field("value"))};
  if (has(at, "dim")) return dim(at);
  if (has(at, "declare")) return decl(at);
  if (has(at, "return")) return ast::Result{names(at.field("return")), {}};
  ast::Step out;
  out.names = names(at.field("names"));
  out.expr = expr(at.field("expr"));
  out.knobs = all(at.field("knobs"), knob);
  out.chain = all(at.field("chain"), call);
  return out;
}

}  // namespace

Result<std::string> from_json(std::string_view text) {
  const std::string help = "`ucutlass language --format json-schema` describes it";
  const auto json = parse_json(text);
  if (!json) return tl::unexpected(json.error());
  JsonFault fault;
  const JsonAt root(&*json, &fault);
  ast::File file;
  if (root.field("schema").text() != "ucutlass.tree/1" && !fault)
    fault.message = "schema: expected ucutlass.tree/1";
  const JsonAt statements = root.field("statements");
  for (size_t i = 0; i < statements.size() && !fault; ++i)
    file.statements.push_back(statement(statements.item(i)));
  if (fault) return tl::unexpected(Error{fmt::format("this is no program's tree: {}", fault.message), help});
  std::string program = format(file, {});
  DiagSink diags;
  const bool same = to_json(parse(program, diags)) == to_json(file);
  if (same && !diags.has_errors()) return program;
  const std::string why =
      diags.has_errors() ? diags.sorted().front().message : "a name or string in it reads as something else";
  return tl::unexpected(Error{fmt::format("this tree says no program: {}", why), help});
}

}  // namespace uc::language
