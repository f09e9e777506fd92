#pragma once
// Why: the help of every command has one form: examples, what it does, usage, options.
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"

namespace uc::cli {

/// One option or positional as help shows it.
struct OptionHelp {
  std::string names;        ///< "-o,--out", or "FILE" for a positional
  std::string placeholder;  ///< of the value; empty for flags and positionals
  std::string help;
  std::string default_value;  ///< shown when not empty
  std::string variable;       ///< UCUTLASS_<NAME>; empty where none is looked up
  bool repeats = false;
  bool required = false;
  std::string type = "string";            ///< of JSON: string, integer, number, boolean
  std::vector<std::string> choices = {};  ///< what it may be, for completion; empty: a file, or anything
  bool positional() const { return !names.starts_with('-'); }
};

/// The options and positionals that a command declares.
std::vector<OptionHelp> options_of(const Context& context, const CommandSpec& command);

std::string command_help(const CommandSpec& command, std::span<const OptionHelp> options, bool color);

}  // namespace uc::cli
