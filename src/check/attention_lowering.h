#pragma once
// Why: attention is the one kernel with an expression in its middle: what `score` says of the scaled products
// before the softmax, and which keys a mask leaves.
#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/kernel.h"

namespace uc {

/// Fills `score`, `weight` and `seen` of the step's kernel. False after an error.
bool lower_scores(const Catalog& catalog, const Program& program, const Step& step, DiagSink& diags,
                  Attention& kernel);

/// Views of the epilogue, filled with the shape of the result, as [batch, heads, queries, features].
void by_heads(Attention& kernel);

}  // namespace uc
