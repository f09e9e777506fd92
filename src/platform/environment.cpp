#include "platform/environment.h"

#include <cstdlib>

namespace uc {
namespace {

class RealEnvironment final : public Environment {
 public:
  std::optional<std::string> get(std::string_view name) const override {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
};

}  // namespace

const Environment& real_environment() {
  static const RealEnvironment environment;
  return environment;
}

}  // namespace uc
