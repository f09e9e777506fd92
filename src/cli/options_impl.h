#pragma once
// Why: what an option is declared as, and how the command line is read, are two files over one state.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/config/file.h"
#include "cli/help.h"
#include "cli/options.h"

namespace uc::cli {

/// Stores one given text in the target; an empty answer means that it fits, else what is wrong with it.
using Store = std::function<std::string(const std::string& text)>;

struct Declared {
  OptionHelp help;
  std::string variable;  ///< UCUTLASS_<NAME>; empty where none is looked up
  bool is_flag = false;
  bool is_list = false;
  size_t least = 0;
  bool positional() const { return help.positional(); }
  Store store;
  std::vector<std::string> given;
  int64_t count = 0;
};

/// "--out" of "-o,--out".
std::string long_name(std::string_view names);

struct Options::Impl {
  explicit Impl(const Invocation& call) : invocation(call) {}

  Declared& declare(std::string_view names, std::string_view placeholder, std::string_view help, Store store,
                    From from = From::anywhere);
  std::string usage_help() const;
  int usage_error(const std::string& message, std::string help = {}) const;
  /// Whether errors go to a reader of JSON: `--json`, `--format json`, `--format sarif`.
  bool json() const;

  std::vector<std::string> joined_numbers() const;
  std::optional<int> tokenize();
  std::optional<int> unknown(const std::string& extra) const;
  std::optional<int> apply(Declared& declared, const ConfigFile& file) const;
  /// The file that stands behind the environment. Its part for this command is checked.
  Result<ConfigFile> config() const;
  std::vector<OptionHelp> rows() const;
  std::string show_help() const;

  const Invocation& invocation;
  std::vector<std::unique_ptr<Declared>> declared_options;
};

}  // namespace uc::cli
