// The JSON schema of a program's tree.
#include <nlohmann/json.hpp>

#include "language/exports.h"
#include "language/names.h"

namespace uc::language {
namespace {

using nlohmann::ordered_json;

ordered_json ref(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }
ordered_json list(ordered_json item, int least = 0) {
  ordered_json out{{"type", "array"}, {"items", std::move(item)}};
  if (least > 0) out["minItems"] = least;
  return out;
}
ordered_json one_of(const std::vector<std::string>& words) { return {{"type", "string"}, {"enum", words}}; }
ordered_json any(std::vector<ordered_json> ways) { return {{"anyOf", std::move(ways)}}; }
ordered_json or_null(ordered_json way) { return any({std::move(way), {{"type", "null"}}}); }
ordered_json text(const std::string& pattern) { return {{"type", "string"}, {"pattern", pattern}}; }
ordered_json whole(int64_t least) { return {{"type", "integer"}, {"minimum", least}}; }

/// Every property is required, and no other allowed.
ordered_json object(const std::vector<std::pair<std::string, ordered_json>>& members) {
  ordered_json properties = ordered_json::object();
  ordered_json required = ordered_json::array();
  for (const auto& [name, schema] : members) {
    properties[name] = schema;
    required.push_back(name);
  }
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

ordered_json header(const std::string& word, ordered_json value) {
  return object({{"header", one_of({word})}, {"value", std::move(value)}});
}

ordered_json statements(const Catalog& catalog) {
  return any(
      {header("target", one_of(target_names(catalog))), header("precision", one_of(precision_names())),
       header("name", ref("name")),
       object({{"dim", ref("name")}, {"low", whole(0)}, {"high", whole(0)}, {"step", or_null(whole(0))}}),
       object({{"declare", one_of({"input", "param", "scalar"})},
               {"name", ref("name")},
               {"dtype", ref("dtype")},
               {"sizes", list(ref("size"))},
               {"attributes",
                list(object({{"attribute", one_of(attribute_names())}, {"args", list(ref("arg"))}}))},
               {"binding", or_null({{"type", "string"}})}}),
       object(
           {{"names", list(ref("name"), 1)},
            {"expr", ref("expr")},
            {"knobs", list(ref("knob"))},
            {"chain", list(object({{"call", one_of(fused_names(catalog))}, {"args", list(ref("arg"))}}))}}),
       object({{"return", list(ref("name"), 1)}})});
}

ordered_json expressions(const Catalog& catalog) {
  return any({object({{"int", whole(0)}}), object({{"float", {{"type", "number"}}}}),
              object({{"name", ref("name")}}),
              object({{"call", one_of(step_names(catalog))}, {"args", list(ref("arg"))}}),
              object({{"minus", ref("expr")}}),
              object({{"left", ref("expr")},
                      {"sign", one_of({"+", "-", "*", "/", "**", "<", "<=", ">", ">=", "==", "!="})},
                      {"right", ref("expr")}})});
}

}  // namespace

std::string json_schema(const Catalog& catalog) {
  ordered_json defs;
  defs["name"] = text("^[A-Za-z_][A-Za-z0-9_]*$");
  defs["dtype"] = one_of(dtype_names());
  defs["size"] = any({whole(0), ref("name"), object({{"scale", whole(0)}, {"dim", ref("name")}})});
  defs["statement"] = statements(catalog);
  defs["expr"] = expressions(catalog);
  defs["item"] = any({ref("expr"), object({{"list", list(ref("item"))}}),
                      object({{"dtype", ref("dtype")}, {"sizes", list(ref("size"), 1)}})});
  defs["arg"] = object({{"name", or_null(ref("name"))},
                        {"value", any({ref("item"), object({{"string", {{"type", "string"}}}})})}});
  defs["literal"] =
      any({{{"type", "number"}}, text("^([A-Za-z_][A-Za-z0-9_]*|[1-9][0-9]{0,17}(x[1-9][0-9]{0,17})+)$")});
  defs["knob"] =
      object({{"knob", one_of(knob_names(catalog))},
              {"settings", list(any({ref("literal"), object({{"set", list(ref("literal"), 1)}})}))}});
  ordered_json out =
      object({{"schema", one_of({"ucutlass.tree/1"})}, {"statements", list(ref("statement"))}});
  ordered_json whole_schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "A ucutlass program as its tree: what `ucutlass format --json` prints"}};
  whole_schema.update(out);
  whole_schema["$defs"] = defs;
  return whole_schema.dump(1) + "\n";
}

}  // namespace uc::language
