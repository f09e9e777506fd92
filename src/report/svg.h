#pragma once
// Why: the shapes that our plots are made of. Colours are classes (report/theme.h), so one picture serves
// light and dark surroundings.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/markup.h"

namespace uc::svg {

using markup::Element;

/// Width in pixels of a text in the fonts of report/theme.h, from the widths of Helvetica's letters: fonts
/// differ by a tenth.
double text_width(std::string_view text, double size);

enum class Anchor { start, middle, end };

struct Point {
  double x = 0, y = 0;
};

/// Scales to the width it is given; `description` is what screen readers say.
Element picture(double width, double height, std::string_view title, std::string_view description);

Element group(std::string_view style, std::vector<Element> children = {});
Element rect(double x, double y, double width, double height, std::string_view style, double radius = 0);
Element line(double x1, double y1, double x2, double y2, std::string_view style);
Element polyline(const std::vector<Point>& points, std::string_view style);
Element polygon(const std::vector<Point>& points, std::string_view style);
Element text(double x, double y, std::string_view content, std::string_view style,
             Anchor anchor = Anchor::start);
/// Turned around (x, y), degrees clockwise.
Element turned_text(double x, double y, double degrees, std::string_view content, std::string_view style,
                    Anchor anchor = Anchor::start);

/// Shapes differ as well as colours: both tell series apart.
enum class Mark { circle, square, diamond, triangle, left, star };
/// `radius` is that of a circle of the same area. A tooltip unless `title` is empty.
Element mark(Mark shape, double x, double y, double radius, std::string_view style,
             std::string_view title = {});
/// A line with a head at its end, which lies `gap` before (x2, y2).
Element arrow(Point from, Point to, double gap, std::string_view style);

}  // namespace uc::svg
