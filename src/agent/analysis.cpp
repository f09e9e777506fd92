#include "agent/analysis.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "sol/sol.h"

namespace uc {
namespace {

constexpr size_t kMostRows = 8;  // steps and rules that a report names

std::string work_line(const SolWork& work) {
  return fmt::format(
      "Least work: {:.4g} GFLOP of products, {:.4g} G other operations, {:.4g} MB read, {:.4g} MB "
      "written.\n",
      work.minimum_flops / 1e9, (work.fma_ops + work.special_ops + work.integer_ops) / 1e9,
      work.read_bytes / 1e6, work.write_bytes / 1e6);
}

std::string level_lines(const SolReport& report) {
  std::string out = "\n| cut into kernels | kernels | us at the best rates seen |\n|---|---|---|\n";
  for (const SolLevel& level : report.levels)
    out += fmt::format("| {}: {} | {} | {:.2f} |\n", level.name, level.summary, level.kernels,
                       level.calibrated_us);
  return out;
}

std::string step_lines(const SolReport& report) {
  std::vector<const SolStep*> steps;
  for (const SolStep& step : report.steps) {
    if (!step.at_load) steps.push_back(&step);
  }
  std::ranges::stable_sort(steps, std::greater<>{}, &SolStep::share);
  if (steps.size() > kMostRows) steps.resize(kMostRows);
  std::string out = "\n| step as written | share of its kernels' bounds | bound by |\n|---|---|---|\n";
  for (const SolStep* step : steps)
    out += fmt::format("| {} = {} {} | {:.0f} % | {} |\n", step->names, step->what, step->shapes,
                       100 * step->share, step->calibrated.by);
  return out;
}

std::string rule_lines(const SolReport& report) {
  std::string out;
  for (size_t i = 0; i < std::min(report.rules.size(), kMostRows); ++i) {
    const SolRule& rule = report.rules[i];
    if (rule.holds != Holds::always) continue;
    out += fmt::format("- less work at {}: {}\n", rule.where, rule.justification);
  }
  return out.empty() ? out : "\n" + out;
}

std::string report_markdown(const SolReport& report) {
  return fmt::format(
             "Speed of light of the problem at this precision: {:.2f} us certified, {:.2f} us at the best "
             "rates seen, bound by {}.\n",
             report.certified.total_us, report.calibrated.total_us, report.certified.by) +
         work_line(report.minimum) + level_lines(report) + step_lines(report) + rule_lines(report);
}

}  // namespace

Bounds bounds_of(const Catalog& catalog, const Program& naive, const DeviceSpec& device,
                 Precision precision) {
  SolOptions options;
  options.precision = precision;
  const SolReport report = speed_of_light(catalog, naive, device, options);
  return {report.certified.total_us, report.calibrated.total_us, std::string(report.certified.by),
          report_markdown(report)};
}

Analysis analyze(const Catalog& catalog, const DeviceSpec& device, const Bounds& bounds,
                 const Outcome* best) {
  Analysis out;
  out.bounds = bounds;
  out.best_us = best == nullptr ? std::numeric_limits<double>::infinity() : best->judgement.time_us;
  if (best == nullptr) return out;
  out.gap = bounds.calibrated_us > 0 ? out.best_us / bounds.calibrated_us : 1;
  if (best->candidate->ok() && !best->candidate->raw)
    out.launches = costs_of(catalog, *best->candidate->compiled, device);
  return out;
}

std::string analysis_markdown(const Analysis& analysis, const Outcome* best) {
  if (best == nullptr) return "# Analysis\n\nNo program is right yet.\n";
  std::string out = fmt::format(
      "# Analysis\n\nBest: attempt {}, {:.2f} us ({}). Speed of light: {:.2f} us certified, {:.2f} us "
      "calibrated, bound by {}. Gap {:.2f}.\n\n"
      "| launch | modelled us | share | bound by |\n|---|---|---|---|\n",
      best->number, analysis.best_us, name(best->judgement.kind), analysis.bounds.certified_us,
      analysis.bounds.calibrated_us, analysis.bounds.by, analysis.gap);
  double total = 0;
  for (const LaunchCost& each : analysis.launches) total += each.estimate.total_us;
  for (const LaunchCost& each : analysis.launches) {
    out += fmt::format("| {} | {:.2f} | {:.0f} % | {} |\n", each.summary, each.estimate.total_us,
                       100 * each.estimate.total_us / std::max(total, 1e-9),
                       each.estimate.compute_us > each.estimate.memory_us ? "compute" : "memory");
  }
  return out;
}

std::string analysis_json(const Analysis& analysis) {
  nlohmann::ordered_json launches = nlohmann::ordered_json::array();
  for (const LaunchCost& each : analysis.launches) {
    launches.push_back({{"launch", each.summary},
                        {"us", each.estimate.total_us},
                        {"compute_us", each.estimate.compute_us},
                        {"memory_us", each.estimate.memory_us},
                        {"waves", each.estimate.waves}});
  }
  const nlohmann::ordered_json out = {{"schema", "ucutlass.analysis/1"},
                                      {"certified_us", analysis.bounds.certified_us},
                                      {"calibrated_us", analysis.bounds.calibrated_us},
                                      {"bound_by", analysis.bounds.by},
                                      {"best_us", analysis.best_us},
                                      {"gap", analysis.gap},
                                      {"launches", std::move(launches)}};
  return out.dump(2) + "\n";
}

}  // namespace uc
