// `ucutlass completion`: what a shell needs to complete commands, options, and names of the catalog.
#include <ostream>

#include "cli/completion/scripts.h"
#include "cli/options.h"
#include "cli/output.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass completion bash > ~/.local/share/bash-completion/completions/ucutlass\n"
    "source <(ucutlass completion bash)        # in ~/.bashrc, without bash-completion\n"
    "source <(ucutlass completion zsh)         # in ~/.zshrc, after compinit\n"
    "ucutlass completion fish | source         # in ~/.config/fish/config.fish\n";

int run_completion(const Invocation& invocation) {
  std::string shell;
  std::vector<std::string> names;
  for (const ShellSpec& row : shells()) names.emplace_back(row.name);
  Options options(invocation);
  options.positional("SHELL", shell, "bash, zsh or fish");
  options.suggest(names);
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  for (const ShellSpec& row : shells()) {
    if (row.name != shell) continue;
    std::vector<Completed> commands;
    for (const CommandSpec* command : builtin_commands())
      commands.push_back({command->name, command->summary, options_of(context, *command)});
    context.out << row.script(commands);
    return kDone;
  }
  return report(context, Error{"no completion for the shell `" + shell + "`", "bash, zsh or fish", kUsage});
}

constexpr CommandSpec kRows[] = {{"completion", CommandGroup::machine,
                                  "print the script that completes commands in a shell", kExamples,
                                  run_completion}};

}  // namespace

std::span<const CommandSpec> completion_command_rows() { return kRows; }

}  // namespace uc::cli
