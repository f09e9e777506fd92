#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "base/text.h"
#include "cli/options_impl.h"
#include "cli/output.h"
#include "platform/environment.h"

namespace uc::cli {

std::string long_name(std::string_view names) {
  const std::vector<std::string_view> parts = split(names, ',');
  return std::string(trim(parts.back()));
}

std::string Options::Impl::usage_help() const {
  return fmt::format("`ucutlass {} --help` shows examples and options", invocation.command.name);
}

int Options::Impl::usage_error(const std::string& message, std::string help) const {
  if (help.empty()) help = usage_help();
  return report(invocation.context, Error{message, std::move(help), kUsage}, json());
}

bool Options::Impl::json() const {
  const auto& args = invocation.args;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool apart = args[i] == "--format" && i + 1 < args.size();
    const std::string_view format = apart                               ? std::string_view(args[i + 1])
                                    : starts_with(args[i], "--format=") ? std::string_view(args[i]).substr(9)
                                                                        : std::string_view();
    if (args[i] == "--json" || format == "json" || format == "sarif") return true;
  }
  return false;
}

Options::Options(const Invocation& invocation) : impl_(std::make_unique<Impl>(invocation)) {}
Options::~Options() = default;

std::optional<int> Options::Impl::unknown(const std::string& extra) const {
  if (!starts_with(extra, "-") || extra == "-")
    return usage_error(fmt::format("`{}` is one argument too many", extra));
  std::vector<std::string> long_names = {"--help"};
  for (const auto& declared : declared_options) {
    if (!declared->positional()) long_names.push_back(long_name(declared->help.names));
  }
  const std::string name = extra.substr(0, extra.find('='));
  const std::string_view near =
      nearest(name, std::vector<std::string_view>(long_names.begin(), long_names.end()));
  return usage_error(fmt::format("`ucutlass {}` has no option `{}`", invocation.command.name, name),
                     near.empty() ? std::string() : fmt::format("did you mean `{}`?", near));
}

/// `--clock -1` as `--clock=-1`: a number below zero is a value, not an option.
std::vector<std::string> Options::Impl::joined_numbers() const {
  const auto takes_value = [this](const std::string& word) {
    return std::ranges::any_of(declared_options, [&](const auto& declared) {
      return !declared->positional() && !declared->is_flag && long_name(declared->help.names) == word;
    });
  };
  std::vector<std::string> out;
  for (const std::string& word : invocation.args) {
    const bool below =
        word.size() > 1 && word[0] == '-' && (word[1] == '.' || (word[1] >= '0' && word[1] <= '9'));
    if (below && !out.empty() && takes_value(out.back())) {
      out.back() += "=" + word;
    } else {
      out.push_back(word);
    }
  }
  return out;
}

/// Splits the command line with CLI11; values are read later, by apply.
std::optional<int> Options::Impl::tokenize() {
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  bool help = false;
  app.add_flag("-h,--help", help);
  for (const auto& declared : declared_options) {
    if (declared->is_flag) {
      app.add_flag(declared->help.names, declared->count);
      continue;
    }
    CLI::Option* option = app.add_option(declared->help.names, declared->given);
    if (declared->positional() && declared->is_list) continue;
    option->expected(1);
    option->allow_extra_args(false);
    option->multi_option_policy(declared->is_list ? CLI::MultiOptionPolicy::TakeAll
                                                  : CLI::MultiOptionPolicy::TakeLast);
  }
  const std::vector<std::string> words = joined_numbers();
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  std::string wrong;
  try {
    app.parse(reversed);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--name: 1 required TEXT missing"
    wrong = text.substr(0, text.find(':')) + " needs a value";
  } catch (const CLI::ParseError& error) {
    wrong = error.what();
  }
  if (help) {
    invocation.context.out << show_help();
    return kDone;
  }
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty()) return unknown(extras.front());
  if (!wrong.empty()) return usage_error(wrong);
  return std::nullopt;
}

Result<ConfigFile> Options::Impl::config() const {
  auto file = read_config(invocation.context);
  if (!file) return file;
  const auto part = file->of_command.find(std::string(invocation.command.name));
  if (part == file->of_command.end()) return file;
  std::vector<std::string> names;
  for (const auto& declared : declared_options) {
    if (!declared->variable.empty()) names.push_back(long_name(declared->help.names).substr(2));
  }
  for (const auto& [key, value] : part->second) {
    if (std::ranges::find(names, key) != names.end()) continue;
    const std::string_view near = nearest(key, std::vector<std::string_view>(names.begin(), names.end()));
    return fail(
        fmt::format("{}: `{}` has no option `{}` that a file sets", file->path, invocation.command.name,
                    printable(key)),
        near.empty() ? "`ucutlass config` shows what counts" : fmt::format("did you mean `{}`?", near),
        kUsage);
  }
  return file;
}

/// What was given, or the variable, or the file, goes to the target.
std::optional<int> Options::Impl::apply(Declared& declared, const ConfigFile& file) const {
  if (declared.is_flag && declared.count > 0) declared.given.emplace_back("1");
  std::string name = declared.positional() ? declared.help.names : long_name(declared.help.names);
  if (declared.given.empty() && !declared.variable.empty()) {
    if (auto value = invocation.context.environment.get(declared.variable)) {
      declared.given.push_back(*value);
      name = declared.variable;
    } else if (auto written = file.find(invocation.command.name, name)) {
      declared.given.push_back(*written);
      name = file.path + ": " + name.substr(2);
    }
  }
  if (declared.given.size() < declared.least) return usage_error(fmt::format("{} is missing", name));
  const bool said = name == long_name(declared.help.names) || declared.positional();
  for (const std::string& text : declared.given) {
    const bool empty = text.empty() && said && !declared.is_flag;
    const std::string wrong = empty ? "needs a value, and an empty one was given" : declared.store(text);
    if (!wrong.empty()) return usage_error(fmt::format("{} {}", name, wrong));
  }
  return std::nullopt;
}

std::vector<OptionHelp> Options::Impl::rows() const {
  std::vector<OptionHelp> rows;
  for (const auto& declared : declared_options) {
    rows.push_back(declared->help);
    rows.back().repeats = declared->is_list;
    rows.back().required = declared->least > 0;
  }
  return rows;
}

std::string Options::Impl::show_help() const {
  return command_help(invocation.command, rows(), invocation.context.color_out);
}

std::optional<int> Options::parse() {
  if (impl_->invocation.describe != nullptr) {
    *impl_->invocation.describe = impl_->rows();
    return kDone;
  }
  if (auto code = impl_->tokenize()) return code;
  const auto file = impl_->config();
  if (!file) return report(impl_->invocation.context, file.error(), impl_->json());
  for (const auto& declared : impl_->declared_options) {
    if (auto code = impl_->apply(*declared, *file)) return code;
  }
  return std::nullopt;
}

}  // namespace uc::cli
