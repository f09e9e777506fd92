#include <algorithm>
#include <fmt/format.h>

#include "report/light_speed_plot.h"
#include "report/page.h"
#include "sol/quantity.h"

namespace uc {
namespace {

using markup::Element;

struct Line {
  const LightSeries* series;
  const LightPoint* point;
};

std::vector<Line> sorted_lines(const LightSpeed& data) {
  std::vector<Line> out;
  for (const LightSeries& series : data.series) {
    for (const LightPoint& each : series.points) out.push_back({&series, &each});
  }
  std::ranges::stable_sort(out, [](const Line& a, const Line& b) { return a.point->gap() > b.point->gap(); });
  return out;
}

Element table(const LightSpeed& data) {
  page::Table out({{"problem", false},
                   {"series", false},
                   {"time", true},
                   {"", false},
                   {"how", false},
                   {"certified bound", true},
                   {"bound by", false},
                   {"time / bound", true}});
  for (const Line& each : sorted_lines(data)) {
    const LightPoint& point = *each.point;
    out.row({page::cell(point.label), page::cell(each.series->name), page::cell(duration(point.time_us)),
             page::cell(point.modelled ? "modelled" : "measured"), page::cell(point.what),
             page::cell(duration(point.bound_us)), page::cell(point.by),
             page::cell(point.has_gap() ? times(point.gap()) : "-", point.impossible() ? "bad" : "")});
  }
  return out.element();
}

Element cards(const LightSpeed& data) {
  Element out("div", {{"class", "cards"}});
  for (const LightSeries& series : data.series) {
    for (const auto& [level, points] : by_level(series)) {
      out.add(page::card(level > 0 ? fmt::format("{}, level {}", series.name, level) : series.name,
                         times(mean_gap(points)),
                         fmt::format("the bound, geometric mean of {}", points.size())));
    }
  }
  return out;
}

}  // namespace

std::string light_speed_html(const LightSpeed& data) {
  Element main("main", {},
               std::vector{Element("h1", {}, light_speed_title(data)),
                           Element("p", {{"class", "sub"}}, light_speed_summary(data))});
  if (const auto wrong = data.impossible(); !wrong.empty())
    main.add(
        Element("p", {{"class", "bad"}},
                fmt::format("{} of these times are below the bound: either the time or the bound is wrong.",
                            wrong.size())));
  main.add(cards(data));
  main.add(page::figure(light_speed_picture(data, false)));
  for (const std::string& each : light_speed_caption(data)) main.add(Element("p", {{"class", "note"}}, each));
  main.add(Element("h2", {}, "All of them, the farthest first"));
  main.add(table(data));
  if (!data.left_out.empty()) {
    main.add(Element("h2", {}, "Not shown"));
    for (const std::string& each : data.left_out) main.add(Element("p", {{"class", "note"}}, each));
  }
  return page::document(light_speed_title(data), std::move(main));
}

std::string light_speed_text(const LightSpeed& data) {
  std::string out = fmt::format("{}\n{}\n\n", light_speed_title(data), light_speed_summary(data));
  out += fmt::format("{:<32}{:>9}{:>24}\n", "", "problems", "time / bound, geomean");
  for (const LightSeries& series : data.series) {
    for (const auto& [level, points] : by_level(series))
      out += fmt::format("{:<32}{:>9}{:>24}\n",
                         level > 0 ? fmt::format("{}, level {}", series.name, level) : series.name,
                         points.size(), times(mean_gap(points)));
  }
  std::vector<Line> all = sorted_lines(data);
  std::erase_if(all, [](const Line& each) { return !each.point->has_gap(); });
  const auto show = [&](const Line& each) {
    out += fmt::format("{:>9}  {:<60} {:>12} {} against {:>12} by {}\n", times(each.point->gap()),
                       each.point->label, duration(each.point->time_us),
                       each.point->modelled ? "modelled" : "measured", duration(each.point->bound_us),
                       each.point->by);
  };
  constexpr size_t kShown = 10;
  out += "\nnearest to light speed\n";
  for (size_t i = 0; i < std::min(kShown, all.size()); ++i) show(all[all.size() - 1 - i]);
  out += "\nfarthest from it\n";
  for (size_t i = 0; i < std::min(kShown, all.size()); ++i) show(all[i]);
  out += "\n";
  for (const std::string& each : light_speed_caption(data)) out += each + "\n";
  return out;
}

}  // namespace uc
