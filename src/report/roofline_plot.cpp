#include "report/roofline_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>

#include "report/axes.h"
#include "report/labels.h"
#include "report/roofs.h"
#include "sol/quantity.h"

namespace uc {
namespace {

using namespace svg;

constexpr double kWidth = 1032, kHeight = 520, kMargin = 148;  // the margin holds the names of ceilings

double rate(const PlottedWork& work, double time_us) {
  return time_us > 0 && std::isfinite(time_us) ? work.operations / (time_us * 1e-6) : 0;
}

std::string rate_label(double value) { return scaled(value, "FLOP/s"); }

std::string plain(double value) {
  return value < 1     ? fmt::format("{:.3g}", value)
         : value < 1e5 ? fmt::format("{:.0f}", value)
                       : scaled(value, "");
}

class Picture {
 public:
  Picture(const SolSubject& subject, std::string id)
      : subject_(subject),
        report_(subject.report),
        id_(std::move(id)),
        whole_(plotted_whole(report_)),
        roofs_(roofs_of(subject)),
        memory_(subject.device->dram_bytes_per_second()),
        seen_(report_.calibrated_dram_tbps * 1e12),
        frame_(frame()),
        labels_({frame_.left() + 4, frame_.top() + 4, frame_.right() - frame_.left() - 8,
                 frame_.bottom() - frame_.top() - 8}) {}

  Element draw() {
    Element out = picture(kWidth, kHeight, "Roofline", "Operations a second against operations a byte");
    out.add(clip(frame_, id_));
    out.add(axes(frame_, {"operations for each byte moved (a multiply-add counts 2)", "operations a second",
                          plain, rate_label}));
    roofs(out);
    collect();
    for (const Spot& each : spots_) labels_.block_point(each.at, each.radius + 1);
    steps(out);
    whole(out);
    names(out);
    return out;
  }

 private:
  struct Spot {
    Point at;
    double radius = 0;
    Mark mark = Mark::circle;
    std::string style, colour, tip, label;
    double share = 0;  // of an operator
  };

  Frame frame() const {
    std::vector<double> across, up;
    const auto point = [&](const PlottedWork& work, double time_us) {
      across.push_back(work.intensity());
      up.push_back(rate(work, time_us));
    };
    double used = 0;
    for (const Roof& each : roofs_) used = each.used ? each.peak : used;
    for (const Roof& each : roofs_) {
      if (each.peak < 10 * used) up.push_back(each.peak * 1.3);
      if (!each.used) continue;
      across.push_back(each.peak / memory_ * 6);
      across.push_back(each.peak / memory_ / 30);
      up.push_back(each.peak / 100);
    }
    point(whole_, report_.certified.total_us);
    across.push_back(whole_.intensity() * 30);
    for (const MeasuredTime* each : times()) point(whole_, each->time_us);
    for (const SolStep& each : report_.steps) {
      if (!each.at_load) point(plotted_step(each), each.calibrated.total_us);
    }
    const Range x = nice_range(across, 100), y = nice_range(up, 100);
    return {LogScale(x.low, x.high, 126, kWidth - kMargin), LogScale(y.low, y.high, kHeight - 56, 14)};
  }

  std::vector<const MeasuredTime*> times() const {
    std::vector<const MeasuredTime*> out;
    for (const MeasuredTime& each : subject_.times) {
      if (is_bound(report_, each)) out.push_back(&each);
    }
    return out;
  }

  // ---- ceilings

  Point ridge(double bandwidth, double peak) const { return frame_.at(peak / bandwidth, peak); }
  Point foot(double bandwidth) const {
    const double x = frame_.x.low() / 10;
    return frame_.at(x, x * bandwidth);
  }

  void roofs(Element& out) {
    Element all = clipped(id_, {});
    const double right = frame_.right() + 10;
    double top = 0;
    for (const Roof& each : roofs_) top = std::max(top, each.peak);
    all.add(polyline({foot(memory_), ridge(memory_, top)}, "axis thin"));
    std::vector<Roof> order = roofs_;
    std::ranges::stable_sort(order, {}, &Roof::used);
    for (const Roof& each : order) {
      const Point corner = ridge(memory_, each.peak);
      if (!each.used) {
        if (corner.x > frame_.right() || corner.y < frame_.top()) continue;
        all.add(polyline({corner, {right, corner.y}}, "axis thin"));
        continue;
      }
      all.add(polyline({foot(memory_), corner, {right, corner.y}}, "c1s roof"));
      keep_off(foot(memory_), corner);
      keep_off(corner, {right, corner.y});
      if (seen_ <= 0 && each.calibrated <= 0) continue;
      const double slope = seen_ > 0 ? seen_ : memory_,
                   height = each.calibrated > 0 ? each.calibrated : each.peak;
      const Point knee = ridge(slope, height);
      all.add(polyline({foot(slope), knee, {right, knee.y}}, "c3s roof dash"));
      keep_off(foot(slope), knee);
      keep_off(knee, {right, knee.y});
    }
    out.add(std::move(all));
    roof_names(out);
    slope_name(out);
  }

