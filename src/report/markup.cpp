#include "report/markup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/text.h"

namespace uc::markup {
namespace {

// Elements of HTML that have no end tag. All others get one: HTML reads <div/> as an opened div.
constexpr std::array<std::string_view, 6> kVoid{"meta", "br", "hr", "col", "img", "link"};

// Elements that stand on a line of their own, so that generated files can be compared line by line.
constexpr std::array<std::string_view, 22> kLines{
    "html", "head", "body",  "style", "meta",    "svg", "g",    "rect", "line", "circle",   "path",
    "text", "tr",   "table", "thead", "section", "div", "main", "h1",   "h2",   "clipPath", "defs"};

bool any_of(std::span<const std::string_view> tags, std::string_view tag) {
  return std::ranges::find(tags, tag) != tags.end();
}

}  // namespace

std::string number(double value) {
  if (!std::isfinite(value)) return "0";
  std::string out = fmt::format("{:.2f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  // U+FFFE and U+FFFF are UTF-8 and no characters of XML.
  return replace_all(replace_all(std::move(out), "\xEF\xBF\xBE", "?"), "\xEF\xBF\xBF", "?");
}

Element::Element(std::string_view tag, std::vector<Attr> attributes, std::vector<Element> children)
    : tag_(tag), attributes_(std::move(attributes)), children_(std::move(children)) {}

Element::Element(std::string_view tag, std::vector<Attr> attributes, std::string_view content)
    : tag_(tag), attributes_(std::move(attributes)) {
  children_.push_back(text(content));
}

Element::Element(std::string_view tag, std::vector<Attr> attributes, const char* content)
    : Element(tag, std::move(attributes), std::string_view(content)) {}

Element::Element(std::string_view tag, std::vector<Attr> attributes, const std::string& content)
    : Element(tag, std::move(attributes), std::string_view(content)) {}

Element Element::text(std::string_view content) {
  Element out("");
  out.content_ = content;
  return out;
}

Element Element::verbatim(std::string_view content) {
  Element out = text(content);
  out.verbatim_ = true;
  return out;
}

Element& Element::add(Element child) {
  children_.push_back(std::move(child));
  return *this;
}

Element& Element::set(Attr attribute) {
  const auto found = std::ranges::find(attributes_, attribute.name, &Attr::name);
  if (found == attributes_.end()) {
    attributes_.push_back(std::move(attribute));
  } else if (attribute.name == "class") {
    found->value += " " + attribute.value;
  } else {
    found->value = std::move(attribute.value);
  }
  return *this;
}

bool Element::has_text() const {
  return !content_.empty() || std::ranges::any_of(children_, &Element::has_text);
}

void Element::print(std::string& out) const {
  if (tag_.empty()) {
    out += verbatim_ ? content_ : escaped(content_);
    return;
  }
  const bool line = any_of(kLines, tag_);
  if (line && !out.empty() && out.back() != '\n') out += '\n';
  out += "<" + tag_;
  for (const Attr& each : attributes_) out += fmt::format(" {}=\"{}\"", each.name, escaped(each.value));
  if (any_of(kVoid, tag_)) {
    out += " />";
  } else {
    out += ">";
    for (const Element& child : children_) child.print(out);
    out += "</" + tag_ + ">";
  }
  if (line) out += '\n';
}

std::string Element::to_text() const {
  std::string out;
  print(out);
  return out;
}

}  // namespace uc::markup
