// Zsh: each command's options as _arguments takes them, with what they are for.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/completion/scripts.h"

namespace uc::cli {
namespace {

/// Text within an _arguments specification that stands in single quotes.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string action(const OptionHelp& option) {
  const std::string words = plain_words(option.choices);
  if (!words.empty()) return fmt::format("({})", words);
  return takes_path(option) ? "_files" : " ";
}

std::string positional_spec(const OptionHelp& option, int place) {
  const std::string_view colons = option.required ? ":" : "::";
  const std::string which = option.repeats ? "*" : std::to_string(place);
  return fmt::format("'{}{}{}:{}'", which, option.repeats ? ":" : colons, quoted(option.names),
                     action(option));
}

std::string option_spec(const OptionHelp& option) {
  const auto names = spellings(option);
  const std::string value =
      option.placeholder.empty() ? "" : fmt::format(":{}:{}", quoted(option.placeholder), action(option));
  std::string out;
  for (const std::string& name : names) {
    const std::string_view equals = option.placeholder.empty() || !name.starts_with("--") ? "" : "=";
    const std::string excludes =
        option.repeats ? "*" : (names.size() > 1 ? fmt::format("({})", join(names, " ")) : "");
    out += fmt::format(" \\\n        '{}{}{}[{}]{}'", excludes, name, equals, quoted(option.help), value);
  }
  return out;
}

}  // namespace

std::string zsh_script(std::span<const Completed> commands) {
  std::string out =
      "#compdef ucutlass\n# zsh completion of ucutlass, made by `ucutlass completion zsh`\n_ucutlass() {\n"
      "  local -a commands=(\n";
  for (const Completed& command : commands)
    out += fmt::format("    '{}:{}'\n", command.name, quoted(command.summary));
  out +=
      "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const Completed& command : commands) {
    out += fmt::format("    {})\n      _arguments '(- *)'{{-h,--help}}'[help with examples]'", command.name);
    int place = 0;
    for (const OptionHelp& option : command.options)
      out += option.positional() ? " \\\n        " + positional_spec(option, ++place) : option_spec(option);
    out += "\n      ;;\n";
  }
  return out +
         "    help) _describe command commands ;;\n  esac\n}\n"
         "# Found by name it is called; read by `source` it registers itself.\n"
         "if [ \"$funcstack[1]\" = _ucutlass ]; then\n  _ucutlass \"$@\"\nelse\n  compdef _ucutlass "
         "ucutlass\nfi\n";
}

}  // namespace uc::cli
