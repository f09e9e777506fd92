#pragma once
// Why: trials and speedups look the same in records, reports and logs. Only for sources that write JSON.
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/evaluator.h"

namespace uc {

/// [{"name", "passed", "excess", "error", "error_bound", "why"}], of an EvalTrial or a CaseCheck.
template <class Trial>
nlohmann::ordered_json trial_rows(const std::vector<Trial>& trials) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Trial& each : trials) {
    out.push_back({{"name", each.name},
                   {"passed", each.passed},
                   {"excess", each.excess},
                   {"error", each.error},
                   {"error_bound", each.error_bound},
                   {"why", each.why}});
  }
  return out;
}

/// [{"baseline", "baseline_us", "candidate_us", "speedup", "low", "high", "verdict"}]
inline nlohmann::ordered_json speedup_rows(const std::vector<Speedup>& speedups) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Speedup& each : speedups) {
    out.push_back({{"baseline", each.baseline},
                   {"baseline_us", each.baseline_us},
                   {"candidate_us", each.candidate_us},
                   {"speedup", each.speedup},
                   {"low", each.low},
                   {"high", each.high},
                   {"verdict", each.verdict}});
  }
  return out;
}

}  // namespace uc
