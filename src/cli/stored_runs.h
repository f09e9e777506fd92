#pragma once
// Why: commands that look at stored runs open the database alike, and say alike where it is missing.
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "store/store.h"

namespace uc::cli {

/// The database at `file`, or where runs are kept when that is empty, for reading. Errors: no such place, no
/// database there, or none of ours.
Result<std::unique_ptr<Store>> open_stored_runs(const Context& context, const std::string& file);

}  // namespace uc::cli
