#pragma once
// Why: a program that is one product of two of its tensors and no more can be left to cuBLASLt where no
// kernel of ours serves the sizes, or where it was measured to be faster.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "compiler/size_fit.h"
#include "ir/kernel.h"

namespace uc {

struct PlainGemm {
  size_t a = 0, b = 0;    ///< inputs first, then params
  std::string_view type;  ///< of both: "f16"
  std::string compute;    ///< a constant of uc_cublaslt.h: "kCompute32F"
  /// l, m, n, k, strides of a (l, m, k), of b (l, n, k), of the result (l, m, n).
  std::vector<SizeFormula> sizes;
};

/// Nothing when the program is anything else, or is so at some sizes only. `ranges`: those declared.
std::optional<PlainGemm> plain_gemm(const Catalog& catalog, const Program& program,
                                    const std::vector<SizeRange>& ranges, const std::vector<int64_t>& chosen);

}  // namespace uc
