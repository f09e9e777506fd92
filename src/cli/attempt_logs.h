#pragma once
// Why: `replay` and `compare` look at finished work, whether it is in the store or in a file that another
// agent wrote.
#include <span>
#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "schedule/log.h"

namespace uc::cli {

/// The problems of all `names`, each a file of JSON lines (schedule/log.h; `-` is standard input) or a run of
/// the store: its id, the beginning of it, or `last`. Errors: neither, or one problem twice.
Result<schedule::AttemptLog> read_attempt_logs(const Context& context, std::span<const std::string> names,
                                               const std::string& store_file);

}  // namespace uc::cli
