// What options there are: each declaration says how a given text becomes a value.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/options_impl.h"

namespace uc::cli {
namespace {

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

Declared& Options::Impl::declare(std::string_view names, std::string_view placeholder, std::string_view help,
                                 Store store, From from) {
  auto& declared = declared_options.emplace_back(std::make_unique<Declared>());
  declared->help = {std::string(names), std::string(placeholder), std::string(help), {}, {}};
  declared->store = std::move(store);
  if (starts_with(names, "-") && from == From::anywhere) declared->variable = variable_of(names);
  declared->help.variable = declared->variable;
  return *declared;
}

void Options::flag(std::string_view names, bool& target, std::string_view help, From from) {
  Declared& declared = impl_->declare(
      names, "", help, [&target](const std::string& text) { return read_flag(text, target); }, from);
  declared.is_flag = true;
  declared.help.type = "boolean";
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
  declared.help.type = "integer";
}

void Options::value(std::string_view names, double& target, std::string_view placeholder,
                    std::string_view help, double low, double high) {
  Declared& declared = impl_->declare(names, placeholder, help, [=, &target](const std::string& text) {
    double number = 0;
    std::string wrong = read_number(text, number, "a number");
    if (wrong.empty() && !std::isfinite(number)) wrong = fmt::format("needs a finite number, not `{}`", text);
    if (wrong.empty() && (number < low || number > high))
      wrong = fmt::format("needs a number from {:g} to {:g}, not {}", low, high, text);
    if (wrong.empty()) target = number;
    return wrong;
  });
  declared.help.default_value = fmt::format("{}", target);
  declared.help.type = "number";
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

void Options::suggest(std::vector<std::string> words) {
  if (!impl_->declared_options.empty()) impl_->declared_options.back()->help.choices = std::move(words);
}

void device_option(Options& options, const Catalog& catalog, std::string& target, std::string_view help) {
  std::vector<std::string> names;
  for (const DeviceSpec* row : catalog.devices()) {
    if (catalog.emits_for(*row)) names.emplace_back(row->name);
  }
  options.choice("--device", target, std::move(names), help, Options::From::command_line);
}

}  // namespace uc::cli
