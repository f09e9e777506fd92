#pragma once
// Why: pages and pictures are trees that one printer writes, so that no name of a problem can break out of
// its place. What is printed is well-formed XML that HTML parsers read in the same way.
#include <string>
#include <string_view>
#include <vector>

namespace uc::markup {

/// A number as coordinates need it: at most two decimals, no trailing zeros, never "-0" or an exponent.
std::string number(double value);

/// `text` with what means something to a parser escaped, bytes that are no UTF-8 and characters that XML
/// forbids replaced.
std::string escaped(std::string_view text);

struct Attr {
  Attr(std::string_view key, std::string_view text) : name(key), value(text) {}
  Attr(std::string_view key, const char* text) : name(key), value(text) {}
  Attr(std::string_view key, const std::string& text) : name(key), value(text) {}
  Attr(std::string_view key, double coordinate) : name(key), value(number(coordinate)) {}
  std::string name, value;
};

/// An element with attributes and children, or a run of text.
class Element {
 public:
  Element(std::string_view tag, std::vector<Attr> attributes = {}, std::vector<Element> children = {});
  /// An element that holds text alone.
  Element(std::string_view tag, std::vector<Attr> attributes, std::string_view content);
  Element(std::string_view tag, std::vector<Attr> attributes, const char* content);
  Element(std::string_view tag, std::vector<Attr> attributes, const std::string& content);

  static Element text(std::string_view content);
  /// What <style> holds: HTML reads it as it is, so it must hold neither '<' nor '&'.
  static Element verbatim(std::string_view content);

  Element& add(Element child);
  /// Replaces an attribute of that name; a class is added to those that there are.
  Element& set(Attr attribute);
  /// True when some text is in it.
  bool has_text() const;
  void print(std::string& out) const;
  std::string to_text() const;

 private:
  std::string tag_;  // empty: text
  bool verbatim_ = false;
  std::string content_;
  std::vector<Attr> attributes_;
  std::vector<Element> children_;
};

}  // namespace uc::markup
