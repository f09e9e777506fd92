#pragma once
// Why: `ucutlass import --all` asks one question of a whole suite: how much of it the language says.
#include <string>

#include "cli/command.h"

namespace uc::cli {

/// Tries every capture below `folder` and shows how far each gets, as a table or (`json`) as JSON of schema
/// ucutlass.coverage/1. `expected` is an earlier such JSON, or empty: kFindings when a problem no longer gets
/// as far as it says.
int import_all(const Context& context, const std::string& folder, const std::string& expected, bool json);

}  // namespace uc::cli
