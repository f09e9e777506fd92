#pragma once
// Why: a standalone program holds its kernels against plain loops; those of a convolution are its definition.
#include <functional>
#include <string>
#include <vector>

#include "emit/cpp_tree.h"
#include "ir/kernel.h"

namespace uc {

/// Statements that leave the sum of the element at x0 (image), x1... (place), and the last x (channel) in
/// `acc`. `index_of` spells an offset from coordinates.
std::vector<cpp::Statement> conv_sum(
    const Convolution& kernel,
    const std::function<std::string(const View&, const std::vector<std::string>&)>& index_of);

}  // namespace uc
