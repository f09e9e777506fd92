#pragma once
// Why: what somebody says in every command goes into one file; the environment counts more than it, and the
// command line more than both.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace uc::cli {

/// `{"device": "model:h200", "optimize": {"attempts": 20}}`: names of options without their dashes, for every
/// command that has them, or for one.
struct ConfigFile {
  using Values = std::map<std::string, std::string>;  ///< option to the text that a variable would hold
  std::string path;                                   ///< empty: no place for one is known
  bool exists = false;
  Values all;
  std::map<std::string, Values> of_command;

  /// "--max-tokens" of a command: its own part counts more.
  std::optional<std::string> find(std::string_view command, const std::string& option) const;
};

/// $UCUTLASS_CONFIG, else ucutlass/config.json in $XDG_CONFIG_HOME, else in $HOME/.config; empty where none
/// of them is set.
std::string config_path(const Environment& environment);

/// Errors (exit code 2): named by the variable and not there, unreadable, no JSON, a name that no command and
/// no option can have, a value that is no text, number, boolean or list of texts, a name twice.
Result<ConfigFile> read_config(const Context& context);

/// `value` as it may be shown: what can hold a secret does not show it.
std::string shown_value(std::string_view option, const std::string& value);

}  // namespace uc::cli
