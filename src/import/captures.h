#pragma once
// Why: several commands go over a folder of captured problems, each in the same order.
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/files.h"

namespace uc {

/// Captures (.json) below `folder`, as paths below it, numbers in names counted: level1/2_x before
/// level1/10_y. Errors: no such folder (exit code 2), none in it.
Result<std::vector<std::string>> find_captures(Files& files, const std::string& folder);

}  // namespace uc
