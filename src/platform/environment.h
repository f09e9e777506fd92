#pragma once
// Why: what the environment says is injected, so that a test decides which variables are set.
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace uc {

class Environment {
 public:
  virtual ~Environment() = default;
  /// The value, or nothing when the variable is not set.
  virtual std::optional<std::string> get(std::string_view name) const = 0;
};

const Environment& real_environment();

class FakeEnvironment final : public Environment {
 public:
  std::optional<std::string> get(std::string_view name) const override {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, std::string, std::less<>> values;
};

}  // namespace uc
