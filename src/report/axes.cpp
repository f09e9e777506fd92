#include "report/axes.h"

#include <algorithm>
#include <fmt/format.h>

namespace uc::svg {

Point Frame::exit(Point from, Point to) const {
  const Point a = at(from.x, from.y), b = at(to.x, to.y);
  const double slope = (b.y - a.y) / (b.x - a.x);
  const double y_at_right = a.y + slope * (right() - a.x);
  if (y_at_right >= top() && y_at_right <= bottom()) return {right(), y_at_right};
  const double edge = y_at_right < top() ? top() : bottom();
  return {a.x + (edge - a.y) / slope, edge};
}

Element axes(const Frame& frame, const AxisText& text) {
  Element out = group("axes");
  constexpr double kMark = 5;
  double last = -1e9;
  for (const Tick& tick : frame.x.ticks()) {
    const double x = frame.x(tick.value);
    out.add(line(x, frame.top(), x, frame.bottom(), tick.major ? "grid" : "grid2"));
    if (!tick.major) continue;
    const std::string label = text.x_label(tick.value);
    const double half = text_width(label, 13) / 2;
    if (x - half < last + 8) continue;
    last = x + half;
    out.add(line(x, frame.bottom(), x, frame.bottom() + kMark, "axis"));
    out.add(svg::text(x, frame.bottom() + 20, label, "soft", Anchor::middle));
  }
  for (const Tick& tick : frame.y.ticks()) {
    const double y = frame.y(tick.value);
    out.add(line(frame.left(), y, frame.right(), y, tick.major ? "grid" : "grid2"));
    if (!tick.major) continue;
    out.add(line(frame.left() - kMark, y, frame.left(), y, "axis"));
    out.add(svg::text(frame.left() - 9, y + 4.5, text.y_label(tick.value), "soft", Anchor::end));
  }
  out.add(line(frame.left(), frame.bottom(), frame.right(), frame.bottom(), "axis"));
  out.add(line(frame.left(), frame.top(), frame.left(), frame.bottom(), "axis"));
  out.add(svg::text((frame.left() + frame.right()) / 2, frame.bottom() + 42, text.x_title, "ink",
                    Anchor::middle));
  double widest = 0;
  for (const Tick& tick : frame.y.ticks()) {
    if (tick.major) widest = std::max(widest, text_width(text.y_label(tick.value), 13));
  }
  out.add(turned_text(frame.left() - widest - 20, (frame.top() + frame.bottom()) / 2, -90, text.y_title,
                      "ink", Anchor::middle));
  return out;
}

Element clip(const Frame& frame, std::string_view id) {
  Element area("rect", {{"x", frame.left()},
                        {"y", frame.top()},
                        {"width", frame.right() - frame.left()},
                        {"height", frame.bottom() - frame.top()}});
  return Element("clipPath", {{"id", id}}, std::vector{area});
}

Element clipped(std::string_view id, std::vector<Element> children) {
  return Element("g", {{"clip-path", fmt::format("url(#{})", id)}}, std::move(children));
}

}  // namespace uc::svg
