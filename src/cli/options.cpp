#include "cli/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <ostream>

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/help.h"
#include "cli/output.h"
#include "platform/environment.h"

namespace uc::cli {
namespace {

/// Stores one given text in the target; an empty answer means that it fits, else what is wrong with it.
using Store = std::function<std::string(const std::string& text)>;

struct Declared {
  OptionHelp help;
  std::string variable;  ///< UCUTLASS_<NAME>; empty where none is looked up
  bool is_flag = false;
  bool is_list = false;
  size_t least = 0;
  bool positional() const { return !starts_with(help.names, "-"); }
  Store store;
  std::vector<std::string> given;
  int64_t count = 0;
};

std::string long_name(std::string_view names) {
  const std::vector<std::string_view> parts = split(names, ',');
  return std::string(trim(parts.back()));
}

std::string variable_of(std::string_view names) {
  std::string name = "UCUTLASS_" + long_name(names).substr(2);
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

template <class Number>
std::string read_number(const std::string& text, Number& number, std::string_view kind) {
  Number read{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, read);
  if (error != std::errc{} || stop != end) return fmt::format("needs {}, not `{}`", kind, text);
  number = read;
  return {};
}

std::string read_flag(const std::string& text, bool& target) {
  constexpr std::string_view yes[] = {"1", "true", "yes", "on"};
  constexpr std::string_view no[] = {"", "0", "false", "no", "off"};
  const bool is_yes = std::ranges::find(yes, text) != std::end(yes);
  if (!is_yes && std::ranges::find(no, text) == std::end(no)) {
    return fmt::format("needs 1 or 0, not `{}`", text);
  }
  target = is_yes;
  return {};
}

}  // namespace

struct Options::Impl {
  explicit Impl(const Invocation& call) : invocation(call) {}

  Declared& declare(std::string_view names, std::string_view placeholder, std::string_view help, Store store,
                    From from = From::anywhere) {
    auto& declared = declared_options.emplace_back(std::make_unique<Declared>());
    declared->help = {std::string(names), std::string(placeholder), std::string(help), {}, {}};
    declared->store = std::move(store);
    if (starts_with(names, "-") && from == From::anywhere) declared->variable = variable_of(names);
    declared->help.variable = declared->variable;
    return *declared;
  }

  std::string usage_help() const {
    return fmt::format("`ucutlass {} --help` shows examples and options", invocation.command.name);
  }
  int usage_error(const std::string& message, std::string help = {}) const {
    if (help.empty()) help = usage_help();
    return report(invocation.context, Error{message, std::move(help), kUsage}, json());
  }
  bool json() const { return std::ranges::find(invocation.args, "--json") != invocation.args.end(); }

  std::optional<int> tokenize();
  std::optional<int> unknown(const std::string& extra) const;
  std::optional<int> apply(Declared& declared) const;
  std::vector<OptionHelp> rows() const;
  std::string show_help() const;

