#pragma once
// Why: a kernel that is right, measured and faster than the calibrated bound proves that better rates are
// possible than were seen; the next bound has to know.
#include <optional>

#include "agent/controller.h"
#include "platform/environment.h"
#include "sol/calibration.h"

namespace uc {

/// The time that a run proved: its best program, measured once more against every baseline and labelled ok.
/// Nothing: modelled, not confirmed, or not beyond doubt.
std::optional<double> proven_us(const RunResult& result);

/// Raises the device's calibration when the proven time of `program` beats it, and keeps it. `precision`: as
/// the run allowed. Errors: the calibration cannot be read or kept.
Result<std::vector<RaisedRate>> raise_by_proof(const Catalog& catalog, const DeviceSpec& device,
                                               const Program& program, Precision precision,
                                               const RunResult& result, Files& files,
                                               const Environment& environment, const Clock& clock);

}  // namespace uc
