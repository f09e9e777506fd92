#include "ir/json_skim.h"

#include <cstring>

namespace uc {
namespace {

constexpr size_t kNone = std::string_view::npos;

size_t skip_space(std::string_view text, size_t at) {
  const size_t found = text.find_first_not_of(" \t\r\n", at);
  return found == kNone ? text.size() : found;
}

// Behind the string that starts at `at`.
size_t skip_string(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    at = text.find('"', at);
    if (at == kNone) return kNone;
    size_t escapes = 0;
    while (text[at - 1 - escapes] == '\\') ++escapes;
    if (escapes % 2 == 0) return at + 1;
  }
  return kNone;
}

// Behind the value that starts at `at`.
size_t skip_value(std::string_view text, size_t at) {
  size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
      if (at == kNone || depth == 0) return at;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) return at;  // of what encloses a number or word
      if (--depth == 0) return at + 1;
    }
    if (depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t')) return at;
    ++at;
  }
  return depth == 0 ? at : kNone;
}

}  // namespace

std::optional<std::string_view> json_member(std::string_view object, std::string_view key) {
  size_t at = skip_space(object, 0);
  if (at >= object.size() || object[at] != '{') return std::nullopt;
  at = skip_space(object, at + 1);
  while (at < object.size() && object[at] == '"') {
    const size_t end = skip_string(object, at);
    if (end == kNone) return std::nullopt;
    const std::string_view name = object.substr(at + 1, end - at - 2);
    at = skip_space(object, end);
    if (at >= object.size() || object[at] != ':') return std::nullopt;
    at = skip_space(object, at + 1);
    const size_t behind = skip_value(object, at);
    if (behind == kNone || behind == at) return std::nullopt;
    if (name == key) return object.substr(at, behind - at);
    at = skip_space(object, behind);
    if (at >= object.size() || object[at] != ',') return std::nullopt;
    at = skip_space(object, at + 1);
  }
  return std::nullopt;
}

}  // namespace uc
