#include "cli/optimize/flags.h"

#include <iterator>

#include "agent/controllers.h"

namespace uc::cli {

void declare_budget(Options& options, OptimizeSettings& settings) {
  options.value("--device", settings.device, "WHERE", "auto, gpu, cuda:N, or model:NAME");
  options.value("--attempts", settings.attempts, "N", "programs to try; the final measurements come on top",
                1, 100000);
  options.choice("--precision", settings.precision,
                 {std::begin(kOptimizePrecisions), std::end(kOptimizePrecisions)},
                 "the least accurate form that f32 data may take (default: what the problem itself uses)");
  options.value("--seed", settings.seed, "S", "decides ties of the search and the data of the judge");
  options.flag("--dry-run", settings.dry_run,
               "try nothing: say how many attempts, minutes, tokens and dollars it would take at most",
               Options::From::command_line);
}

std::vector<std::string> controller_names() {
  std::vector<std::string> out;
  for (const ControllerSpec& row : controllers()) out.emplace_back(row.name);
  return out;
}

}  // namespace uc::cli
