// `ucutlass config`: which values count, and who says so.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "base/text.h"
#include "cli/config/file.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/options_impl.h"
#include "cli/output.h"
#include "platform/environment.h"
#include "store/place.h"

namespace uc::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExamples =
    "ucutlass config                   # the files, and every value that is set in one or in the "
    "environment\n"
    "ucutlass config optimize          # every option of a command, its value, and where it comes from\n"
    "UCUTLASS_ATTEMPTS=12 ucutlass config sweep --json\n";

struct Value {
  std::string command, option, text, from;  ///< from: default, file, a variable's name
  bool set() const { return from != "default"; }
};

/// Variables that are not an option's.
constexpr std::string_view kVariables[] = {"UCUTLASS_PYTHON",   "UCUTLASS_NVCC",   "UCUTLASS_CUTLASS_DIR",
                                           "UCUTLASS_LOCK_DIR", "UCUTLASS_CONFIG", "XDG_DATA_HOME",
                                           "XDG_CONFIG_HOME"};

Value value_of(const Context& context, const ConfigFile& file, const CommandSpec& command,
               const OptionHelp& option) {
  const std::string name = long_name(option.names).substr(2);
  Value out{std::string(command.name), name, option.default_value, "default"};
  if (const auto said = option.variable.empty() ? std::nullopt : context.environment.get(option.variable)) {
    out.text = *said;
    out.from = option.variable;
  } else if (const auto written = option.variable.empty() ? std::nullopt : file.find(command.name, name)) {
    out.text = *written;
    out.from = "file";
  }
  out.text = shown_value(name, out.text);
  return out;
}

std::vector<Value> values_of(const Context& context, const ConfigFile& file, const CommandSpec& command) {
  std::vector<Value> out;
  for (const OptionHelp& option : options_of(context, command)) {
    if (!option.positional()) out.push_back(value_of(context, file, command, option));
  }
  return out;
}

// What the file says and no command heeds.
std::vector<std::string> unheeded(const Context& context, const ConfigFile& file) {
  std::set<std::string> names;
  std::map<std::string, std::set<std::string>> of_command;
  for (const CommandSpec* command : builtin_commands()) {
    auto& own = of_command[std::string(command->name)];
    for (const OptionHelp& option : options_of(context, *command)) {
      if (option.positional() || option.variable.empty()) continue;
      names.insert(long_name(option.names).substr(2));
      own.insert(long_name(option.names).substr(2));
    }
  }
  std::vector<std::string> out;
  const auto look = [&](const ConfigFile::Values& values, const std::set<std::string>& known,
                        const std::string& place) {
    for (const auto& [key, value] : values) {
      if (known.contains(key)) continue;
      const std::vector<std::string_view> all(known.begin(), known.end());
      const std::string_view near = nearest(key, all);
      out.push_back(fmt::format("{}{} is no option that a file sets{}", place, printable(key),
                                near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
  };
  look(file.all, names, "");
  for (const auto& [command, values] : file.of_command) {
    if (!of_command.contains(command))
      out.push_back(fmt::format("{} is no command", printable(command)));
    else
      look(values, of_command[command], command + ".");
  }
  return out;
}

struct Shown {
  ConfigFile file;
  std::string store;
  std::vector<Value> values;
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<std::string> unheeded;
};

std::string text(const Shown& shown, bool whole) {
  std::string out =
      fmt::format("file   {}{}\n", shown.file.path.empty() ? "(no place: HOME is not set)" : shown.file.path,
                  shown.file.exists ? "" : " (not there)");
  out += fmt::format("store  {}\n", shown.store);
  for (const auto& [name, value] : shown.variables) out += fmt::format("{} = {}\n", name, value);
  if (!shown.values.empty()) out += "\n";
  for (const Value& each : shown.values)
    out += fmt::format("{:<11} {:<14} {:<28} {}\n", each.command, each.option,
                       each.text.empty() ? "-" : each.text,
                       each.from == "file"      ? shown.file.path
                       : each.from == "default" ? each.from
                                                : "$" + each.from);
  if (shown.values.empty() && !whole)
    out += "\nevery option has its default; `ucutlass config COMMAND` shows them\n";
  return out;
}

std::string json_text(const Shown& shown) {
  Json values = Json::array(), variables = Json::object();
  for (const Value& each : shown.values)
    values.push_back({{"command", each.command},
                      {"option", each.option},
                      {"value", each.text},
                      {"from", each.from == "default" || each.from == "file" ? each.from : "environment"},
                      {"variable", each.from == "default" || each.from == "file" ? "" : each.from}});
  for (const auto& [name, value] : shown.variables) variables[name] = value;
  return Json{{"schema", "ucutlass.settings/1"},   {"file", shown.file.path},
              {"exists", shown.file.exists},       {"store", shown.store},
              {"variables", std::move(variables)}, {"values", std::move(values)},
              {"unheeded", shown.unheeded}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

int run_config(const Invocation& invocation) {
  std::string name;
  bool json = false;
  Options options(invocation);
  options.positional("COMMAND", name, "show every option of this command (default: what is set)", false);
  options.flag("--json", json, "one JSON object, schema ucutlass.settings/1");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  const auto commands = builtin_commands();
  const auto one = std::ranges::find(commands, name, &CommandSpec::name);
  if (!name.empty() && one == commands.end()) {
    std::vector<std::string_view> names;
    for (const CommandSpec* each : commands) names.push_back(each->name);
    const std::string_view near = nearest(name, names);
    return report(
        context,
        Error{fmt::format("no command `{}`", name),
              near.empty() ? "`ucutlass --help` lists them" : fmt::format("did you mean `{}`?", near),
              kUsage},
        json);
  }
  auto file = read_config(context);
  if (!file) return report(context, file.error(), json);
  Shown shown{std::move(*file), {}, {}, {}, {}};
  shown.unheeded = unheeded(context, shown.file);
  const std::string named =
      context.environment.get("UCUTLASS_STORE").value_or(shown.file.find("show", "store").value_or(""));
  shown.store = store_path(context.environment, named).value_or("(no place: HOME is not set)");
  for (const std::string_view variable : kVariables) {
    if (const auto value = context.environment.get(variable)) shown.variables.emplace_back(variable, *value);
  }
  for (const CommandSpec* command : commands) {
    if (!name.empty() && command != *one) continue;
    for (Value& each : values_of(context, shown.file, *command)) {
      if (!name.empty() || each.set()) shown.values.push_back(std::move(each));
    }
  }
  context.out << (json ? json_text(shown) : text(shown, !name.empty()));
  for (const std::string& each : shown.unheeded)
    if (!json) context.err << fmt::format("{}: {}\n", shown.file.path, each);
  return shown.unheeded.empty() ? kDone : kFindings;
}

constexpr CommandSpec kRows[] = {{"config", CommandGroup::machine,
                                  "show each value and where it comes from: file, environment, default",
                                  kExamples, run_config}};

}  // namespace

std::span<const CommandSpec> config_command_rows() { return kRows; }

}  // namespace uc::cli
