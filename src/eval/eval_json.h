#pragma once
// Why: evaluations travel to the judge, and back, and into the store as JSON; this is the only place that
// names the keys.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "eval/eval.h"

namespace uc {

nlohmann::json to_json(const EvalProblem& problem);
nlohmann::json to_json(const EvalRequest& request);

/// From the judge's record (schema ucutlass.eval.result/1), also as stored. Unknown fields are left alone; an
/// error when it is no such record.
Result<EvalResult> result_from_json(const nlohmann::json& record);
std::vector<EvalBaseline> baselines_from_json(const nlohmann::json& list);

}  // namespace uc
