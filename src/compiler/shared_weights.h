#pragma once
// Why: choices of kernels that prepare weights in the same way share the prepared memory.
#include <vector>

#include "compiler/size_classes.h"

namespace uc {

/// Of each class the first one that prepares weights as it does; itself when none before it does.
std::vector<size_t> weight_owners(const std::vector<SizeClass>& classes);

}  // namespace uc
