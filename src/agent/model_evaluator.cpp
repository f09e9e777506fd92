#include "agent/model_evaluator.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "eval/recorded_times.h"
#include "sol/sol.h"

namespace uc {
namespace {

std::string best_of(const std::vector<Baseline>& all) {
  const Baseline* best = nullptr;
  for (const Baseline& each : all) {
    if (each.own_io && each.passed && each.us > 0 && (best == nullptr || each.us < best->us)) best = &each;
  }
  return best == nullptr ? std::string() : best->name;
}

}  // namespace

std::vector<Baseline> recorded_baselines(const std::string& problem, std::string_view device) {
  std::vector<Baseline> out;
  if (device != kRecordedDevice) return out;
  for (const std::string_view line : split(recorded_times(), '\n')) {
    const auto row = nlohmann::json::parse(line, nullptr, false);
    if (!row.is_object() || row.value("name", "") != problem) continue;
    for (const RecordedColumn& column : recorded_columns()) {
      const double ms =
          row.contains(column.json) && row[column.json].is_number() ? row[column.json].get<double>() : 0.0;
      if (ms <= 0) continue;
      out.push_back({std::string(column.name), ms * 1e3, TimeKind::measured, column.io != RecordedIo::all_16,
                     true, "recorded earlier on one H200, one run"});
    }
  }
  return out;
}

Result<Baselines> ModelEvaluator::baselines() {
  known_.device = device_.full_name;
  known_.all = recorded_baselines(problem_.name, device_.name);
  if (known_.all.empty()) {
    // One kernel an operator, each at the best rates seen: no PyTorch is faster without fusing.
    const SolReport report =
        speed_of_light(catalog_, naive_, device_,
                       {.precision = Precision::tf32, .clock_mhz = {}, .time_us = {}, .base_us = {}});
    for (const SolLevel& level : report.levels) {
      if (level.name != "unfused") continue;
      const double us = level.calibrated_us + static_cast<double>(level.kernels) * report.launch_floor_us;
      known_.all.push_back({"eager_tf32", us, TimeKind::modelled, true, true,
                            "modelled: one kernel an operator at the best rates seen"});
    }
  }
  known_.best = best_of(known_.all);
  return known_;
}

Result<Judgement> ModelEvaluator::judge(const Candidate& candidate, const std::string&, const std::string&,
                                        Effort) {
  Judgement out;
  if (candidate.raw) {
    out.label = "broken";
    out.reason = "not_checked";
    out.message = "CUDA has no modelled time";
    return out;
  }
  const MeaningCheck meaning = meaning_.check(candidate);
  out.correctness = cases_json(meaning.cases);
  if (!meaning.passed) {
    out.label = meaning.checked ? "incorrect" : "broken";
    out.reason = meaning.checked ? "wrong_result" : "not_checked";
    out.message = meaning.why;
    return out;
  }
  out.label = "ok";
  out.kind = TimeKind::modelled;
  out.time_us = candidate.modelled_us;
  nlohmann::ordered_json launches = nlohmann::ordered_json::array();
  for (const LaunchCost& cost : costs_of(catalog_, *candidate.compiled, device_)) {
    launches.push_back({{"launch", cost.summary},
                        {"us", cost.estimate.total_us},
                        {"compute_us", cost.estimate.compute_us},
                        {"memory_us", cost.estimate.memory_us},
                        {"waves", cost.estimate.waves}});
  }
  out.timing = nlohmann::ordered_json{
      {"kind", "modelled"},
      {"device", device_.name},
      {"us", out.time_us},
      {"launches",
       launches}}.dump();
  for (const Baseline& each : known_.all) {
    const double speedup = each.us / out.time_us;
    out.speedups.push_back({each.name, each.us, out.time_us, speedup, speedup, speedup, "modelled"});
  }
  return out;
}

}  // namespace uc
