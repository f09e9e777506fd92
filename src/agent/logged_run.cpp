#include "agent/logged_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/records.h"

namespace uc {
namespace {

double certified_of(const RunRecord& run) {
  const auto summary = nlohmann::json::parse(run.summary, nullptr, false);
  if (!summary.is_object() || !summary.contains("sol") || !summary["sol"].is_object()) return 0;
  return summary["sol"].value("certified_us", 0.0);
}

}  // namespace

Result<schedule::LoggedProblem> logged(const RunRecord& run, const std::vector<AttemptRecord>& attempts,
                                       const std::vector<ExchangeRecord>& exchanges) {
  schedule::LoggedProblem out;
  out.name = run.problem;
  const auto baselines = parse_baselines(run.baselines);
  const Baseline* best = baselines ? baselines->find(baselines->best) : nullptr;
  out.reference_us = best != nullptr ? best->us : 0;
  out.sol_us = certified_of(run);
  if (out.reference_us <= 0 || out.sol_us <= 0)
    return fail(
        fmt::format("run {} of {} has no {}", run.id, run.problem,
                    out.reference_us <= 0 ? "time of PyTorch" : "bound, since it did not come to its end"),
        fmt::format("go on with it: `ucutlass optimize --resume {}`", run.id));
  for (const AttemptRecord& each : attempts) {
    if (is_final(each.rewrite)) continue;
    const bool accepted = judgement_of(each).ok() && each.time_us > 0;
    double tokens = 0;
    for (const ExchangeRecord& exchange : exchanges) {
      if (exchange.attempt == each.number) tokens += static_cast<double>(spent_on(exchange).tokens());
    }
    out.attempts.push_back(
        {accepted, accepted ? each.time_us : 0, tokens, std::max(0.0, each.ended - each.started)});
  }
  return out;
}

}  // namespace uc
