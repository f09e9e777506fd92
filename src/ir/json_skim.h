#pragma once
// Why: most bytes of a capture are recorded data. Who asks for the graph alone cuts the data out of the text
// before it is parsed; what is wrong with the text is for the parser to say.
#include <optional>
#include <string_view>

namespace uc {

/// The text of member `key` of the object that `object` begins with; nothing when there is none, or when the
/// text is not of this form. Keys with escapes are never found.
std::optional<std::string_view> json_member(std::string_view object, std::string_view key);

}  // namespace uc
