#include "report/sol_page.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/page.h"
#include "report/roofline_plot.h"
#include "report/sol_sections.h"
#include "report/times.h"
#include "sol/quantity.h"

namespace uc {
namespace {

using markup::Element;

// A page of a whole suite would be tens of megabytes.
constexpr size_t kDetailed = 16;

Element note(std::string_view content) { return Element("p", {{"class", "note"}}, content); }

std::string title_of(const SolReport& report) {
  return report.program.empty() ? "Speed of light" : "Speed of light of " + report.program;
}

std::string where_of(const SolReport& report) {
  return fmt::format("{} ({}), SMs at {:.0f} MHz, memory {:.2f} TB/s, f32 data multiplied as {}",
                     report.device_name, report.device, report.clock_mhz, report.dram_tbps,
                     name(report.precision));
}

void roofline(Element& out, const SolSubject& subject, const std::string& id) {
  const SolReport& report = subject.report;
  out.add(Element("h2", {}, "Roofline"));
  out.add(page::figure(roofline_picture(subject, "inside" + id)));
  const std::string place =
      report.intensity > 0 && report.ridge > 0
          ? fmt::format("{:.1f} FLOP/byte against a ridge of {:.1f}. ", report.intensity, report.ridge)
          : "";
  out.add(
      note(fmt::format("{}Solid: theoretical ceilings at the highest clock. Dashed: the best "
                       "rates seen. The whole problem stands on its dotted line: star certified, diamond "
                       "calibrated, squares times "
                       "that were taken. Discs are operators alone (lozenges: scalar ones), their size is "
                       "the share of time. {}",
                       place, roofline_note(report))));
}

// All that there is about one subject, below its title.
void sections(Element& out, const SolSubject& subject, const std::string& id) {
  const SolReport& report = subject.report;
  if (!subject.missing.empty()) {
    out.add(Element("p", {{"class", "bad"}}, subject.missing));
    return;
  }
  out.add(page::bound_cards(subject));
  roofline(out, subject, id);
  out.add(Element("h2", {}, "From one kernel to one an operator"));
  out.add(page::figure(ladder_picture(subject)));
  out.add(note("Blue: theoretical rates. Green: the best rates seen. Launches are counted in neither."));
  if (!subject.times.empty()) {
    out.add(Element("h2", {}, "Times taken"));
    out.add(page::time_table(subject));
  }
  out.add(Element("h2", {}, "Operators"));
  out.add(page::step_table(report));
  out.add(Element("h2", {}, "If f32 data were multiplied in another way"));
  out.add(page::what_if_table(report));
  out.add(Element("h2", {}, "Rules that made the least work less"));
  out.add(page::rule_table(report));
  out.add(page::work_table(report));
  out.add(Element("h2", {}, "How far to trust it"));
  out.add(page::trust_lines(report));
  out.add(Element("h2", {}, "The device's ceilings"));
  out.add(page::device_table(subject));
  out.add(note(subject.device->source));
  out.add(Element("h2", {}, "Again"));
  out.add(Element("pre", {}, subject.command));
}

Element heading(const SolReport& report) {
  return Element("div", {},
                 {Element("h1", {}, title_of(report)), Element("p", {{"class", "sub"}}, where_of(report))});
}

}  // namespace

bool is_bound(const SolReport& report, const MeasuredTime& time) {
  return time.own_io && within_licence(time.precision, report.precision);
}

const MeasuredTime* best_time(const SolSubject& subject) {
  const MeasuredTime* best = nullptr;
  for (const MeasuredTime& each : subject.times) {
    if (each.given || !is_bound(subject.report, each)) continue;
    if (best == nullptr || each.time_us < best->time_us) best = &each;
  }
  return best;
}

std::string sol_html(std::span<const SolSubject> subjects) {
  Element main("main");
  if (subjects.size() == 1) {
    main.add(heading(subjects.front().report));
    sections(main, subjects.front(), "");
    return page::document(title_of(subjects.front().report), std::move(main));
  }
  const std::string title = fmt::format("Speed of light: {} bounds", subjects.size());
  main.add(Element("h1", {}, title));
  main.add(page::comparison_table(subjects));
  if (subjects.size() > kDetailed) {
    main.add(note(fmt::format("Up to {} are shown in full below such a table.", kDetailed)));
    main.add(Element("pre", {}, subjects.front().command));
    return page::document(title, std::move(main));
  }
  for (size_t i = 0; i < subjects.size(); ++i) {
    Element one("details", {},
                std::vector{Element(
                    "summary", {},
                    fmt::format("{} on {}", title_of(subjects[i].report), subjects[i].report.device_name))});
    one.add(heading(subjects[i].report));
    sections(one, subjects[i], fmt::format("{}", i));
    main.add(std::move(one));
  }
  return page::document(title, std::move(main));
}

}  // namespace uc