  // In the margin at the right, the lowest first; what would cover another moves up.
  void roof_names(Element& out) const {
    std::vector<Roof> order = roofs_;
    std::ranges::sort(order, {}, &Roof::peak);
    double last = 1e9;
    for (const Roof& each : order) {
      const Point corner = ridge(memory_, each.peak);
      if (!each.used && (corner.x > frame_.right() || corner.y < frame_.top())) continue;
      const bool seen = each.used && each.calibrated > 0;
      double y = frame_.y(each.peak) + (seen ? -2 : 4);
      y = std::min(y, last - (seen ? 29 : 15));
      last = y;
      const double x = frame_.right() + 8;
      out.add(text(x, y, fmt::format("{} {}", each.name, rate_label(each.peak)),
                   each.used ? "small bold ink" : "small soft"));
      if (seen) out.add(text(x, y + 14, fmt::format("{} seen", rate_label(each.calibrated)), "small c3"));
    }
  }

  // Along the slope, below it, at its lower end.
  void slope_name(Element& out) {
    const Point a = frame_.at(1, memory_), b = frame_.at(10, 10 * memory_);
    const double slope = std::atan2(b.y - a.y, b.x - a.x);
    std::string label = fmt::format("memory {}", scaled(memory_, "B/s"));
    if (seen_ > 0) label += fmt::format(" ({} seen)", scaled(seen_, ""));
    const double y_at_left = frame_.y(frame_.x.low() * memory_);
    Point at{frame_.left(), y_at_left};
    if (y_at_left > frame_.bottom()) at = {frame_.x(frame_.y.low() / memory_), frame_.bottom()};
    const double along = 24, above = 9;
    const Point start{at.x + along * std::cos(slope) + above * std::sin(slope),
                      at.y + along * std::sin(slope) - above * std::cos(slope)};
    const double length = text_width(label, 11.5);
    for (double done = 0; done < length; done += 12)
      labels_.block({start.x + done * std::cos(slope) - 6, start.y + done * std::sin(slope) - 12, 14, 14});
    out.add(turned_text(start.x, start.y, slope * 180 / std::numbers::pi, label, "small ink halo"));
  }

  // Labels keep off the ceilings that stand out.
  void keep_off(Point a, Point b) {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    for (double done = 0; done < length; done += 4)
      labels_.block_point({a.x + (b.x - a.x) * done / length, a.y + (b.y - a.y) * done / length}, 1.5);
  }

  // ---- points

  bool shown(const PlottedWork& work, double time_us) const {
    return work.operations > 0 && work.bytes > 0 && rate(work, time_us) > 0;
  }

  void collect() {
    for (const SolStep& step : report_.steps) {
      const PlottedWork work = plotted_step(step);
      if (step.at_load || !shown(work, step.calibrated.total_us)) continue;
      Spot spot;
      spot.at = frame_.at(work.intensity(), rate(work, step.calibrated.total_us));
      spot.radius = 3.5 + 15 * std::sqrt(std::clamp(step.share, 0.0, 1.0));
      spot.mark = work.scalar ? Mark::diamond : Mark::circle;
      spot.style = work.scalar ? "c4 pale" : "c1 pale";
      spot.label = step.what;
      spot.share = step.share;
      spot.tip = fmt::format(
          "{}: {}\n{}\n{} of the operators' time: {} calibrated, by {}\n{}, {} moved", step.names, step.what,
          step.shapes, percent(step.share), duration(step.calibrated.total_us), step.calibrated.by,
          scaled(work.operations, work.scalar ? "scalar operations" : "FLOP"), scaled(work.bytes, "B"));
      spots_.push_back(std::move(spot));
    }
    own_ = spots_.size();
    add_whole("certified", report_.certified.total_us, Mark::star, "c1", "certified bound");
    add_whole("calibrated", report_.calibrated.total_us, Mark::diamond, "c3", "calibrated bound");
    for (const MeasuredTime* each : times())
      add_whole(each->name, each->time_us, Mark::square,
                each->given      ? "c4"
                : each->modelled ? "c2h"
                                 : "c2",
                each->modelled ? "modelled" : "measured");
  }

