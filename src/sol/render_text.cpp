#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "sol/quantity.h"
#include "sol/sol.h"

namespace uc {
namespace {

std::string microseconds(double us) { return duration(us, "us"); }

std::string bold(bool on, std::string_view text) {
  return on ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

using Out = std::back_insert_iterator<std::string>;

void head(Out out, const SolReport& report, bool color) {
  const std::string title = report.program.empty() ? "speed of light" : "speed of light of " + report.program;
  fmt::format_to(out, "{}\n", bold(color, title));
  fmt::format_to(out, "device      {} ({}), SMs at {:.0f} MHz, memory {:.2f} TB/s", report.device,
                 report.device_name, report.clock_mhz, report.dram_tbps);
  if (report.calibrated_dram_tbps > 0) fmt::format_to(out, " ({:.2f} seen)", report.calibrated_dram_tbps);
  const SolWork& work = report.work;
  fmt::format_to(out, "\nprecision   {}\nwork        {} on tensor cores", name(report.precision),
                 scaled(work.dense_flops, "FLOP"));
  const SolWork& least = report.minimum;
  if (least.minimum_flops != work.dense_flops)
    fmt::format_to(out, " ({} are needed)", scaled(least.minimum_flops, "FLOP"));
  fmt::format_to(out, ", {} multiply-adds, {} special functions\n", scaled(work.fma_ops, ""),
                 scaled(work.special_ops, ""));
  fmt::format_to(out, "memory      {} read", scaled(work.read_bytes, "B"));
  if (least.read_bytes != work.read_bytes)
    fmt::format_to(out, " ({} are needed)", scaled(least.read_bytes, "B"));
  fmt::format_to(out, ", {} written; {:.1f} FLOP/B, ridge {:.1f}\n\n", scaled(work.write_bytes, "B"),
                 report.intensity, report.ridge);
}

void bounds(Out out, const SolReport& report, bool color) {
  const auto by = [](const SolTime& time) {
    return time.by.empty() ? std::string("no work") : fmt::format("by {}", time.by);
  };
  const bool leans = report.certified.total_us < report.promised.total_us;
  fmt::format_to(out, "{} {:>12}   {:<11} no correct implementation is faster{}\n", bold(color, "certified "),
                 microseconds(report.certified.total_us), by(report.certified),
                 leans ? " on inputs like those that were seen" : "");
  if (leans) {
    fmt::format_to(out, "{} {:>12}   {:<11} nor on any other inputs\n", bold(color, "promised  "),
                   microseconds(report.promised.total_us), by(report.promised));
  }
  // Without any the theoretical ones stand in.
  const bool seen = report.calibrated_dram_tbps > 0;
  fmt::format_to(out, "{} {:>12}   {:<11} {}; a launch takes {} more\n\n", bold(color, "calibrated"),
                 microseconds(report.calibrated.total_us), by(report.calibrated),
                 seen ? "at the best rates measured" : "no rates were measured: theoretical ones",
                 microseconds(report.launch_floor_us));
}

void levels(Out out, const SolReport& report, bool color) {
  fmt::format_to(out, "{}\n", bold(color, "level     kernels   theoretical    calibrated"));
  for (const SolLevel& level : report.levels) {
    fmt::format_to(out, "{:<9} {:>7}  {:>12}  {:>12}   {}\n", level.name, level.kernels,
                   microseconds(level.theoretical_us), microseconds(level.calibrated_us), level.summary);
  }
  fmt::format_to(out, "\n");
}

void steps(Out out, const SolReport& report, bool color) {
  size_t names = 5;
  size_t what = 9;
  for (const SolStep& step : report.steps) {
    names = std::max(names, std::min<size_t>(step.names.size(), 24));
    what = std::max(what, std::min<size_t>(step.what.size(), 48));
  }
  fmt::format_to(
      out, "{}\n",
      bold(color, fmt::format("{:<{}}  {:<{}}  {:<6} {:>11} {:>10} {:>12} {:<8} {:>5}", "step", names,
                              "operators", what, "math", "FLOP", "bytes", "calibrated", "by", "share")));
  for (const SolStep& step : report.steps) {
    const double bytes = step.work.read_bytes + step.work.write_bytes;
    fmt::format_to(out, "{:<{}}  {:<{}}  {:<6} {:>11} {:>10} ", step.names, names, step.what, what, step.math,
                   scaled(step.work.dense_flops, ""), scaled(bytes, "B"));
    if (step.at_load) {
      fmt::format_to(out, "{:>12}\n", "at load");
    } else {
      fmt::format_to(out, "{:>12} {:<8} {:>4.0f}%\n", microseconds(step.calibrated.total_us),
                     step.calibrated.by, step.share * 100);
    }
  }
  fmt::format_to(out, "\n");
}

void rules(Out out, const SolReport& report, bool color) {
  if (report.rules.empty()) return;
  constexpr size_t kMost = 12;  // the others are in the JSON
  fmt::format_to(out, "{}\n", bold(color, "what makes it less than as written"));
  for (size_t i = 0; i < std::min(kMost, report.rules.size()); ++i) {
    const SolRule& rule = report.rules[i];
    fmt::format_to(out, "{:<20} {:<9} {}: {}\n", rule.id, name(rule.holds), rule.where, rule.justification);
  }
  if (report.rules.size() > kMost) fmt::format_to(out, "and {} more\n", report.rules.size() - kMost);
  fmt::format_to(out, "\n");
}

void what_if(Out out, const SolReport& report, bool color) {
  fmt::format_to(out, "{}\n", bold(color, "multiplied as  precision     certified    calibrated  passes"));
  for (const SolWhatIf& each : report.what_if) {
    fmt::format_to(out, "{:<14} {:<9} {:>13} {:>13}  {}\n", each.math, each.precision,
                   microseconds(each.certified.total_us), microseconds(each.calibrated.total_us),
                   each.tolerance.empty() ? "depends on scales" : each.tolerance);
  }
}

void verdict(Out out, const SolVerdict& verdict, bool color) {
  fmt::format_to(out, "\n{} {}: {:.2f}x the certified bound, {:.2f}x the calibrated one: {}",
                 bold(color, "time"), microseconds(verdict.time_us), verdict.over_certified,
                 verdict.over_calibrated, verdict.word);
  if (verdict.score) fmt::format_to(out, "; score {:.3f}", *verdict.score);
  fmt::format_to(out, "\n");
}

}  // namespace

std::string sol_text(const SolReport& report, bool color) {
  std::string text;
  const Out out(text);
  head(out, report, color);
  bounds(out, report, color);
  levels(out, report, color);
  steps(out, report, color);
  rules(out, report, color);
  what_if(out, report, color);
  if (report.verdict) verdict(out, *report.verdict, color);
  fmt::format_to(out, "\ncoverage {:.0f}%, confidence {}", report.coverage * 100, report.confidence);
  for (const std::string& reason : report.reasons) fmt::format_to(out, "; {}", reason);
  fmt::format_to(out, "\n");
  return text;
}

}  // namespace uc
