#pragma once
// Why: one place says which version this is; CMake's project() version.
#include <string_view>

namespace uc::cli {
inline constexpr std::string_view kVersion = UCUTLASS_VERSION;
}  // namespace uc::cli
