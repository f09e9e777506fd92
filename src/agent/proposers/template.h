#pragma once
// Why: what a model is told is text in files (src/agent/prompts), so that it can be read and changed without
// reading code.
#include <map>
#include <string>
#include <string_view>

namespace uc {

using TemplateValues = std::map<std::string, std::string, std::less<>>;

/// `{{name}}` becomes the value; `{{#name}}...{{/name}}` stays when the value is not empty. A line that holds
/// nothing but such a mark goes. Values are put in as they are: marks in them mean nothing. Sections do not
/// nest in a section of the same name; a name without a value is empty.
std::string fill(std::string_view text, const TemplateValues& values);

/// A file of src/agent/prompts, filled. The name must be one that is there.
std::string prompt(std::string_view file, const TemplateValues& values);

/// Text between fences that it cannot close: longer than any run of backticks in it.
std::string fenced(std::string_view tag, std::string_view text);

}  // namespace uc
