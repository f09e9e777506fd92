#pragma once
// Why: attention as one kernel around templates/uc_attention.cuh: its sizes, its tile, and the expressions of
// score, mask and epilogue.
#include <string>
#include <string_view>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// One line on why it cannot be emitted; empty when it can.
std::string attention_refuses(const Attention& kernel);
EmittedKernel emit_attention(const Attention& kernel, const AttentionConfig& config, std::string_view arch);

}  // namespace uc