  const Invocation& invocation;
  std::vector<std::unique_ptr<Declared>> declared_options;
};

Options::Options(const Invocation& invocation) : impl_(std::make_unique<Impl>(invocation)) {}
Options::~Options() = default;

void Options::flag(std::string_view names, bool& target, std::string_view help, From from) {
  impl_->declare(
           names, "", help, [&target](const std::string& text) { return read_flag(text, target); }, from)
      .is_flag = true;
}

void Options::value(std::string_view names, std::string& target, std::string_view placeholder,
                    std::string_view help, From from) {
  const auto store = [&target](const std::string& text) {
    target = text;
    return std::string();
  };
  Declared& declared = impl_->declare(names, placeholder, help, store, from);
  declared.help.default_value = target;
}

void Options::value(std::string_view names, std::optional<std::string>& target, std::string_view placeholder,
                    std::string_view help) {
  impl_->declare(names, placeholder, help, [&target](const std::string& text) {
    target = text;
    return std::string();
  });
}

void Options::value(std::string_view names, int64_t& target, std::string_view placeholder,
                    std::string_view help, int64_t low, int64_t high) {
  Declared& declared = impl_->declare(names, placeholder, help, [=, &target](const std::string& text) {
    int64_t number = 0;
    std::string wrong = read_number(text, number, "a whole number");
    if (wrong.empty() && (number < low || number > high)) {
      wrong = high == INT64_MAX ? fmt::format("needs at least {}, not {}", low, number)
                                : fmt::format("needs a number from {} to {}, not {}", low, high, number);
    }
    if (wrong.empty()) target = number;
    return wrong;
  });
  declared.help.default_value = std::to_string(target);
}

void Options::value(std::string_view names, double& target, std::string_view placeholder,
                    std::string_view help) {
  Declared& declared = impl_->declare(names, placeholder, help, [&target](const std::string& text) {
    double number = 0;
    std::string wrong = read_number(text, number, "a number");
    if (wrong.empty() && !std::isfinite(number)) wrong = fmt::format("needs a finite number, not `{}`", text);
    if (wrong.empty()) target = number;
    return wrong;
  });
  declared.help.default_value = fmt::format("{}", target);
}

void Options::choice(std::string_view names, std::string& target, std::vector<std::string> choices,
                     std::string_view help, From from) {
  const std::string all = join(choices, "|");
  const auto store = [=, &target](const std::string& text) {
    if (std::ranges::find(choices, text) == choices.end()) {
      const std::vector<std::string_view> names_of(choices.begin(), choices.end());
      const std::string_view near = nearest(text, names_of);
      return near.empty() ? fmt::format("is one of {}, not `{}`", all, text)
                          : fmt::format("has no choice `{}`, did you mean `{}`?", text, near);
    }
    target = text;
    return std::string();
  };
  Declared& declared = impl_->declare(names, all, help, store, from);
  declared.help.default_value = target;
  declared.help.choices = std::move(choices);
}

void Options::list(std::string_view names, std::vector<std::string>& target, std::string_view placeholder,
                   std::string_view help, From from) {
  const auto store = [&target](const std::string& text) {
    for (const std::string_view part : split(text, ',')) {
      if (!trim(part).empty()) target.emplace_back(trim(part));
    }
    return std::string();
  };
  Declared& declared = impl_->declare(names, placeholder, help, store, from);
  declared.is_list = true;
}

void Options::positional(std::string_view placeholder, std::string& target, std::string_view help,
                         bool required) {
  Declared& declared = impl_->declare(placeholder, "", help, [&target](const std::string& text) {
    target = text;
    return std::string();
  });
  declared.least = required ? 1 : 0;
}

void Options::positionals(std::string_view placeholder, std::vector<std::string>& target,
                          std::string_view help, size_t least) {
  Declared& declared = impl_->declare(placeholder, "", help, [&target](const std::string& text) {
    target.push_back(text);
    return std::string();
  });
  declared.least = least;
  declared.is_list = true;
}

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
  std::vector<std::string> reversed(invocation.args.rbegin(), invocation.args.rend());
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

/// What was given, or the variable, goes to the target.
std::optional<int> Options::Impl::apply(Declared& declared) const {
  if (declared.is_flag && declared.count > 0) declared.given.emplace_back("1");
  std::string name = declared.positional() ? declared.help.names : long_name(declared.help.names);
  if (declared.given.empty() && !declared.variable.empty()) {
    if (auto value = invocation.context.environment.get(declared.variable)) {
      declared.given.push_back(*value);
      name = declared.variable;
    }
  }
  if (declared.given.size() < declared.least) return usage_error(fmt::format("{} is missing", name));
  for (const std::string& text : declared.given) {
    const std::string wrong = declared.store(text);
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

void Options::suggest(std::vector<std::string> words) {
  if (!impl_->declared_options.empty()) impl_->declared_options.back()->help.choices = std::move(words);
}

std::optional<int> Options::parse() {
  if (impl_->invocation.describe != nullptr) {
    *impl_->invocation.describe = impl_->rows();
    return kDone;
  }
  if (auto code = impl_->tokenize()) return code;
  for (const auto& declared : impl_->declared_options) {
    if (auto code = impl_->apply(*declared)) return code;
  }
  return std::nullopt;
}

void device_option(Options& options, const Catalog& catalog, std::string& target, std::string_view help) {
  std::vector<std::string> names;
  for (const DeviceSpec* row : catalog.devices()) {
    if (catalog.emits_for(*row)) names.emplace_back(row->name);
  }
  options.choice("--device", target, std::move(names), help, Options::From::command_line);
}

}  // namespace uc::cli
