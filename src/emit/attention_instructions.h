#pragma once
// Why: a warpgroup's instructions have as many operands as a thread has sums, so that each tile has its own
// text.
#include <string>

#include "ir/kernel.h"
#include "plan/attention_tiles.h"

namespace uc {

/// `struct Instructions` with `scores` and `values`, as templates/uc_attention_groups.cuh calls them.
std::string group_instructions(const Attention& kernel, const AttentionTiles& tiles);

}  // namespace uc
