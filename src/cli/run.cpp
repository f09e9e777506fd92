#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <ostream>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/version.h"

namespace uc::cli {
namespace {

using Commands = std::span<const CommandSpec* const>;

struct Group {
  CommandGroup group;
  std::string_view title;
};
constexpr Group kGroups[] = {{CommandGroup::program, "programs"},
                             {CommandGroup::performance, "kernels and their limits"},
                             {CommandGroup::search, "optimizer"},
                             {CommandGroup::agents, "agents"},
                             {CommandGroup::machine, "this machine"}};

const CommandSpec* find(Commands commands, std::string_view name) {
  const auto found = std::ranges::find(commands, name, &CommandSpec::name);
  return found == commands.end() ? nullptr : *found;
}

std::string overview(Commands commands) {
  std::string text =
      "ucutlass: a compact language, speed-of-light bounds and an optimizer for CUTLASS-backed GPU "
      "kernels\n\n"
      "usage: ucutlass COMMAND [options]          ucutlass COMMAND --help opens with examples\n";
  for (const Group& group : kGroups) {
    std::string rows;
    for (const CommandSpec* command : commands) {
      if (command->group != group.group) continue;
      rows += fmt::format("  {:<12} {}\n", command->name, command->summary);
    }
    if (!rows.empty()) text += fmt::format("\n{}:\n{}", group.title, rows);
  }
  return text +
         "\nexit codes: 0 done, 1 findings, incorrect or failed, 2 usage, 3 missing tool or GPU, "
         "4 rejected by integrity, 130 interrupted and saved\n";
}

int unknown_command(const Context& context, Commands commands, const std::string& name) {
  std::vector<std::string_view> names;
  for (const CommandSpec* command : commands) names.push_back(command->name);
  const std::string_view near = nearest(name, names);
  const bool option = starts_with(name, "-");
  return report(context, Error{fmt::format("no {} `{}`", option ? "option" : "command", name),
                               near.empty() ? "`ucutlass --help` lists the commands"
                                            : fmt::format("did you mean `ucutlass {}`?", near),
                               kUsage});
}

int call(const Context& context, const CommandSpec& command, std::span<const std::string> args) {
  const std::string doing = fmt::format("`ucutlass {}`", command.name);
  try {
    return command.run(Invocation{context, command, args});
  } catch (const std::bad_alloc&) {
    return report(context, Error{doing + " ran out of memory", "free memory or give it a smaller problem"});
  } catch (const std::exception& error) {
    return report(context, Error{fmt::format("internal fault in {}: {}", doing, error.what()),
                                 "this is a bug in ucutlass; please report it with the command line"});
  }
}

int dispatch(const Context& context, Commands commands, std::span<const std::string> args) {
  if (args.empty() || args[0] == "--help" || args[0] == "-h") {
    context.out << overview(commands);
    return kDone;
  }
  if (args[0] == "--version" || args[0] == "-V") {
    context.out << "ucutlass " << kVersion << "\n";
    return kDone;
  }
  if (args[0] == "help") {
    if (args.size() == 1) return dispatch(context, commands, {});
    const CommandSpec* command = find(commands, args[1]);
    if (command == nullptr) return unknown_command(context, commands, args[1]);
    const std::string help[] = {"--help"};
    return call(context, *command, help);
  }
  const CommandSpec* command = find(commands, args[0]);
  if (command == nullptr) return unknown_command(context, commands, args[0]);
  return call(context, *command, args.subspan(1));
}

}  // namespace

int run(const Context& context, Commands commands, std::span<const std::string> args) {
  const int code = dispatch(context, commands, args);
  context.out.flush();
  if (context.out.good()) return code;
  return report(context, Error{"cannot write to standard output", "is the disk full, or the reader gone?"});
}

}  // namespace uc::cli
