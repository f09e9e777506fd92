#pragma once
// Why: programs and kernels are named by their content (caches, symbols, artefacts).
#include <string>
#include <string_view>

namespace uc {

/// 128-bit XXH3 of the bytes as 32 lower-case hex digits. Not for security; stable across platforms.
std::string content_hash(std::string_view bytes);

/// The first 16 digits: used in symbol and file names.
std::string short_hash(std::string_view bytes);

}  // namespace uc
