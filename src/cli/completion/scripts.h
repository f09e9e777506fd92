#pragma once
// Why: shells complete what the command rows and the catalog say, so that no list of it is kept twice.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help.h"

namespace uc::cli {

/// A command as shells complete it.
struct Completed {
  std::string_view name;
  std::string_view summary;
  std::vector<OptionHelp> options;  ///< its positionals too
};

/// A shell that `ucutlass completion` knows.
struct ShellSpec {
  std::string_view name;
  std::string_view use;  ///< how it is put to use, one line
  std::string (*script)(std::span<const Completed>);
};
std::span<const ShellSpec> shells();

std::string bash_script(std::span<const Completed> commands);
std::string zsh_script(std::span<const Completed> commands);
std::string fish_script(std::span<const Completed> commands);

/// "-o,--out" as {"-o", "--out"}.
std::vector<std::string> spellings(const OptionHelp& option);
/// The choices that need no quoting in any shell, separated by blanks.
std::string plain_words(std::span<const std::string> words);
/// Whether a value without choices is the name of a file or folder, by its placeholder.
bool takes_path(const OptionHelp& option);

}  // namespace uc::cli
