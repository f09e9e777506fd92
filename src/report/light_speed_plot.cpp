#include "report/light_speed_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "report/axes.h"
#include "report/labels.h"
#include "report/theme.h"
#include "sol/quantity.h"

namespace uc {
namespace {

using namespace svg;

constexpr double kWidth = 960;
constexpr double kRadius = 4.2;

struct Look {
  Mark mark;
  std::string_view colour;
};
constexpr std::array<Look, 4> kLevels{
    {{Mark::circle, "c6"}, {Mark::circle, "c1"}, {Mark::square, "c2"}, {Mark::triangle, "c3"}}};
constexpr std::array<std::string_view, 3> kOthers{"c4", "c5", "c6"};

const Look& look_of(int64_t level) {
  return kLevels[level >= 1 && level <= 3 ? static_cast<size_t>(level) : 0];
}

std::string tip(const LightPoint& point, const std::string& series) {
  std::string out = fmt::format("{}\n{}: {} {}{}\ncertified bound: {}", point.label, series,
                                duration(point.time_us), point.modelled ? "modelled" : "measured",
                                point.what.empty() ? "" : " (" + point.what + ")", duration(point.bound_us));
  if (!point.by.empty()) out += fmt::format(", by {}, {}", point.by, name(point.precision));
  out += point.has_gap() ? fmt::format("\n{} the bound", times(point.gap()))
                         : "\nits result is known beforehand";
  if (point.impossible()) out += ": faster than light";
  return out;
}

class Picture {
 public:
  Picture(const LightSpeed& data, bool alone)
      : data_(data), alone_(alone), frame_(frame()), labels_(room()) {}

  Element draw() {
    Element out = picture(kWidth, height(), light_speed_title(data_), light_speed_summary(data_));
    if (alone_) {
      out.add(Element("style", {}, std::vector{Element::verbatim(picture_style())}));
      out.add(rect(0, 0, kWidth, height(), "paper", 10));
      out.add(text(24, 38, light_speed_title(data_), "title"));
      out.add(text(24, 62, light_speed_summary(data_), "soft"));
    }
    out.add(clip(frame_, "inside"));
    ground(out);
    out.add(axes(frame_, {"certified bound: the least time that the hardware allows", "time taken",
                          round_duration, round_duration}));
    lines(out);
    out.add(legend());
    for (const LightSeries& each : data_.series) block(each);
    arrows(out);
    for (size_t i = 0; i < data_.series.size(); ++i) marks(out, i);
    names(out);
    if (alone_) caption(out);
    return out;
  }

 private:
  double top() const { return alone_ ? 92 : 22; }
  double bottom() const { return top() + 476; }
  double height() const {
    return bottom() + 54 + (alone_ ? 12 + 17 * static_cast<double>(light_speed_caption(data_).size()) : 0);
  }

  Box room() const {
    return {frame_.left() + 4, frame_.top() + 4, frame_.right() - frame_.left() - 8,
            frame_.bottom() - frame_.top() - 8};
  }

  Frame frame() const {
    std::vector<double> bounds, taken;
    for (const LightSeries& series : data_.series) {
      for (const LightPoint& each : series.points) {
        if (each.has_gap()) bounds.push_back(each.bound_us);
        taken.push_back(each.time_us);
      }
    }
    const Range x = nice_range(bounds, 100), y = nice_range(taken, 100);
    // The diagonal must cross the picture.
    const double low = std::min(y.low, x.high / 10);
    return {LogScale(x.low, x.high, 92, kWidth - 48),
            LogScale(low, std::max(y.high, low * 100), bottom(), top())};
  }

  // Where a point stands: what has no bound, at the left edge.
  Point at(const LightPoint& point) const {
    return point.has_gap() ? frame_.at(point.bound_us, point.time_us)
                           : Point{frame_.left() + 6, frame_.y(point.time_us)};
  }

  // ---- ground

  void ground(Element& out) const {
    const double low = std::min(frame_.x.low(), frame_.y.low()) / 10;
    const double high = std::max(frame_.x.high(), frame_.y.high()) * 10;
    out.add(clipped("inside",
                    {polygon({frame_.at(low, low), frame_.at(high, high), frame_.at(high, low)}, "no")}));
  }

  // From the lower left to the upper right: time = `ratio` x bound.
  Element ratio_line(double ratio, std::string_view style) const {
    const double low = frame_.x.low(), high = frame_.x.high();
    const Point a = frame_.at(low, low * ratio), b = frame_.at(high, high * ratio);
    return line(a.x, a.y, b.x, b.y, style);
  }

