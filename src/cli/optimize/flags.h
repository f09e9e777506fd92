#pragma once
// Why: one problem and many are optimized with the same words for where, how long and how exactly.
#include <string>
#include <vector>

#include "cli/optimize/settings.h"
#include "cli/options.h"

namespace uc::cli {

/// --device, --attempts, --precision, --seed, --dry-run.
void declare_budget(Options& options, OptimizeSettings& settings);

/// What --controller takes.
std::vector<std::string> controller_names();

}  // namespace uc::cli
