#include "agent/correctness.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/json_rows.h"

namespace uc {

MeaningCheck MeaningChecker::check(const Candidate& candidate) const {
  MeaningCheck out;
  if (!problem_.reduced || !candidate.reduced) {
    out.why = problem_.reduced_missing.empty() ? "the candidate has no form at reduced sizes"
                                               : problem_.reduced_missing;
    return out;
  }
  auto cases = run_cases(catalog_, *candidate.reduced, tensors_, *problem_.reduced,
                         tolerance_of(allowed_, problem_.reduced->graph));
  if (!cases) {
    out.why = cases.error().message;
    return out;
  }
  out.checked = true;
  out.cases = std::move(*cases);
  const auto wrong = std::ranges::find_if(out.cases, [](const CaseCheck& each) { return !each.passed; });
  out.passed = wrong == out.cases.end();
  if (!out.passed) out.why = wrong->name + ": " + wrong->why;
  return out;
}

std::string cases_json(const std::vector<CaseCheck>& cases) { return trial_rows(cases).dump(); }

}  // namespace uc
