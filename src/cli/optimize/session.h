#pragma once
// Why: wires the parts of one optimization (problem, store, judge or model, builder) and sees it through to
// its report.
#include "cli/optimize/settings.h"

namespace uc::cli {

/// Runs or resumes; prints progress to stderr and the report to stdout. The process's exit code.
int optimize_problem(const Context& context, OptimizeSettings settings);

}  // namespace uc::cli
