#include "cli/optimize/judging.h"

#include <algorithm>

#include "agent/analysis.h"

namespace uc::cli {
namespace {

// K of the longest sum: the judge's error bound depends on it.
int64_t reduction_of(const Program& program) {
  int64_t most = 1;
  for (const Op& op : program.ops) {
    if (op.spec->family == "contraction" && !program[op.in[0]].shape.empty())
      most = std::max(most, program[op.in[0]].shape.back());
  }
  return most;
}

}  // namespace

GpuOptions judging_options(const Context& context, const OptimizeSettings& settings, const Target& target,
                           const Problem& problem, const Program& imported) {
  const RunOptions run = run_options(settings);
  const bool strict = run.precision == Precision::strict;
  GpuOptions out;
  out.problem.path = problem.source_path;
  out.problem.tolerance = strict ? Tolerance::strict : Tolerance::reduced;
  out.problem.math = strict ? "f32" : std::string(name(run.precision));
  out.problem.seed = run.seed;
  out.problem.baselines = settings.baselines;
  out.environment.device = target.eval_device;
  out.certified_us = bounds_of(context.catalog, imported, *target.device, run.precision).certified_us;
  out.reduction = reduction_of(imported);
  return out;
}

}  // namespace uc::cli
