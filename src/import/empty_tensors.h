#pragma once
// Why: a captured tensor without elements has no form in a program, and a bound that took it for one element
// would be of another problem.
#include "base/result.h"
#include "ir/graph.h"

namespace uc {

/// Errors: a tensor of the graph with a size of 0; the message names the first.
Result<> refuse_empty_tensors(const Graph& graph);

}  // namespace uc
