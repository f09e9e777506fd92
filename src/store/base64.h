#pragma once
// Why: text that a run stored may hold any byte (a compiler's message, a model's answer), and JSON holds
// UTF-8 alone; what is no UTF-8 travels in base64.
#include <optional>
#include <string>
#include <string_view>

namespace uc {

/// RFC 4648, with padding.
std::string to_base64(std::string_view bytes);
/// Nothing: not base64, or not the text that to_base64 gives.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace uc
