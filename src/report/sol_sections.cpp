#include "report/sol_sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "report/page.h"
#include "report/times.h"
#include "sol/quantity.h"

namespace uc::page {
namespace {

std::string by_text(const SolTime& time) {
  struct Unit {
    std::string_view by, words;
  };
  constexpr std::array<Unit, 5> kUnits{{{"tensor", "limited by the tensor cores"},
                                        {"memory", "limited by memory"},
                                        {"fma", "limited by the multiply-add units"},
                                        {"special", "limited by special functions"},
                                        {"integer", "limited by the integer units"}}};
  if (time.total_us > 0 && time.total_us < 0.1) return "all but known beforehand";
  const auto found = std::ranges::find(kUnits, time.by, &Unit::by);
  return found != kUnits.end() ? std::string(found->words)
         : time.by.empty()     ? "the result is known beforehand"
                               : fmt::format("limited by {}", time.by);
}

Element tags(const std::vector<SolRule>& rules) {
  Element out("td");
  for (const SolRule& each : rules) {
    Element tag("span", {{"class", each.holds == Holds::observed ? "tag seen" : "tag"}}, each.id);
    tag.set({"title", fmt::format("{}: {}", each.where, each.justification)});
    out.add(std::move(tag));
  }
  return out;
}

std::string count_or_dash(double value, std::string_view unit) {
  return value > 0 ? scaled(value, unit) : "-";
}

// "1.49x"; bounds of almost nothing have no multiples.
std::string ratio_text(double time_us, const SolTime& bound) {
  return bound.total_us >= 0.1 && std::isfinite(bound.total_us) ? times(time_us / bound.total_us) : "-";
}

}  // namespace

Element bound_cards(const SolSubject& subject) {
  const SolReport& report = subject.report;
  Element out("div", {{"class", "cards"}});
  const bool observed = report.promised.total_us > report.certified.total_us;
  out.add(card("certified bound", duration(report.certified.total_us),
               fmt::format("{}; no correct implementation is faster{}", by_text(report.certified),
                           observed ? " on inputs like those that were captured" : ""),
               true));
  if (observed)
    out.add(card("certified on any inputs", duration(report.promised.total_us),
                 fmt::format("{}; by rules that always hold", by_text(report.promised))));
  const std::string rates =
      report.calibrated_dram_tbps > 0
          ? fmt::format("at the best rates seen, without {} a launch", duration(report.launch_floor_us))
          : std::string("at theoretical rates, since none was ever measured on this device");
  out.add(card("calibrated bound", duration(report.calibrated.total_us),
               fmt::format("{}; {}", by_text(report.calibrated), rates)));
  if (const MeasuredTime* best = best_time(subject)) {
    const bool told = ratio_text(best->time_us, report.certified) != "-";
    out.add(card(fmt::format("best {} time", best->modelled ? "modelled" : "measured"),
                 duration(best->time_us),
                 told ? fmt::format("{}; {} the certified bound, {} the calibrated one", best->name,
                                    ratio_text(best->time_us, report.certified),
                                    ratio_text(best->time_us, report.calibrated))
                      : best->name));
  }
  if (report.verdict) {
    const SolVerdict& verdict = *report.verdict;
    const bool impossible = verdict.word == "impossible";
    Element judged =
        card("the given time", duration(verdict.time_us),
             fmt::format("{}: {} the certified bound{}", verdict.word, times(verdict.over_certified),
                         verdict.score ? fmt::format(", score {:.3f}", *verdict.score) : ""));
    if (impossible) judged.set({"class", "wrong"});
    out.add(std::move(judged));
  }
  return out;
}

Element step_table(const SolReport& report) {
  Table out({{"step"},
             {"operators"},
             {"shapes"},
             {"multiplied as"},
             {"FLOP", true},
             {"FLOP at least", true},
             {"scalar ops", true},
             {"bytes", true},
             {"calibrated", true},
             {"share"},
             {"bound by"},
             {"rules"}});
  for (const SolStep& each : report.steps) {
    const SolWork& work = each.work;
    const double scalar = work.fma_ops + work.special_ops + work.integer_ops;
    out.row({cell(each.names),
             cell(each.covered ? each.what : each.what + " (bytes only)", each.covered ? "" : "bad"),
             cell(each.shapes, "wide dim"), cell(each.math), cell(count_or_dash(work.dense_flops, "")),
             cell(work.dense_flops > 0 ? scaled(work.minimum_flops, "") : "-"),
             cell(count_or_dash(scalar, "")), cell(scaled(work.read_bytes + work.write_bytes, "B")),
             cell(each.at_load ? "at load" : duration(each.calibrated.total_us)),
             each.at_load ? cell("") : share(each.share), cell(each.at_load ? "" : each.calibrated.by),
             tags(each.rules)});
  }
  return out.element();
}

Element what_if_table(const SolReport& report) {
  Table out({{"multiplied as"},
             {"precision"},
             {"certified", true},
             {"by"},
             {"calibrated", true},
             {"by"},
             {"passes a tolerance of"}});
  for (const SolWhatIf& each : report.what_if) {
    out.row({cell(each.math), cell(each.precision), cell(duration(each.certified.total_us)),
             cell(each.certified.by), cell(duration(each.calibrated.total_us)), cell(each.calibrated.by),
             cell(each.tolerance.empty() ? "depends on scales" : each.tolerance)},
            each.precision == name(report.precision) && each.certified.total_us == report.certified.total_us
                ? "now"
                : "");
  }
  return out.element();
}

Element rule_table(const SolReport& report) {
  if (report.rules.empty())
    return Element("p", {{"class", "note"}}, "No rule made the least work less than the work as written.");
  Table out({{"rule"}, {"where"}, {"holds"}, {"why"}});
  for (const SolRule& each : report.rules) {
    const bool seen = each.holds == Holds::observed;
    out.row({cell(each.id), cell(each.where),
             Element("td", {},
                     std::vector{Element("span", {{"class", seen ? "tag seen" : "tag"}},
                                         seen ? "on observed inputs" : "always")}),
             cell(each.justification, "wide")});
  }
  return out.element();
}

Element time_table(const SolSubject& subject) {
  Table out(
      {{"time of"}, {"", false}, {"time", true}, {"/ certified", true}, {"/ calibrated", true}, {"from"}});
  for (const MeasuredTime& each : subject.times) {
    const bool bound = is_bound(subject.report, each);
    std::string note = each.note;
    if (!each.own_io) note = "other types of inputs or results; " + note;
    if (!within_licence(each.precision, subject.report.precision))
      note = fmt::format("{}, which {} does not allow; {}", name(each.precision),
                         name(subject.report.precision), note);
    out.row(
        {cell(each.name),
         cell(each.given      ? "given"
              : each.modelled ? "modelled"
                              : "measured"),
         cell(duration(each.time_us)), cell(bound ? ratio_text(each.time_us, subject.report.certified) : "-"),
         cell(bound ? ratio_text(each.time_us, subject.report.calibrated) : "-"), cell(note, "wide dim")});
  }
  return out.element();
}

Element device_table(const SolSubject& subject) {
  const DeviceSpec& device = *subject.device;
  const SolReport& report = subject.report;
  Table out({{"unit"}, {"theoretical", true}, {"best seen", true}});
  out.row({cell("memory"), cell(fmt::format("{:.2f} TB/s", report.dram_tbps)),
           cell(report.calibrated_dram_tbps > 0 ? fmt::format("{:.2f} TB/s", report.calibrated_dram_tbps)
                                                : "-")});
  const double clock = device.boost_mhz > 0 ? report.clock_mhz / device.boost_mhz : 1;
  for (const UnitRate& each : device.rates) {
    const double peak = device.peak_flops(each.math) * clock;
    if (!(peak > 0)) continue;
    out.row({cell(name(each.math)), cell(fmt::format("{:.1f} TFLOP/s", peak / 1e12)),
             cell(each.calibrated_tflops > 0 ? fmt::format("{:.1f} TFLOP/s", each.calibrated_tflops) : "-")});
  }
  return out.element();
}

Element work_table(const SolReport& report) {
  Table out({{"work of the whole"}, {"as written", true}, {"at least", true}});
  struct Kind {
    std::string_view name, unit;
    double SolWork::* member;
  };
  constexpr std::array<Kind, 5> kKinds{{{"multiply-add instructions", "", &SolWork::fma_ops},
                                        {"special functions", "", &SolWork::special_ops},
                                        {"integer instructions", "", &SolWork::integer_ops},
                                        {"bytes read", "B", &SolWork::read_bytes},
                                        {"bytes written", "B", &SolWork::write_bytes}}};
  out.row({cell("matrix products"), cell(count_or_dash(report.work.dense_flops, "FLOP")),
           cell(count_or_dash(report.minimum.minimum_flops, "FLOP"))});
  for (const Kind& each : kKinds) {
    if (!(report.work.*each.member > 0) && !(report.minimum.*each.member > 0)) continue;
    out.row({cell(each.name), cell(count_or_dash(report.work.*each.member, each.unit)),
             cell(count_or_dash(report.minimum.*each.member, each.unit))});
  }
  return out.element();
}

Element trust_lines(const SolReport& report) {
  Element out("div");
  out.add(Element("p", {},
                  fmt::format("The work of {} of the operators is counted; confidence is {}.",
                              percent(report.coverage), report.confidence)));
  const auto list = [&](std::string_view title, const std::vector<std::string>& lines) {
    for (const std::string& each : lines)
      out.add(Element("p", {{"class", "note"}}, fmt::format("{}: {}", title, each)));
  };
  list("counted by its bytes only", report.uncovered);
  list("lowers confidence", report.reasons);
  list("structure", report.structure);
  return out;
}

Element comparison_table(std::span<const SolSubject> subjects) {
  Table out({{"problem"},
             {"device"},
             {"precision"},
             {"certified", true},
             {"by"},
             {"calibrated", true},
             {"FLOP/byte", true},
             {"best time", true},
             {"/ certified", true}});
  for (const SolSubject& each : subjects) {
    const SolReport& report = each.report;
    if (!each.missing.empty()) {
      std::vector<Element> row{cell(report.program, "wide"), cell(report.device_name, "one"),
                               cell(name(report.precision)), cell("-"), cell(each.missing, "dim")};
      while (row.size() < 9) row.push_back(cell(""));
      out.row(std::move(row));
      continue;
    }
    const MeasuredTime* best = best_time(each);
    out.row({cell(report.program, "wide"), cell(report.device_name, "one"), cell(name(report.precision)),
             cell(duration(report.certified.total_us)), cell(report.certified.by),
             cell(report.calibrated_dram_tbps > 0 ? duration(report.calibrated.total_us) : "not measured"),
             cell(report.intensity > 0 ? fmt::format("{:.1f}", report.intensity) : "-"),
             cell(best == nullptr ? "-" : duration(best->time_us)),
             cell(best == nullptr ? "-" : ratio_text(best->time_us, report.certified))});
  }
  return out.element();
}

}  // namespace uc::page
