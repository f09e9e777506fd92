#pragma once
// Why: the naive kernel that attention is held against on its GPU: a thread a query, sums in double.
#include <functional>
#include <string>
#include <vector>

#include "emit/cpp_tree.h"
#include "ir/kernel.h"

namespace uc {

using IndexOf = std::function<std::string(const View&, const std::vector<std::string>&)>;

/// The kernel's body. Operands are `q`, `k` and `v`, view v of the score `s<v>`, of the epilogue `t<v>`.
std::vector<cpp::Statement> attention_reference(const Attention& kernel, const IndexOf& index);

}  // namespace uc
