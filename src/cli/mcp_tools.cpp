#include "cli/mcp_tools.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/help.h"

namespace uc::cli {
namespace {

using nlohmann::ordered_json;

/// An option of a command as a tool has it.
struct ToolOption {
  std::string_view option;     ///< "--time"
  std::string_view name = {};  ///< "time_ms"; empty: the option's, with _ for -
};

/// A command that is a tool. Its first argument has no option, and is text where the command takes a file.
struct Tool {
  std::string_view command;
  std::string_view description;
  std::string_view argument;
  std::string_view argument_description;
  std::span<const ToolOption> options;
};

constexpr ToolOption kCheck[] = {{"--device"}, {"--emit"}, {"--resolved"}};
constexpr ToolOption kSol[] = {{"--device"}, {"--precision"}, {"--time", "time_ms"}};
constexpr ToolOption kCompile[] = {{"--out"}, {"--device"}, {"--no-build"}};
constexpr ToolOption kOptimize[] = {{"--device"},   {"--attempts"},   {"--precision"}, {"--resume"},
                                    {"--proposer"}, {"--controller"}, {"--exchange"},  {"--answer"}};

constexpr std::string_view kProgram = "the text of a program";

constexpr Tool kTools[] = {
    {"check",
     "Checks a program against the language and the rule book. Findings have an id, a place, help, and where "
     "it is known the text that mends them.",
     "program", kProgram, kCheck},
    {"sol",
     "Speed of light: how fast a program could be on a device, what bounds it, and how close a measured time "
     "is.",
     "program", kProgram, kSol},
    {"compile", "Emits CUDA C++ for a program, and builds it where nvcc is.", "program", kProgram, kCompile},
    {"optimize",
     "Searches for a faster program of a PyTorch problem, each candidate checked, judged and stored.",
     "problem", "", kOptimize},
    {"explain", "Says what a diagnostic, rule, operator, knob or device is, with programs.", "topic", "", {}},
};

std::string name_of(const ToolOption& option) {
  if (!option.name.empty()) return std::string(option.name);
  std::string name(option.option.substr(2));
  std::ranges::replace(name, '-', '_');
  return name;
}

bool is_option(const OptionHelp& row, std::string_view option) {
  return row.names == option || row.names.ends_with("," + std::string(option));
}

ordered_json property_of(const OptionHelp& row) {
  ordered_json out{{"type", row.type}, {"description", row.help}};
  if (!row.choices.empty() && !row.positional()) out["enum"] = row.choices;
  return out;
}

ordered_json schema_of(const Tool& tool, std::span<const OptionHelp> rows) {
  ordered_json properties = ordered_json::object();
  ordered_json required = ordered_json::array();
  const auto first = std::ranges::find_if(rows, &OptionHelp::positional);
  if (first != rows.end()) {
    ordered_json& argument = properties[std::string(tool.argument)] = property_of(*first);
    if (!tool.argument_description.empty()) argument["description"] = tool.argument_description;
    if (first->required) required.push_back(tool.argument);
  }
  for (const ToolOption& option : tool.options) {
    for (const OptionHelp& row : rows) {
      if (is_option(row, option.option)) properties[name_of(option)] = property_of(row);
    }
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

}  // namespace

std::string mcp_tools(const Context& context) {
  ordered_json out = ordered_json::array();
  const auto commands = builtin_commands();
  for (const Tool& tool : kTools) {
    for (const CommandSpec* command : commands) {
      if (command->name != tool.command) continue;
      const auto rows = options_of(context, *command);
      out.push_back({{"name", tool.command},
                     {"description", tool.description},
                     {"inputSchema", schema_of(tool, rows)}});
    }
  }
  return out.dump(2) + "\n";
}

}  // namespace uc::cli
