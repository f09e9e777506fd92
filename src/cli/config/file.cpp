#include "cli/config/file.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "store/json_keys.h"

namespace uc::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kHelp =
    R"(it is JSON: {"device": "model:h200", "optimize": {"attempts": 20}}; `ucutlass config` shows what counts)";

// What a variable of the environment would say; nothing: no value of an option.
std::optional<std::string> text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number()) return value.dump();
  if (!value.is_array() || !std::ranges::all_of(value, [](const json& each) { return each.is_string(); }))
    return std::nullopt;
  return join(value.get<std::vector<std::string>>(), ",");
}

class Reader {
 public:
  explicit Reader(ConfigFile& out) : out_(out) {}

  Result<> read(const std::string& text) {
    const json all = json::parse(text, nullptr, false);
    if (!all.is_object()) return wrong("is no JSON object");
    if (const auto key = repeated_key(text)) return wrong(fmt::format("names `{}` twice", printable(*key)));
    for (const auto& [key, value] : all.items()) {
      if (key == "schema" && value == "ucutlass.config/1") continue;
      Result<> taken = value.is_object() ? section(key, value) : take(out_.all, key, value);
      if (!taken) return taken;
    }
    return {};
  }

 private:
  tl::unexpected<Error> wrong(const std::string& what) const {
    return fail(fmt::format("{} {}", out_.path, what), std::string(kHelp), 2);
  }

  Result<> section(const std::string& command, const json& values) {
    ConfigFile::Values& to = out_.of_command[command];
    for (const auto& [key, value] : values.items()) {
      if (auto taken = take(to, key, value); !taken) return taken;
    }
    return {};
  }

  Result<> take(ConfigFile::Values& to, const std::string& key, const json& value) {
    if (key.empty() || key.starts_with('-'))
      return wrong(fmt::format("names `{}`: options stand there without dashes", printable(key)));
    const auto text = text_of(value);
    if (!text)
      return wrong(fmt::format("gives `{}` no text, number, boolean or list of texts", printable(key)));
    to[key] = *text;
    return {};
  }

  ConfigFile& out_;
};

bool secret_name(std::string_view option) {
  if (option.ends_with("key-env") || option.ends_with("max-tokens")) return false;
  return std::ranges::any_of(
      std::array<std::string_view, 5>{"key", "token", "secret", "password", "credential"},
      [&](std::string_view word) { return option.find(word) != std::string_view::npos; });
}

// The name of a variable, not what it holds.
bool variable_name(std::string_view text) {
  const auto fine = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c >= 'a' && c <= 'z');
  };
  return !text.empty() && text.size() <= 64 && !(text[0] >= '0' && text[0] <= '9') &&
         std::ranges::all_of(text, fine);
}

// https://user:secret@host/path?key=secret without what is secret.
std::string without_login(std::string url) {
  const size_t host = url.find("://");
  if (host == std::string::npos) return url;
  if (const size_t query = url.find_first_of("?#", host + 3); query != std::string::npos)
    url = url.substr(0, query + 1) + "(hidden)";
  const size_t end = std::min(url.find('/', host + 3), url.size());
  const size_t at = url.substr(0, end).rfind('@');
  return at == std::string::npos ? url : url.substr(0, host + 3) + "(hidden)" + url.substr(at);
}

}  // namespace

std::optional<std::string> ConfigFile::find(std::string_view command, const std::string& option) const {
  const std::string name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  const auto part = of_command.find(std::string(command));
  for (const Values* values : {part == of_command.end() ? nullptr : &part->second, &all}) {
    if (values == nullptr) continue;
    if (const auto at = values->find(name); at != values->end()) return at->second;
  }
  return std::nullopt;
}

std::string config_path(const Environment& environment) {
  if (const auto named = environment.get("UCUTLASS_CONFIG"); named && !named->empty()) return *named;
  // The specification says that a relative path is to be ignored.
  const auto xdg = environment.get("XDG_CONFIG_HOME");
  if (xdg && xdg->starts_with('/')) return *xdg + "/ucutlass/config.json";
  const auto home = environment.get("HOME");
  return home && !home->empty() ? *home + "/.config/ucutlass/config.json" : std::string();
}

Result<ConfigFile> read_config(const Context& context) {
  ConfigFile out;
  out.path = config_path(context.environment);
  out.exists = !out.path.empty() && context.files.exists(out.path);
  if (!out.exists) {
    const auto named = context.environment.get("UCUTLASS_CONFIG");
    if (!named || named->empty()) return out;
    return fail(fmt::format("there is no file {}, which UCUTLASS_CONFIG names", out.path), std::string(kHelp),
                2);
  }
  const auto text = read_given(context.files, out.path);
  if (!text) return tl::unexpected(text.error());
  if (auto read = Reader(out).read(*text); !read) return tl::unexpected(read.error());
  return out;
}

std::string shown_value(std::string_view option, const std::string& value) {
  if (value.empty()) return value;
  if (secret_name(option)) return "(hidden)";
  if (option.ends_with("key-env"))
    return variable_name(value) && !value.starts_with("sk-") ? value : "(hidden)";
  if (option.ends_with("llm") && trim(value).starts_with('{')) return "{(hidden)}";
  return without_login(value);
}

}  // namespace uc::cli
