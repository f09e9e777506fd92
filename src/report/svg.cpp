#include "report/svg.h"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace uc::svg {
namespace {

using markup::number;

constexpr std::string_view name_of(Anchor anchor) {
  return anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
}

std::string path_of(const std::vector<Point>& points, bool closed) {
  std::string out;
  for (const Point& each : points)
    out += fmt::format("{}{} {}", out.empty() ? "M" : " L", number(each.x), number(each.y));
  return closed ? out + " Z" : out;
}

std::vector<Point> corners(double x, double y, double radius, int count, double first) {
  std::vector<Point> out;
  for (int i = 0; i < count; ++i) {
    const double angle = (first + 360.0 * i / count) * std::numbers::pi / 180;
    out.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
  }
  return out;
}

std::vector<Point> star(double x, double y, double radius) {
  const std::vector<Point> outer = corners(x, y, radius * 1.5, 5, -90);
  const std::vector<Point> inner = corners(x, y, radius * 0.65, 5, -54);
  std::vector<Point> out;
  for (size_t i = 0; i < outer.size(); ++i) {
    out.push_back(outer[i]);
    out.push_back(inner[i]);
  }
  return out;
}

Element shape_of(Mark shape, double x, double y, double radius, std::string_view style) {
  switch (shape) {
    case Mark::circle: return Element("circle", {{"cx", x}, {"cy", y}, {"r", radius}, {"class", style}});
    case Mark::square: return polygon(corners(x, y, radius * 1.253, 4, 45), style);
    case Mark::diamond: return polygon(corners(x, y, radius * 1.253, 4, 0), style);
    case Mark::triangle: return polygon(corners(x, y, radius * 1.45, 3, -90), style);
    case Mark::left: return polygon(corners(x, y, radius * 1.45, 3, 180), style);
    case Mark::star: return polygon(star(x, y, radius), style);
  }
  return Element("g");
}

// Of Helvetica, in thousandths of the size.
int letter_width(unsigned char c) {
  if (c >= 0x80) return c >= 0xC0 ? 556 : 0;  // one letter of UTF-8 counts at its first byte
  switch (c) {
    case 'i':
    case 'j':
    case 'l':
    case '\'': return 222;
    case ' ':
    case '.':
    case ',':
    case ':':
    case ';':
    case '/':
    case '!':
    case 'f':
    case 't':
    case 'I': return 278;
    case 'r':
    case '(':
    case ')':
    case '-': return 333;
    case 'm':
    case 'M': return 833;
    case 'W': return 944;
    case 'w': return 722;
    default: return c >= 'A' && c <= 'Z' ? 690 : 556;
  }
}

}  // namespace

double text_width(std::string_view text, double size) {
  double out = 0;
  for (const char c : text) out += letter_width(static_cast<unsigned char>(c));
  // Segoe UI is about as wide as Helvetica, DejaVu Sans a tenth wider.
  return out * size * 1.1 / 1000;
}

Element picture(double width, double height, std::string_view title, std::string_view description) {
  Element out("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                      {"viewBox", fmt::format("0 0 {} {}", number(width), number(height))},
                      {"role", "img"},
                      {"aria-label", fmt::format("{}. {}", title, description)}});
  return out;
}

Element group(std::string_view style, std::vector<Element> children) {
  return Element("g", {{"class", style}}, std::move(children));
}

Element rect(double x, double y, double width, double height, std::string_view style, double radius) {
  Element out("rect", {{"x", x}, {"y", y}, {"width", width}, {"height", height}, {"class", style}});
  if (radius > 0) out.set({"rx", radius});
  return out;
}

Element line(double x1, double y1, double x2, double y2, std::string_view style) {
  return Element("line", {{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}, {"class", style}});
}

Element polyline(const std::vector<Point>& points, std::string_view style) {
  return Element("path", {{"d", path_of(points, false)}, {"fill", "none"}, {"class", style}});
}

Element polygon(const std::vector<Point>& points, std::string_view style) {
  return Element("path", {{"d", path_of(points, true)}, {"class", style}});
}

Element text(double x, double y, std::string_view content, std::string_view style, Anchor anchor) {
  return Element("text", {{"x", x}, {"y", y}, {"text-anchor", name_of(anchor)}, {"class", style}}, content);
}

Element turned_text(double x, double y, double degrees, std::string_view content, std::string_view style,
                    Anchor anchor) {
  Element out = text(x, y, content, style, anchor);
  out.set({"transform", fmt::format("rotate({} {} {})", number(degrees), number(x), number(y))});
  return out;
}

Element mark(Mark shape, double x, double y, double radius, std::string_view style, std::string_view title) {
  Element out = shape_of(shape, x, y, radius, style);
  if (!title.empty()) out.add(Element("title", {}, title));
  return out;
}

Element arrow(Point from, Point to, double gap, std::string_view style) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double length = std::hypot(dx, dy);
  constexpr double kHead = 7;
  if (length <= gap + kHead) return group(style);
  const Point along{dx / length, dy / length};
  const Point tip{to.x - along.x * gap, to.y - along.y * gap};
  const Point neck{tip.x - along.x * kHead, tip.y - along.y * kHead};
  const Point side{-along.y * kHead * 0.45, along.x * kHead * 0.45};
  return group(style, {line(from.x, from.y, neck.x, neck.y, "shaft"),
                       polygon({tip, {neck.x + side.x, neck.y + side.y}, {neck.x - side.x, neck.y - side.y}},
                               "head")});
}

}  // namespace uc::svg
