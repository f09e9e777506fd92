// Bash without the bash-completion package: one function, and Readline's file names where it says nothing.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/completion/scripts.h"

namespace uc::cli {
namespace {

constexpr std::string_view kHead = R"(# bash completion of ucutlass, made by `ucutlass completion bash`
_ucutlass() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=
  COMPREPLY=()
  # --format=json comes as three words.
  if [ "$cur" = = ]; then
    cur=
  elif [ "$prev" = = ]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

constexpr std::string_view kTail = R"(  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _ucutlass ucutlass
)";

std::string command_case(const Completed& command) {
  std::string values;
  std::string names;
  std::string words;
  for (const OptionHelp& option : command.options) {
    if (option.positional()) {
      if (words.empty()) words = plain_words(option.choices);
      continue;
    }
    const std::vector<std::string> spelled = spellings(option);
    names += join(spelled, " ") + " ";
    if (option.placeholder.empty()) continue;
    values +=
        fmt::format("        {}:*) words='{}' ;;\n", join(spelled, ":* | "), plain_words(option.choices));
  }
  return fmt::format(
      "    {})\n      case $prev:$cur in\n{}        *:-*) words='{}--help' ;;\n        *) words='{}' ;;\n"
      "      esac\n      ;;\n",
      command.name, values, names, words);
}

}  // namespace

std::string bash_script(std::span<const Completed> commands) {
  std::string names;
  std::string cases;
  for (const Completed& command : commands) {
    names += fmt::format("{} ", command.name);
    cases += command_case(command);
  }
  return fmt::format(
      "{}  case $COMP_CWORD:${{COMP_WORDS[1]}} in\n    1:*) words='{}help --help --version' ;;\n"
      "    2:help) words='{}' ;;\n  esac\n  [ \"$COMP_CWORD\" -eq 1 ] || case ${{COMP_WORDS[1]}} in\n{}  "
      "esac\n{}",
      kHead, names, trim(names), cases, kTail);
}

}  // namespace uc::cli