  void lines(Element& out) {
    Element all = clipped("inside", {});
    for (const double ratio : {2.0, 10.0, 100.0, 1000.0}) all.add(ratio_line(ratio, "iso"));
    all.add(ratio_line(1, "light"));
    out.add(std::move(all));
    const Point a = frame_.at(1, 1), b = frame_.at(10, 10);
    const double slope = std::atan2(b.y - a.y, b.x - a.x) * 180 / std::numbers::pi;
    for (const double ratio : {2.0, 10.0, 100.0, 1000.0}) {
      const Point end = frame_.exit({1, ratio}, {10, 10 * ratio});
      if (end.x < frame_.left() + 60) continue;
      out.add(ratio_label(fmt::format("{:g}x", ratio), end));
    }
    // Below the middle of what is seen of the diagonal.
    const Point end = frame_.exit({1, 1}, {10, 10});
    const double angle = slope * std::numbers::pi / 180;
    const Point start = std::tan(-angle) * (end.x - frame_.left()) > frame_.bottom() - end.y
                            ? Point{end.x - (frame_.bottom() - end.y) / std::tan(-angle), frame_.bottom()}
                            : Point{frame_.left(), end.y + std::tan(-angle) * (end.x - frame_.left())};
    const Point middle{(start.x + 2 * end.x) / 3, (start.y + 2 * end.y) / 3};
    const auto below = [&](double distance) {
      return Point{middle.x - distance * std::sin(angle), middle.y + distance * std::cos(angle)};
    };
    out.add(turned_text(below(20).x, below(20).y, slope, "light speed", "bold ink", Anchor::middle));
    out.add(turned_text(below(40).x, below(40).y, slope, "faster than light: impossible", "danger",
                        Anchor::middle));
    for (double along = -100; along <= 100; along += 10)
      labels_.block_point({below(30).x + along * std::cos(angle), below(30).y + along * std::sin(angle)}, 18);
  }

  // At the end of a line, outside of the frame.
  Element ratio_label(const std::string& content, Point end) const {
    const bool on_top = end.y <= frame_.top() + 1;
    return on_top ? text(end.x, frame_.top() - 5, content, "small soft", Anchor::middle)
                  : text(frame_.right() + 6, end.y + 4, content, "small soft");
  }

  // ---- points

  void block(const LightSeries& series) {
    for (const LightPoint& each : series.points) labels_.block_point(at(each), kRadius + 0.5);
  }

  std::string_view colour_of(size_t series, int64_t level) const {
    return series == 0 ? look_of(level).colour : kOthers[std::min(series - 1, kOthers.size() - 1)];
  }

  Mark mark_of(size_t series, const LightPoint& point) const {
    if (!point.has_gap()) return Mark::left;
    return series == 0 ? look_of(point.level).mark : series == 1 ? Mark::star : Mark::diamond;
  }

  void marks(Element& out, size_t series) const {
    Element all = group("points");
    for (const LightPoint& each : data_.series[series].points) {
      const Point where = at(each);
      const std::string colour(colour_of(series, each.level));
      const std::string style = each.modelled ? colour + "h" : colour + (series == 0 ? " dot" : "");
      all.add(mark(mark_of(series, each), where.x, where.y, series == 0 ? kRadius : kRadius + 0.8, style,
                   tip(each, data_.series[series].name)));
      if (each.impossible())
        all.add(Element("circle", {{"cx", where.x},
                                   {"cy", where.y},
                                   {"r", 10},
                                   {"fill", "none"},
                                   {"stroke-width", 2},
                                   {"class", "c2s"}}));
    }
    out.add(std::move(all));
  }

  void arrows(Element& out) const {
    if (data_.series.size() < 2) return;
    Element all = group("arrows");
    for (size_t i = 1; i < data_.series.size(); ++i) {
      for (const LightPoint& each : data_.series[i].points) {
        const auto from = std::ranges::find(data_.series[0].points, each.problem, &LightPoint::problem);
        if (from != data_.series[0].points.end()) all.add(arrow(at(*from), at(each), kRadius + 3, "arrow"));
      }
    }
    out.add(std::move(all));
  }

