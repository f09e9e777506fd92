#include "report/labels.h"

#include <algorithm>
#include <array>

namespace uc::svg {

bool Box::overlaps(const Box& other) const {
  return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
         other.y < y + height;
}

void LabelPlacer::block_point(Point at, double radius) {
  block({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
}

bool LabelPlacer::covers(const Box& box) const {
  return std::ranges::any_of(taken_, [&](const Box& each) { return each.overlaps(box); });
}

bool LabelPlacer::is_free(const Box& box) const {
  const bool inside = box.x >= room_.x && box.y >= room_.y && box.x + box.width <= room_.x + room_.width &&
                      box.y + box.height <= room_.y + room_.height;
  return inside && !covers(box);
}

std::optional<Element> LabelPlacer::place(Point at, double gap, std::string_view content, double size,
                                          std::string_view style) {
  const double width = text_width(content, size);
  struct Place {
    double dx, dy;  // of the text's start and base line, in units of the gap
    Anchor anchor;
  };
  // Right, left, above, below, then the corners; base lines are a third of the size below a text's middle.
  const double low = size * 0.35;
  const std::array<Place, 8> places{{{gap, low, Anchor::start},
                                     {-gap, low, Anchor::end},
                                     {0, -gap, Anchor::middle},
                                     {0, gap + size * 0.75, Anchor::middle},
                                     {gap * 0.7, -gap * 0.7, Anchor::start},
                                     {-gap * 0.7, -gap * 0.7, Anchor::end},
                                     {gap * 0.7, gap * 0.7 + size * 0.75, Anchor::start},
                                     {-gap * 0.7, gap * 0.7 + size * 0.75, Anchor::end}}};
  for (const double further : {1.0, 2.2}) {
    for (const Place& each : places) {
      const double x = at.x + each.dx * further, y = at.y + each.dy + (each.dy - low) * (further - 1);
      const double left = each.anchor == Anchor::start ? x
                          : each.anchor == Anchor::end ? x - width
                                                       : x - width / 2;
      const Box box{left - 1, y - size * 0.8, width + 2, size * 1.05};
      if (!is_free(box)) continue;
      block(box);
      return text(x, y, content, style, each.anchor);
    }
  }
  return {};
}

}  // namespace uc::svg
