// `ucutlass doctor`: what is installed, what each missing thing costs, what is usable now.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/doctor/probe.h"
#include "cli/options.h"
#include "cli/output.h"

namespace uc::cli {
namespace {

struct Row {
  const Probe* probe;
  Found found;
};

bool has(std::span<const Row> rows, std::string_view name) {
  return std::ranges::any_of(rows, [&](const Row& row) { return row.probe->name == name && row.found.ok; });
}

bool usable(std::span<const Row> rows, const Ability& ability) {
  return std::ranges::all_of(ability.needs, [&](std::string_view name) { return has(rows, name); });
}

std::vector<std::string> missing_of(std::span<const Row> rows, std::span<const std::string> required) {
  std::vector<std::string> missing;
  std::ranges::copy_if(required, std::back_inserter(missing),
                       [&](const auto& name) { return !has(rows, name); });
  return missing;
}

std::string text_of(std::span<const Row> rows, bool color) {
  std::string text;
  for (const auto& [probe, found] : rows) {
    const std::string mark = found.ok ? styled(color, "32", "found  ") : styled(color, "33", "missing");
    std::string what = found.version;
    if (!found.path.empty()) what += fmt::format("{}{}", what.empty() ? "" : "  ", found.path);
    if (!found.note.empty()) what += fmt::format("{}({})", what.empty() ? "" : "  ", found.note);
    text += fmt::format("{:<8} {}  {}\n", probe->name, mark, what);
    if (found.ok) continue;
    text += fmt::format("{:>20}{}\n{:>20}to get it: {}\n", "", probe->costs, "", probe->fix);
  }
  text += "\nusable now:\n";
  for (const Ability& ability : abilities()) {
    std::string lacks;
    for (const std::string_view name : ability.needs) {
      if (!has(rows, name)) lacks += fmt::format("{}{}", lacks.empty() ? "" : ", ", name);
    }
    const std::string mark = lacks.empty() ? styled(color, "32", "yes") : styled(color, "33", "no ");
    text += fmt::format("  {}  {}{}\n", mark, ability.name,
                        lacks.empty() ? "" : fmt::format(" (needs {})", lacks));
  }
  return text;
}

std::string json_of(std::span<const Row> rows, std::span<const std::string> missing) {
  nlohmann::ordered_json tools = nlohmann::ordered_json::array();
  for (const auto& [probe, found] : rows) {
    nlohmann::ordered_json tool = {{"name", probe->name},
                                   {"found", found.ok},
                                   {"version", found.version},
                                   {"path", found.path},
                                   {"note", found.note}};
    if (!found.ok) {
      tool["costs"] = probe->costs;
      tool["fix"] = probe->fix;
    }
    tools.push_back(std::move(tool));
  }
  nlohmann::ordered_json able = nlohmann::ordered_json::array();
  for (const Ability& ability : abilities()) {
    able.push_back({{"name", ability.name}, {"usable", usable(rows, ability)}, {"needs", ability.needs}});
  }
  const nlohmann::ordered_json object = {{"schema", "ucutlass.doctor/1"},
                                         {"tools", std::move(tools)},
                                         {"abilities", std::move(able)},
                                         {"missing_required", missing}};
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// A name in --require that no probe has.
std::optional<Error> unknown_requirement(std::span<const std::string> required) {
  std::vector<std::string_view> names;
  for (const Probe& probe : probes()) names.push_back(probe.name);
  for (const std::string& name : required) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string_view near = nearest(name, names);
    return Error{fmt::format("--require knows no `{}`", name),
                 near.empty() ? fmt::format("it knows {}", fmt::join(names, ", "))
                              : fmt::format("did you mean `{}`?", near),
                 kUsage};
  }
  return std::nullopt;
}

int run_doctor(const Invocation& call) {
  const Context& context = call.context;
  bool json = false;
  std::vector<std::string> required;
  Options options(call);
  options.list("--require", required, "TOOL,...", "exit with 3 unless all of these are found");
  options.flag("--json", json, "one object, schema ucutlass.doctor/1");
  if (auto code = options.parse()) return *code;
  if (auto error = unknown_requirement(required)) return report(context, *error, json);

  std::vector<Row> rows;
  for (const Probe& probe : probes()) rows.push_back({&probe, probe.find(context)});
  const std::vector<std::string> missing = missing_of(rows, required);
  context.out << (json ? json_of(rows, missing) : text_of(rows, context.color_out));
  if (missing.empty()) return kDone;
  if (json) return kMissing;
  return report(context, Error{fmt::format("missing: {}", join(missing, ", ")),
                               "the lines above say how to get each", kMissing});
}

constexpr CommandSpec kRows[] = {{
    "doctor",
    CommandGroup::machine,
    "what is installed, what each missing thing costs, what is usable now",
    R"(
ucutlass doctor                          # a table
ucutlass doctor --require gpu,nvcc       # exit code 3 when one of them is missing
ucutlass doctor --json | jq .abilities)",
    run_doctor,
}};

}  // namespace

std::span<const CommandSpec> doctor_command_rows() { return kRows; }

}  // namespace uc::cli
