// `ucutlass optimize`: make a problem faster, with proof.
#include <iterator>

#include "cli/optimize/session.h"
#include "cli/optimize/settings.h"
#include "cli/options.h"
#include "cli/output.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass optimize problem.py --precision f16                 # on the GPU if there is one, else "
    "modelled\n"
    "ucutlass optimize examples/mlp_gelu --device model:h200      # no GPU, no torch: times are modelled\n"
    "ucutlass optimize problem.json --source problem.py --device gpu --attempts 20\n"
    "ucutlass optimize --resume 20260301-142301-7f3a              # go on with a run that was interrupted\n";

int run_optimize(const Invocation& invocation) {
  OptimizeSettings settings;
  Options options(invocation);
  options.positional("PROBLEM", settings.problem,
                     "a PyTorch problem (.py), a capture (.json), or a folder that holds problem.json",
                     false);
  options.value("--device", settings.device, "WHERE", "auto, gpu, cuda:N, or model:NAME");
  options.value("--attempts", settings.attempts, "N", "programs to try; the final measurements come on top",
                1, 100000);
  options.choice("--precision", settings.precision,
                 {std::begin(kOptimizePrecisions), std::end(kOptimizePrecisions)},
                 "the least accurate form that f32 data may take (default: what the problem itself uses)");
  options.value("--seed", settings.seed, "S", "decides ties of the search and the data of the judge");
  options.flag("--no-prepack", settings.no_prepack, "do not prepare weights when they are loaded");
  options.value("--source", settings.source, "FILE.py",
                "the Python file of a captured problem, to measure against");
  options.list("--baselines", settings.baselines, "NAME",
               "PyTorch's ways to measure: eager, eager_tf32, eager_autocast, compile, ... (default: all)");
  options.value("--run-dir", settings.run_dir, "FOLDER",
                "where the run's files go (default: ~/.local/share/ucutlass/runs/RUN)");
  options.value("--store", settings.store, "FILE",
                "the database of runs (default: ~/.local/share/ucutlass/runs.db)");
  options.value("--resume", settings.resume, "RUN",
                "go on with a stored run: its id, the beginning of it, or `last`");
  options.flag("--fresh", settings.fresh, "start anew even when the same work was interrupted");
  options.flag("--no-build", settings.no_build, "without a GPU: do not compile the best program");
  options.value("--jobs", settings.jobs, "N", "builds at once (default: as memory and cores allow)", 0, 256);
  options.flag("--json", settings.json, "one JSON object, schema ucutlass.optimize/1");
  if (const auto code = options.parse()) return *code;
  if (settings.problem.empty() == settings.resume.empty()) {
    const std::string said =
        settings.problem.empty() ? "neither a problem nor a run is named" : "a problem and a run are named";
    return report(invocation.context,
                  Error{said, "`ucutlass optimize PROBLEM`, or `ucutlass optimize --resume RUN`", kUsage},
                  settings.json);
  }
  return optimize_problem(invocation.context, std::move(settings));
}

constexpr CommandSpec kRows[] = {
    {"optimize", CommandGroup::search, "make a PyTorch problem faster, with proof", kExamples, run_optimize}};

}  // namespace

std::span<const CommandSpec> optimize_command_rows() { return kRows; }

}  // namespace uc::cli
