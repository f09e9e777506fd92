#include "agent/json_rows.h"

#include <nlohmann/json.hpp>

namespace uc {
namespace {

template <class Trial>
nlohmann::ordered_json rows(const std::vector<Trial>& trials) {
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

}  // namespace

nlohmann::ordered_json trial_rows(const std::vector<EvalTrial>& trials) { return rows(trials); }
nlohmann::ordered_json trial_rows(const std::vector<CaseCheck>& trials) { return rows(trials); }

nlohmann::ordered_json speedup_rows(const std::vector<Speedup>& speedups) {
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