  void add_whole(const std::string& what, double time_us, Mark mark, std::string style,
                 std::string_view kind) {
    if (!shown(whole_, time_us)) return;
    Spot spot;
    spot.at = frame_.at(whole_.intensity(), rate(whole_, time_us));
    spot.radius = 5;
    spot.mark = mark;
    spot.style = std::move(style);
    spot.colour = spot.style.substr(0, 2);
    spot.label = fmt::format("{} {}", what, duration(time_us));
    spot.tip = fmt::format("the whole problem\n{}: {} ({})\n{}", what, duration(time_us), kind,
                           rate_label(rate(whole_, time_us)));
    spots_.push_back(std::move(spot));
  }

  void steps(Element& out) const {
    Element all = clipped(id_, {});
    for (size_t i = 0; i < own_; ++i) all.add(drawn(spots_[i]));
    out.add(std::move(all));
  }

  static Element drawn(const Spot& spot) {
    return mark(spot.mark, spot.at.x, spot.at.y, spot.radius, spot.style, spot.tip);
  }

  void whole(Element& out) const {
    if (own_ == spots_.size()) return;
    double low = 0, high = 1e9;
    for (size_t i = own_; i < spots_.size(); ++i) {
      low = std::max(low, spots_[i].at.y);
      high = std::min(high, spots_[i].at.y);
    }
    const double x = spots_[own_].at.x;
    out.add(line(x, high, x, frame_.bottom(), "iso"));
    for (size_t i = spots_.size(); i-- > own_;) out.add(drawn(spots_[i]));
  }

  void names(Element& out) {
    whole_names(out);
    std::vector<const Spot*> order;
    for (size_t i = 0; i < own_; ++i) order.push_back(&spots_[i]);
    std::ranges::stable_sort(order, [](const Spot* x, const Spot* y) { return x->share > y->share; });
    constexpr size_t kNamed = 8;
    for (size_t i = 0; i < std::min(kNamed, order.size()); ++i) {
      std::string label = order[i]->label;
      if (label.size() > 36) label = label.substr(0, 34) + "…";
      auto placed = labels_.place(order[i]->at, order[i]->radius + 4, label, 11.5, "small soft halo");
      if (placed) out.add(std::move(*placed));
    }
  }

  // Bounds and times stand in a column beside their line, in its order, each led to its mark.
  void whole_names(Element& out) {
    std::vector<const Spot*> order;
    double widest = 0;
    for (size_t i = own_; i < spots_.size(); ++i) {
      order.push_back(&spots_[i]);
      widest = std::max(widest, text_width(spots_[i].label, 11.5) * 1.06);
    }
    if (order.empty()) return;
    std::ranges::stable_sort(order, [](const Spot* x, const Spot* y) { return x->at.y < y->at.y; });
    constexpr double kLine = 15, kLead = 34;
    std::vector<double> places;
    for (const Spot* each : order)
      places.push_back(places.empty() ? each->at.y - 9 : std::max(each->at.y, places.back() + kLine));
    const double low = frame_.bottom() - 8;
    for (size_t i = places.size(); i-- > 0;)
      places[i] = std::min(places[i], low - kLine * static_cast<double>(places.size() - 1 - i));
    const double x = order.front()->at.x;
    const bool right = x + kLead + widest < frame_.right();
    const double start = right ? x + kLead : x - kLead;
    for (size_t i = 0; i < order.size(); ++i) {
      const double edge = right ? x + order[i]->radius + 2 : x - order[i]->radius - 2;
      out.add(line(edge, order[i]->at.y, right ? start - 3 : start + 3, places[i], "axis"));
      out.add(text(start, places[i] + 4, order[i]->label, fmt::format("small bold {} halo", order[i]->colour),
                   right ? Anchor::start : Anchor::end));
      labels_.block({right ? start : start - widest, places[i] - 8, widest, kLine});
    }
  }

  const SolSubject& subject_;
  const SolReport& report_;
  std::string id_;
  PlottedWork whole_;
  std::vector<Roof> roofs_;
  double memory_, seen_;  // bytes a second; seen 0 when never measured
  Frame frame_;
  LabelPlacer labels_;
  std::vector<Spot> spots_;
  size_t own_ = 0;  // spots of operators; those of the whole follow
};

}  // namespace

Element roofline_picture(const SolSubject& subject, const std::string& id) {
  return Picture(subject, id).draw();
}

}  // namespace uc
