// Fish: one `complete` line for each command, option and positional with known words.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/completion/scripts.h"

namespace uc::cli {
namespace {

constexpr std::string_view kHead = R"(# fish completion of ucutlass, made by `ucutlass completion fish`
function __ucutlass_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end
function __ucutlass_first
    test (count (commandline -opc)) -eq 1
end
)";

std::string quoted(std::string_view text) {
  return "'" + replace_all(replace_all(std::string(text), "\\", "\\\\"), "'", "\\'") + "'";
}

std::string option_line(std::string_view command, const OptionHelp& option) {
  std::string out = fmt::format("complete -c ucutlass -n '__ucutlass_command {}'", command);
  if (option.positional()) return fmt::format("{} -f -a '{}'\n", out, plain_words(option.choices));
  for (const std::string& name : spellings(option)) {
    if (name.starts_with("--")) {
      out += fmt::format(" -l {}", std::string_view(name).substr(2));
    } else {
      out += fmt::format(" -s {}", std::string_view(name).substr(1));
    }
  }
  if (!option.placeholder.empty()) {
    const std::string words = plain_words(option.choices);
    out += words.empty() ? (takes_path(option) ? " -r -F" : " -x") : fmt::format(" -x -a '{}'", words);
  }
  return out + " -d " + quoted(option.help) + "\n";
}

}  // namespace

std::string fish_script(std::span<const Completed> commands) {
  std::string out(kHead);
  std::string names;
  for (const Completed& command : commands) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
    out += fmt::format("complete -c ucutlass -n __ucutlass_first -f -a {} -d {}\n", command.name,
                       quoted(command.summary));
    out +=
        fmt::format("complete -c ucutlass -n '__ucutlass_command {}' -s h -l help -d 'help with examples'\n",
                    command.name);
    for (const OptionHelp& option : command.options) {
      if (!option.positional() || !plain_words(option.choices).empty())
        out += option_line(command.name, option);
    }
  }
  return out + fmt::format("complete -c ucutlass -n '__ucutlass_command help' -f -a '{}'\n", names);
}

}  // namespace uc::cli
