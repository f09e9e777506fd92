#pragma once
// Why: wires the parts of one optimization (problem, store, judge or model, builder) and sees it through to
// its report.
#include "cli/optimize/settings.h"

namespace uc::cli {

/// Runs or resumes; prints progress to stderr and the report to stdout. The process's exit code. With
/// settings.reuse the report may be that of a finished run: `from_before`, if given, tells. With `turn` the
/// caller holds the InterruptGuard.
int optimize_problem(const Context& context, OptimizeSettings settings, bool* from_before = nullptr,
                     Turn* turn = nullptr);

}  // namespace uc::cli
