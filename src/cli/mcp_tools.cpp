#include "cli/mcp_tools.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.h"
#include "cli/help.h"

namespace uc::cli {
namespace {

using nlohmann::ordered_json;

/// An option of a command as a tool has it.
struct ToolOption {
  std::string_view option;     ///< "--time"
  std::string_view name = {};  ///< "time_ms"; empty: the option's, with _ for -
};

/// What a command takes without an option. Text where the command takes a file: it comes on standard input.
struct ToolArgument {
  std::string_view name;
  std::string_view description = {};  ///< empty: the command's own
  bool text = false;
};

/// A command that is a tool.
struct Tool {
  std::string_view command;
  std::string_view description;
  std::span<const ToolArgument> arguments;
  std::span<const ToolOption> options;
  std::string_view always = {};  ///< words that every call has: "--json"
  std::string_view unless = {};  ///< an option with its value, where the call does not say it
};

constexpr ToolOption kCheck[] = {{"--device"}, {"--emit"}, {"--resolved"}};
constexpr ToolOption kSol[] = {{"--device"}, {"--precision"}, {"--time", "time_ms"}};
constexpr ToolOption kCompile[] = {{"--out"}, {"--device"}, {"--no-build"}};
constexpr ToolOption kOptimize[] = {{"--device"},   {"--attempts"},   {"--precision"}, {"--resume"},
                                    {"--proposer"}, {"--controller"}, {"--exchange"},  {"--answer"}};

constexpr ToolOption kLanguage[] = {{"--format"}};
constexpr ToolOption kEvaluate[] = {{"--device"}, {"--precision"}, {"--seed"}, {"--source"}};

constexpr ToolArgument kProgram[] = {{"program", "the text of a program", true}};
constexpr ToolArgument kProblem[] = {{"problem"}};
constexpr ToolArgument kTopic[] = {{"topic"}};
constexpr ToolArgument kCandidate[] = {{"problem"}, {"program", "the text of a program", true}};

constexpr Tool kTools[] = {
    {"check",
     "Checks a program against the language and the rule book. Findings have an id, a place, help, and where "
     "it is known the text that mends them.",
     kProgram, kCheck, "--format=json"},
    {"sol",
     "Speed of light: how fast a program could be on a device, what bounds it, and how close a measured time "
     "is.",
     kProgram, kSol, "--json"},
    {"compile", "Emits CUDA C++ for a program, and builds it where nvcc is.", kProgram, kCompile},
    {"optimize",
     "Searches for a faster program of a PyTorch problem, each candidate checked, judged and stored.",
     kProblem, kOptimize, "--json"},
    {"explain",
     "Says what a diagnostic, rule, operator, knob or device is, with programs.",
     kTopic,
     {},
     "--json"},
    {"language", "The language: the card to learn it from, grammars, a schema of programs.", {}, kLanguage},
    {"evaluate",
     "Judges a program for a PyTorch problem: whether it is right, and its time, modelled unless a GPU is "
     "named.",
     kCandidate, kEvaluate, "--json", "--device=model:h200"},
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
  size_t at = 0;
  for (const OptionHelp& row : rows) {
    if (!row.positional() || at == tool.arguments.size()) continue;
    const ToolArgument& argument = tool.arguments[at++];
    ordered_json& property = properties[std::string(argument.name)] = property_of(row);
    if (!argument.description.empty()) property["description"] = argument.description;
    if (row.required) required.push_back(argument.name);
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

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(kTools, name, &Tool::command);
  return found == std::end(kTools) ? nullptr : &*found;
}

const CommandSpec* command_of(const Tool& tool) {
  for (const CommandSpec* command : builtin_commands()) {
    if (command->name == tool.command) return command;
  }
  return nullptr;
}

// One argument as a word of the command line; empty: it says nothing.
Result<std::string> word_of(const ordered_json& property, const std::string& option, std::string_view key,
                            const nlohmann::json& value) {
  const std::string type = property["type"];
  const auto wrong = [&] { return fail(fmt::format("`{}` is no {}", key, type), "see the tool's schema"); };
  if (type == "boolean") {
    if (!value.is_boolean()) return wrong();
    return value.get<bool>() ? option : std::string();
  }
  if (type == "string") {
    if (!value.is_string()) return wrong();
    return fmt::format("{}={}", option, value.get_ref<const std::string&>());
  }
  if (!(type == "integer" ? value.is_number_integer() : value.is_number())) return wrong();
  return fmt::format("{}={}", option, value.dump());
}

Result<> add_argument(const ToolArgument& argument, const nlohmann::json& value, ToolCall& call) {
  if (!value.is_string())
    return fail(fmt::format("`{}` is no string", argument.name), "see the tool's schema");
  const std::string& text = value.get_ref<const std::string&>();
  if (argument.text) {
    call.input = text;
    call.args.emplace_back("-");
    return {};
  }
  if (text.empty() || text.starts_with('-'))
    return fail(fmt::format("`{}` is empty or begins like an option", argument.name),
                "see the tool's schema");
  call.args.push_back(text);
  return {};
}

// The option whose name the arguments have.
const ToolOption* option_of(const Tool& tool, std::string_view name) {
  const auto found =
      std::ranges::find_if(tool.options, [&](const ToolOption& each) { return name_of(each) == name; });
  return found == tool.options.end() ? nullptr : &*found;
}

}  // namespace

std::string mcp_tools(const Context& context) {
  ordered_json out = ordered_json::array();
  for (const Tool& tool : kTools) {
    const auto rows = options_of(context, *command_of(tool));
    out.push_back(
        {{"name", tool.command}, {"description", tool.description}, {"inputSchema", schema_of(tool, rows)}});
  }
  return out.dump(2) + "\n";
}

bool is_tool(std::string_view name) { return find_tool(name) != nullptr; }

Result<ToolCall> tool_call(const Context& context, std::string_view name, const nlohmann::json& arguments) {
  const Tool& tool = *find_tool(name);
  const ordered_json schema = schema_of(tool, options_of(context, *command_of(tool)));
  ToolCall out{{std::string(tool.command)}, {}};
  for (const ToolArgument& argument : tool.arguments) {
    const std::string key(argument.name);
    if (!arguments.contains(key)) {
      const auto& required = schema["required"];
      if (std::find(required.begin(), required.end(), key) == required.end()) continue;
      return fail(fmt::format("`{}` is missing", key), "see the tool's schema");
    }
    if (auto added = add_argument(argument, arguments[key], out); !added)
      return tl::unexpected(added.error());
  }
  for (const auto& [key, value] : arguments.items()) {
    if (std::ranges::find(tool.arguments, key, &ToolArgument::name) != tool.arguments.end()) continue;
    const ToolOption* option = option_of(tool, key);
    if (option == nullptr || !schema["properties"].contains(key))
      return fail(fmt::format("{} takes no `{}`", name, printable(key)), "see the tool's schema");
    auto word = word_of(schema["properties"][key], std::string(option->option), key, value);
    if (!word) return tl::unexpected(word.error());
    if (!word->empty()) out.args.push_back(std::move(*word));
  }
  if (!tool.always.empty()) out.args.emplace_back(tool.always);
  const std::string_view unless = tool.unless.substr(0, tool.unless.find('='));
  const auto said = [&](const std::string& word) { return word.starts_with(std::string(unless) + "="); };
  if (!unless.empty() && std::ranges::none_of(out.args, said)) out.args.emplace_back(tool.unless);
  return out;
}

}  // namespace uc::cli
