#include "agent/analysis.h"

#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "sol/sol.h"

namespace uc {

Bounds bounds_of(const Catalog& catalog, const Program& naive, const DeviceSpec& device,
                 Precision precision) {
  SolOptions options;
  options.precision = precision;
  const SolReport report = speed_of_light(catalog, naive, device, options);
  return {report.certified.total_us, report.calibrated.total_us, std::string(report.certified.by)};
}

Analysis analyze(const Catalog& catalog, const DeviceSpec& device, const Bounds& bounds,
                 const Outcome* best) {
  Analysis out;
  out.bounds = bounds;
  out.best_us = best == nullptr ? std::numeric_limits<double>::infinity() : best->judgement.time_us;
  if (best == nullptr) return out;
  out.gap = bounds.calibrated_us > 0 ? out.best_us / bounds.calibrated_us : 1;
  if (best->candidate->ok()) out.launches = costs_of(catalog, *best->candidate->compiled, device);
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
