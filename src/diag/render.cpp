#include "diag/render.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace uc {
namespace {

constexpr size_t kLongestLine = 200;  // longer source lines are shown as a window around the place

size_t code_points(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

struct Excerpt {
  std::string text;
  size_t indent = 0;
  size_t carets = 1;
};

Excerpt excerpt(std::string_view source, Span span) {
  const uint32_t begin = std::min<uint32_t>(span.begin, static_cast<uint32_t>(source.size()));
  const size_t before = begin == 0 ? std::string_view::npos : source.rfind('\n', begin - 1);
  const size_t line_begin = before == std::string_view::npos ? 0 : before + 1;
  size_t line_end = source.find('\n', begin);
  if (line_end == std::string_view::npos) line_end = source.size();
  size_t from = line_begin;
  size_t to = line_end;
  if (to - from > kLongestLine) {
    from = begin - line_begin > kLongestLine / 2 ? begin - kLongestLine / 2 : line_begin;
    to = std::min(line_end, from + kLongestLine);
  }
  Excerpt out;
  const size_t end = std::clamp<size_t>(span.end, begin, to);
  const std::string prefix = printable(source.substr(from, begin - from));
  const std::string marked = printable(source.substr(begin, end - begin));
  out.text = prefix + marked + printable(source.substr(end, to - end));
  out.indent = code_points(prefix);
  out.carets = std::max<size_t>(1, code_points(marked));
  return out;
}

std::string_view color_of(Severity severity) {
  return severity == Severity::error     ? "\033[1;31m"
         : severity == Severity::warning ? "\033[1;33m"
                                         : "\033[1;36m";
}

std::string render_one(const Diag& diag, std::string_view source, std::string_view file,
                       const RenderOptions& options) {
  const SourcePlace place = place_of(source, diag.span.begin);
  const std::string_view on = options.color ? color_of(diag.severity) : "";
  const std::string_view off = options.color ? "\033[0m" : "";
  const std::string head =
      fmt::format("{}{}[{}]{}: {}", on, severity_name(diag.severity), diag.id, off, printable(diag.message));
  if (options.concise) return fmt::format("{}:{}:{}: {}\n", file, place.line, place.column, head);
  const Excerpt shown = excerpt(source, diag.span);
  const std::string number = std::to_string(place.line);
  const std::string pad(number.size(), ' ');
  std::string out = fmt::format("{}\n{}--> {}:{}:{}\n", head, pad, file, place.line, place.column);
  out += fmt::format("{} |\n{} | {}\n{} | {}{}{}{}", pad, number, shown.text, pad,
                     std::string(shown.indent, ' '), on, std::string(shown.carets, '^'), off);
  if (!diag.label.empty()) out += " " + printable(diag.label);
  out += "\n";
  if (!diag.help.empty()) out += fmt::format("help: {}\n", printable(diag.help));
  out += fmt::format("rule: {}, see `ucutlass explain {}`\n", diag.slug, diag.id);
  return out;
}

}  // namespace

SourcePlace place_of(std::string_view source, uint32_t offset) {
  const std::string_view before = source.substr(0, std::min<size_t>(offset, source.size()));
  const size_t newline = before.rfind('\n');
  const std::string_view line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  SourcePlace place;
  place.line = 1 + static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n'));
  place.column = 1 + static_cast<uint32_t>(code_points(line));
  return place;
}

std::string render_text(std::span<const Diag> diags, std::string_view source, std::string_view path,
                        const RenderOptions& options) {
  const std::string file = printable(path);
  std::string out;
  for (const Diag& diag : diags) {
    if (!out.empty() && !options.concise) out += "\n";
    out += render_one(diag, source, file, options);
  }
  return out;
}

std::string render_json(std::span<const Diag> diags, std::string_view source, std::string_view file) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Diag& diag : diags) {
    const SourcePlace place = place_of(source, diag.span.begin);
    const SourcePlace replaced = place_of(source, diag.replaced().begin);
    array.push_back({{"id", diag.id},
                     {"rule", diag.slug},
                     {"severity", severity_name(diag.severity)},
                     {"message", diag.message},
                     {"file", file},
                     {"line", place.line},
                     {"column", place.column},
                     {"length", diag.span.end - diag.span.begin},
                     {"label", diag.label},
                     {"help", diag.help},
                     {"replacement", diag.replacement},
                     {"replaces",
                      {{"line", replaced.line},
                       {"column", replaced.column},
                       {"length", diag.replaced().end - diag.replaced().begin}}}});
  }
  return array.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace uc
