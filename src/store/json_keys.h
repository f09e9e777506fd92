#pragma once
// Why: a JSON object that names one key twice says two things, and a parser keeps one of them without a word;
// results that are read from files may not lose any.
#include <optional>
#include <string>
#include <string_view>

namespace uc {

/// The first key that one object of the text has twice; nothing where there is none, or no JSON.
std::optional<std::string> repeated_key(std::string_view json);

}  // namespace uc
