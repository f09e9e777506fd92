#pragma once
// Why: a command that only hands over to another program becomes it, so that streams, signals and the exit
// code are that program's own.
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace uc {

/// Replaces this process by `argv` with `env` added to or replacing what is inherited. Returns only on
/// failure.
Error replace_process(const std::vector<std::string>& argv,
                      const std::vector<std::pair<std::string, std::string>>& env);

}  // namespace uc
