#pragma once
// Why: a finished run of ours is a log like any other to those who choose policies or compare agents.
#include <vector>

#include "base/result.h"
#include "schedule/log.h"
#include "store/exchanges.h"
#include "store/store.h"

namespace uc {

/// The attempts of a run that its budget paid for, against PyTorch's best time. Errors: no such time yet, or
/// no bound because the run did not come to its end.
Result<schedule::LoggedProblem> logged(const RunRecord& run, const std::vector<AttemptRecord>& attempts,
                                       const std::vector<ExchangeRecord>& exchanges = {});

}  // namespace uc
