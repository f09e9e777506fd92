#pragma once
// Why: the naive kernel that a program over rows is held against on its GPU: a thread a row, sums in double.
#include <functional>
#include <string>
#include <vector>

#include "emit/cpp_tree.h"
#include "ir/kernel.h"

namespace uc {

/// The kernel's body. Memory of view v is `t<v>`; `index` writes where an element is, from coordinates.
std::vector<cpp::Statement> rows_reference(
    const Rows& rows, const std::function<std::string(const View&, const std::vector<std::string>&)>& index);

/// Threads that it takes: one a row, or one alone where all rows meet.
int64_t rows_reference_threads(const Rows& rows);

}  // namespace uc
