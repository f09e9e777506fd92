#pragma once
// Why: the one place where commands get the real world.
#include "cli/command.h"

namespace uc::cli {
/// Standard streams, the process's environment, real files, processes and clock.
Context real_context(const Catalog& catalog);
}  // namespace uc::cli
