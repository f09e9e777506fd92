#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "report/roofline_plot.h"
#include "report/svg.h"
#include "sol/quantity.h"

namespace uc {
namespace {

using namespace svg;

constexpr double kWidth = 1032, kRight = 130, kBar = 13, kPad = 12;

struct Bar {
  double value = 0;  // microseconds
  std::string style, tip;
};

struct Row {
  std::string name, summary;
  std::vector<Bar> bars;
};

std::vector<Row> rows_of(const SolSubject& subject) {
  std::vector<Row> out;
  for (const SolLevel& level : subject.report.levels) {
    Row row;
    row.name = fmt::format("{}, {} kernel{}", level.name, level.kernels, level.kernels == 1 ? "" : "s");
    row.summary = level.summary;
    row.bars = {{level.theoretical_us, "c1", fmt::format("{}: theoretical rates", level.name)},
                {level.calibrated_us, "c3", fmt::format("{}: best rates seen", level.name)}};
    out.push_back(std::move(row));
  }
  for (const MeasuredTime& each : subject.times) {
    if (!is_bound(subject.report, each)) continue;
    Row row;
    row.name = each.name;
    row.summary = each.given ? "to be judged" : each.modelled ? "modelled" : "measured";
    row.bars = {{each.time_us, each.given ? "c4" : each.modelled ? "c2h" : "c2", each.note}};
    out.push_back(std::move(row));
  }
  return out;
}

// The end of the axis: bars that are far longer than all levels are broken there.
double end_of(const SolSubject& subject, const std::vector<Row>& rows) {
  double levels = 0, all = 0;
  for (const SolLevel& each : subject.report.levels) {
    for (const double us : {each.theoretical_us, each.calibrated_us}) {
      if (std::isfinite(us)) levels = std::max(levels, us);
    }
  }
  for (const Row& row : rows) {
    for (const Bar& bar : row.bars) {
      if (std::isfinite(bar.value)) all = std::max(all, bar.value);
    }
  }
  return levels > 0 ? std::min(all, 4 * levels) : std::max(all, 1.0);
}

// Names stand at the left of the bars.
double left_of(const std::vector<Row>& rows) {
  double widest = 160;
  for (const Row& row : rows)
    widest = std::max({widest, text_width(row.name, 14), text_width(row.summary, 11.5)});
  return widest * 1.08 + 20;
}

Element bar_of(const Bar& bar, double left, double y, double end) {
  const double room = kWidth - left - kRight;
  const bool broken = bar.value > end * 1.001;
  const double length = std::isfinite(bar.value) ? std::min(bar.value / end, 1.0) * room : 0;
  Element out = group("bar");
  Element shape = rect(left, y, std::max(length, 1.0), kBar, bar.style, 2);
  shape.add(Element("title", {}, fmt::format("{} {}", bar.tip, duration(bar.value))));
  out.add(std::move(shape));
  if (broken) {
    const double x = left + length - 26;
    out.add(polygon({{x, y + kBar + 2}, {x + 6, y - 2}, {x + 12, y - 2}, {x + 6, y + kBar + 2}}, "paper"));
  }
  out.add(text(left + length + 8, y + kBar - 2, duration(bar.value), "small ink"));
  return out;
}

double height_of(const Row& row) { return static_cast<double>(row.bars.size()) * (kBar + 2); }

}  // namespace

markup::Element ladder_picture(const SolSubject& subject) {
  const std::vector<Row> rows = rows_of(subject);
  double height = 4;
  for (const Row& row : rows) height += std::max(height_of(row), 30.0) + kPad;
  Element out = picture(kWidth, height, "Levels", "Times of each way to cut the problem into kernels");
  const double end = end_of(subject, rows), left = left_of(rows);
  double y = 4;
  for (const Row& row : rows) {
    const double high = std::max(height_of(row), 30.0);
    out.add(text(left - 14, y + 12, row.name, "bold ink", Anchor::end));
    out.add(text(left - 14, y + 27, row.summary, "small soft", Anchor::end));
    double at = y + (high - height_of(row)) / 2;
    for (const Bar& bar : row.bars) {
      out.add(bar_of(bar, left, at, end));
      at += kBar + 2;
    }
    y += high + kPad;
  }
  const double line_y = height - 2;
  out.add(line(left, 0, left, line_y, "axis"));
  return out;
}

}  // namespace uc
