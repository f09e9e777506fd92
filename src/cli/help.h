#pragma once
// Why: the help of every command has one form: examples, what it does, usage, options.
#include <span>
#include <string>

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
};

std::string command_help(const CommandSpec& command, std::span<const OptionHelp> options, bool color);

}  // namespace uc::cli
