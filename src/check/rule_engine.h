#pragma once
// Why: runs the rule book over launches; each finding points at the knob that causes it.
#include <vector>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/kernel.h"

namespace uc {

/// True when no error-severity rule objects: used to filter candidates without building texts for people. A
/// launch that leaves its back end open is legal when it is on some willing one.
bool legal(const Catalog& catalog, const Program& program, const Launch& launch, const DeviceSpec& device);

/// Every finding of every rule that applies to the launch's back end and arch, as diagnostics. Of a launch
/// that leaves its back end open: what the first willing one without errors has to say, else what the first
/// has; but an error at a setting that is written is always told.
void run_rules(const Catalog& catalog, const Program& program, const Launch& launch, const DeviceSpec& device,
               DiagSink& diags);

/// Every finding of the rules on steps, before anything is lowered or chosen.
void run_step_rules(const Catalog& catalog, const Program& program, const DeviceSpec& device,
                    DiagSink& diags);

}  // namespace uc