  // The farthest by ratio, then the longest, then the nearest: as many as find room.
  void names(Element& out) {
    if (data_.series.empty()) return;
    std::vector<const LightPoint*> all;
    for (const LightPoint& each : data_.series[0].points) {
      if (each.has_gap()) all.push_back(&each);
    }
    std::vector<const LightPoint*> chosen;
    const auto take = [&](auto before, size_t count) {
      std::ranges::stable_sort(all, before);
      for (size_t i = 0; i < std::min(count, all.size()); ++i) {
        if (std::ranges::find(chosen, all[i]) == chosen.end()) chosen.push_back(all[i]);
      }
    };
    take([](const auto* a, const auto* b) { return a->gap() > b->gap(); }, 6);
    take([](const auto* a, const auto* b) { return a->time_us > b->time_us; }, 4);
    take([](const auto* a, const auto* b) { return a->bound_us < b->bound_us; }, 3);
    take([](const auto* a, const auto* b) { return a->gap() < b->gap(); }, 2);
    Element group_of_names = group("names");
    for (const LightPoint* each : chosen) {
      std::string label = each->label;
      if (label.size() > 34) label = label.substr(0, 32) + "…";
      if (auto placed = labels_.place(at(*each), kRadius + 4, label, 11.5, "small soft halo"))
        group_of_names.add(std::move(*placed));
    }
    out.add(std::move(group_of_names));
  }

  // ---- legend

  struct Row {
    Mark mark;
    std::string style, what, count, gap;
  };

  std::vector<Row> rows() const {
    std::vector<Row> out;
    size_t unbounded = 0;
    for (size_t i = 0; i < data_.series.size(); ++i) {
      const LightSeries& series = data_.series[i];
      std::map<int64_t, std::vector<const LightPoint*>> groups = by_level(series);
      if (i > 0) {
        groups.clear();
        for (const LightPoint& each : series.points) groups[0].push_back(&each);
      }
      for (const auto& [level, points] : groups) {
        const bool hollow = points.front()->modelled;
        for (const LightPoint* each : points) unbounded += each->has_gap() ? 0 : 1;
        const Mark shape = i == 0 ? look_of(level).mark : i == 1 ? Mark::star : Mark::diamond;
        out.push_back({shape, std::string(colour_of(i, level)) + (hollow ? "h" : ""),
                       level > 0 ? fmt::format("{}, level {}", series.name, level) : series.name,
                       fmt::format("{}", points.size()), times(mean_gap(points))});
      }
    }
    if (unbounded > 0)
      out.push_back({Mark::left, "c6", "bound below 0.1 µs", fmt::format("{}", unbounded), ""});
    return out;
  }

  // Below the diagonal when it fits there, else in the corner where it covers the fewest marks.
  Box legend_place(double width, double high) const {
    const double left = frame_.left() + 12, right = frame_.right() - width - 12;
    const double upper = frame_.top() + 12, lower = frame_.bottom() - high - 12;
    Box best;
    size_t fewest = SIZE_MAX;
    for (const Box& each : {Box{right, lower, width, high}, Box{left, lower, width, high},
                            Box{left, upper, width, high}, Box{right, upper, width, high}}) {
      size_t covered = labels_.covers(each) ? 1 : 0;
      for (const LightSeries& series : data_.series) {
        for (const LightPoint& point : series.points) {
          const Point where = at(point);
          covered += each.overlaps({where.x - 8, where.y - 8, 16, 16}) ? 1 : 0;
        }
      }
      if (covered >= fewest) continue;
      fewest = covered;
      best = each;
    }
    return best;
  }

  Element legend() {
    const std::vector<Row> all = rows();
    constexpr double kLine = 20;
    double names = 60;
    for (const Row& each : all) names = std::max(names, text_width(each.what, 13));
    const double width = names + 196, high = 34 + kLine * static_cast<double>(all.size());
    const Box box = legend_place(width, high);
    labels_.block(box);
    Element out = group("legend", {rect(box.x, box.y, box.width, box.height, "paper", 8)});
    const double counts = box.x + names + 92, gaps = box.x + width - 14;
    out.add(text(counts, box.y + 20, "problems", "small soft", Anchor::end));
    out.add(text(gaps, box.y + 20, "time / bound", "small soft", Anchor::end));
    double y = box.y + 20;
    for (const Row& each : all) {
      y += kLine;
      out.add(mark(each.mark, box.x + 17, y - 4.5, kRadius + 0.6, each.style));
      out.add(text(box.x + 31, y, each.what, "ink"));
      out.add(text(counts, y, each.count, "ink", Anchor::end));
      out.add(text(gaps, y, each.gap, "bold ink", Anchor::end));
    }
    return out;
  }

  void caption(Element& out) const {
    double y = bottom() + 66;
    for (const std::string& each : light_speed_caption(data_)) {
      out.add(text(24, y, each, "small soft"));
      y += 17;
    }
  }

  const LightSpeed& data_;
  bool alone_;
  Frame frame_;
  LabelPlacer labels_;
};

}  // namespace

markup::Element light_speed_picture(const LightSpeed& data, bool alone) {
  return Picture(data, alone).draw();
}

std::string light_speed_svg(const LightSpeed& data) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + light_speed_picture(data, true).to_text();
}

}  // namespace uc
