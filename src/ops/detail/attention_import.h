#pragma once
// Why: torch's attention has masks of two kinds in one argument, which the language tells apart.
#include "catalog/import_context.h"

namespace uc::ops {

/// scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal, scale=, enable_gqa=). False:
/// dropout, which is random.
bool import_sdpa(ImportContext& context, const GraphOp& op);

}  // namespace uc::ops
