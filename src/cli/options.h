#pragma once
// Why: commands declare their options in one way: help that opens with examples, UCUTLASS_<FLAG> variables,
// errors that name the nearest option. The option library stays inside options.cpp.
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace uc::cli {

/// Declare with flag/value/..., then parse. Names: "--json" or "-o,--out". Targets keep their value when
/// the option is not given; what they hold then is the default that help shows. An option that is not on
/// the command line is looked up as UCUTLASS_<NAME> (upper case, '-' becomes '_').
class Options {
 public:
  /// Where an option may be given. What picks a different job of one command, or is spelled differently by
  /// another command, has no variable: set for one command, it would change or break the others.
  enum class From { anywhere, command_line };

  explicit Options(const Invocation& invocation);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  void flag(std::string_view names, bool& target, std::string_view help, From from = From::anywhere);
  void value(std::string_view names, std::string& target, std::string_view placeholder, std::string_view help,
             From from = From::anywhere);
  void value(std::string_view names, std::optional<std::string>& target, std::string_view placeholder,
             std::string_view help);
  /// A whole number in [low, high].
  void value(std::string_view names, int64_t& target, std::string_view placeholder, std::string_view help,
             int64_t low = 0, int64_t high = INT64_MAX);
  /// A finite number in [low, high].
  void value(std::string_view names, double& target, std::string_view placeholder, std::string_view help,
             double low = std::numeric_limits<double>::lowest(),
             double high = std::numeric_limits<double>::max());
  /// One of `choices`; a wrong one gets the nearest.
  void choice(std::string_view names, std::string& target, std::vector<std::string> choices,
              std::string_view help, From from = From::anywhere);
  /// May be repeated, and takes several separated by commas.
  void list(std::string_view names, std::vector<std::string>& target, std::string_view placeholder,
            std::string_view help, From from = From::anywhere);
  void positional(std::string_view placeholder, std::string& target, std::string_view help,
                  bool required = true);
  /// All the rest; at least `least`.
  void positionals(std::string_view placeholder, std::vector<std::string>& target, std::string_view help,
                   size_t least = 1);

  /// What shell completion offers for the option or positional declared last. `choice` needs none.
  void suggest(std::vector<std::string> words);

  /// Nothing: go on. Otherwise the exit code to return: help was asked for and shown, or the command line
  /// is wrong and that was said.
  std::optional<int> parse();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// --device of what makes kernels: one of the catalog's devices that some back end emits for. `optimize`
/// names places to run by the same word, so it has no variable.
void device_option(Options& options, const Catalog& catalog, std::string& target, std::string_view help);

}  // namespace uc::cli
