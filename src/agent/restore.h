#pragma once
// Why: a stored run can be shown as it was when it ended: from the store alone, in the same words.
#include "agent/controller.h"
#include "base/result.h"
#include "store/store.h"

namespace uc {

/// What the loop knew of a run, rebuilt from its attempts. Errors: the store; a run without attempts.
Result<RunResult> restore(const Catalog& catalog, const DeviceSpec& device, Store& store,
                          const RunRecord& run, Precision precision);

}  // namespace uc
