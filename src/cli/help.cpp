#include "cli/help.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/output.h"

namespace uc::cli {
namespace {

constexpr size_t kWidth = 100;

std::string left_column(const OptionHelp& option) {
  std::string text = replace_all(option.names, ",", ", ");
  if (!option.placeholder.empty()) text += " " + option.placeholder;
  if (option.positional() && option.repeats) return text + " ...";
  if (option.repeats && !option.placeholder.ends_with("...")) text += "[,...]";
  return text;
}

/// Words of `text` in lines that fit behind `indent` columns.
std::string wrapped(std::string_view text, size_t indent) {
  std::string out;
  size_t column = indent;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    if (column > indent && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

std::string usage_line(const CommandSpec& command, std::span<const OptionHelp> options) {
  std::string line = fmt::format("usage: ucutlass {}", command.name);
  for (const OptionHelp& option : options) {
    if (!option.positional()) continue;
    const std::string text = left_column(option);
    line += option.required ? " " + text : fmt::format(" [{}]", text);
  }
  return line + " [options]\n";
}

std::string option_rows(std::span<const OptionHelp> options) {
  size_t width = std::string_view("-h, --help").size();
  for (const OptionHelp& option : options) width = std::max(width, left_column(option).size());
  width = std::min<size_t>(width, 34);
  std::string text;
  const auto row = [&](const std::string& left, const std::string& help) {
    text += fmt::format("  {:<{}}", left, width);
    text += left.size() > width ? "\n" + std::string(width + 4, ' ') : std::string("  ");
    text += wrapped(help, width + 4);
  };
  for (const OptionHelp& option : options) {
    std::string help = option.help;
    if (!option.default_value.empty()) help += fmt::format(" [{}]", option.default_value);
    if (!option.variable.empty()) help += fmt::format(" (${})", option.variable);
    row(left_column(option), help);
  }
  row("-h, --help", "this text");
  return text;
}

}  // namespace

std::vector<OptionHelp> options_of(const Context& context, const CommandSpec& command) {
  std::vector<OptionHelp> out;
  command.run(Invocation{context, command, {}, &out});
  return out;
}

std::string command_help(const CommandSpec& command, std::span<const OptionHelp> options, bool color) {
  std::string text = styled(color, "1", "examples:") + "\n";
  for (const std::string_view line : split(trim(command.examples), '\n')) text += fmt::format("  {}\n", line);
  text += fmt::format("\nucutlass {}: {}\n\n", command.name, command.summary);
  text += usage_line(command, options);
  return text + "\n" + option_rows(options);
}

}  // namespace uc::cli
