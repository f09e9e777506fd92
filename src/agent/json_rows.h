#pragma once
// Why: trials and speedups look the same in records, reports and logs.
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "agent/evaluator.h"
#include "eval/eval.h"
#include "import/verify.h"

namespace uc {

/// [{"name", "passed", "excess", "error", "error_bound", "why"}]
nlohmann::ordered_json trial_rows(const std::vector<EvalTrial>& trials);
nlohmann::ordered_json trial_rows(const std::vector<CaseCheck>& trials);

/// [{"baseline", "baseline_us", "candidate_us", "speedup", "low", "high", "verdict"}]
nlohmann::ordered_json speedup_rows(const std::vector<Speedup>& speedups);

}  // namespace uc
