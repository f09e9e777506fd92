#pragma once
// Why: whoever measures candidates on a GPU, a search or a person with one program, tells the judge the same
// of the problem.
#include "agent/gpu_evaluator.h"
#include "agent/problem.h"
#include "cli/optimize/settings.h"
#include "ir/program.h"

namespace uc::cli {

/// `imported`: the problem as a program, whose bound no right answer beats. Processes, progress and pauses
/// are the caller's to add.
GpuOptions judging_options(const Context& context, const OptimizeSettings& settings, const Target& target,
                           const Problem& problem, const Program& imported);

}  // namespace uc::cli
