#include "agent/proposers/template.h"

#include <algorithm>
#include <fmt/format.h>

namespace uc {
namespace embedded {
std::string_view prompts(std::string_view file);
}
namespace {

constexpr std::string_view kOpen = "{{", kClose = "}}";

const std::string& value_of(const TemplateValues& values, std::string_view name) {
  static const std::string none;
  const auto found = values.find(name);
  return found == values.end() ? none : found->second;
}

// Where the text after a mark goes on: behind the line's end when the mark stood alone on its line.
size_t after_mark(std::string_view text, size_t begin, size_t end) {
  const bool alone = (begin == 0 || text[begin - 1] == '\n') && end < text.size() && text[end] == '\n';
  return alone ? end + 1 : end;
}

}  // namespace

std::string fill(std::string_view text, const TemplateValues& values) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find(kOpen, at);
    const size_t close = open == std::string_view::npos ? open : text.find(kClose, open);
    if (close == std::string_view::npos) break;
    out.append(text.substr(at, open - at));
    std::string_view name = text.substr(open + 2, close - open - 2);
    at = close + 2;
    if (name.empty() || (name.front() != '#' && name.front() != '/')) {
      out += value_of(values, name);
      continue;
    }
    at = after_mark(text, open, at);
    if (name.front() == '/') continue;
    name.remove_prefix(1);
    if (!value_of(values, name).empty()) continue;
    const std::string end_mark = fmt::format("{{{{/{}}}}}", name);
    const size_t end = text.find(end_mark, at);
    if (end == std::string_view::npos) return out;
    at = after_mark(text, end, end + end_mark.size());
  }
  if (at < text.size()) out.append(text.substr(at));
  return out;
}

std::string prompt(std::string_view file, const TemplateValues& values) {
  return fill(embedded::prompts(file), values);
}

std::string fenced(std::string_view tag, std::string_view text) {
  size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}{}\n{}{}{}\n", fence, tag, text, text.ends_with('\n') ? "" : "\n", fence);
}

}  // namespace uc
