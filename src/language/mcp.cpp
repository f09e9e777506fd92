// Tools of the Model Context Protocol, one a command.
#include <nlohmann/json.hpp>
#include <set>

#include "language/exports.h"
#include "language/names.h"

namespace uc::language {
namespace {

using nlohmann::ordered_json;

// Those that programs are made for, or all that have bounds.
std::vector<std::string> device_names(const Catalog& catalog, bool all) {
  std::set<std::string> out;
  for (const DeviceSpec* device : catalog.devices()) {
    if (all || catalog.emits_for(*device)) out.emplace(device->name);
  }
  return {out.begin(), out.end()};
}

ordered_json schema_of(const Tool& tool) {
  ordered_json properties = ordered_json::object();
  ordered_json required = ordered_json::array();
  for (const ToolArgument& argument : tool.arguments) {
    ordered_json& property = properties[argument.name];
    property = {{"type", argument.type}, {"description", argument.description}};
    if (!argument.choices.empty()) property["enum"] = argument.choices;
    if (argument.required) required.push_back(argument.name);
  }
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

}  // namespace

std::vector<Tool> tools(const Catalog& catalog) {
  const ToolArgument program{"program", "string", "", "the text of a program", true};
  const ToolArgument device{"device",   "string",
                            "--device", "the device whose limits count; default: the target's own",
                            false,      device_names(catalog, false)};
  const std::vector<std::string> precisions = precision_names();
  return {
      {"check",
       "Checks a program against the language and the rule book. Findings have an id, a place, help, and "
       "where it is "
       "known the text that mends them.",
       {program,
        device,
        {"emit", "boolean", "--emit", "demand that every step has a kernel, as compile does"},
        {"resolved", "boolean", "--resolved",
         "also print the program with every automatic knob written out"}}},
      {"sol",
       "Speed of light: how fast a program could be on a device, what bounds it, and how close a measured "
       "time is.",
       {program,
        {"device", "string", "--device", "the device; default: the target's own", false,
         device_names(catalog, true)},
        {"precision", "string", "--precision", "the least accurate way that f32 data may be multiplied",
         false, precisions},
        {"time_ms", "number", "--time", "a measured time to judge, milliseconds"}}},
      {"compile",
       "Emits CUDA C++ for a program, and builds it where nvcc is.",
       {program,
        {"out", "string", "--out", "the folder where the files go"},
        device,
        {"no_build", "boolean", "--no-build", "write sources only"}}},
      {"optimize",
       "Searches for a faster program of a PyTorch problem, each candidate checked, judged and stored.",
       {{"problem", "string", "",
         "a PyTorch problem (.py), a capture (.json), or a folder that holds problem.json", true},
        {"device", "string", "--device", "auto, gpu, cuda:N, or model:NAME"},
        {"attempts", "integer", "--attempts", "programs to try"},
        {"precision", "string", "--precision", "the least accurate form that f32 data may take", false,
         precisions},
        {"resume", "string", "--resume", "a stored run to go on with: its id, or `last`"}}},
      {"explain",
       "Says what a diagnostic, rule, operator, knob or device is, with programs.",
       {{"topic", "string", "", "an id such as UC2104, or a name such as linear; nothing lists all"}}},
  };
}

std::string mcp_tools(const Catalog& catalog) {
  ordered_json out = ordered_json::array();
  for (const Tool& tool : tools(catalog))
    out.push_back({{"name", tool.name}, {"description", tool.description}, {"inputSchema", schema_of(tool)}});
  return out.dump(2) + "\n";
}

}  // namespace uc::language
