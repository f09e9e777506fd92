#pragma once
// Why: data that users keep goes where their system says (XDG base directories), unless they name a place.
#include <string>

#include "base/result.h"
#include "platform/environment.h"

namespace uc {

/// `$XDG_DATA_HOME/ucutlass`, else `$HOME/.local/share/ucutlass`. Errors: neither is set.
Result<std::string> data_folder(const Environment& environment);

/// `store` when given, else runs.db in the data folder.
Result<std::string> store_path(const Environment& environment, const std::string& store);

}  // namespace uc
