#pragma once
// Why: where the judge's package, the runner and the timing library are, in a build tree and when installed.
#include "base/result.h"
#include "eval/session.h"

namespace uc {

/// Fills what is empty in `environment` (python, judge_folder, runner, timing_library, processes). Errors
/// name the missing part and what brings it.
Result<EvalEnvironment> find_places(EvalEnvironment environment);

}  // namespace uc
