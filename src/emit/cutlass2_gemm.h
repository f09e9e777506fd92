#pragma once
// Why: contractions on CUTLASS 2's main loops (mma.sync and SIMT): every target since SM80, every alignment.
// Batches, parts of K, order of tiles and the epilogue are templates of ours (templates/uc_gemm2.cuh).
#include <optional>
#include <string>
#include <string_view>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// Empty when emit_cutlass2_gemm can emit the kernel for `backend` ("cutlass2" or "simt") and `arch`
/// ("sm_80"), else one line on why not.
std::string cutlass2_gemm_refuses(const Contraction& kernel, std::string_view backend, std::string_view arch);

/// What a convolution's kernel has beside that of its product (plan/conv_product.h).
struct Conv2Form {
  size_t rank;      ///< spatial dimensions
  bool transposed;  ///< results are in classes
  bool in_line;     ///< one stride leads from pixel to pixel
};

/// With the listed tile (plan/gemm2_choices.h) of the config, or one made up for it.
EmittedKernel emit_cutlass2_gemm(const Contraction& kernel, const ContractionConfig& config,
                                 std::string_view backend, std::string_view arch,
                                 const std::optional<Conv2Form>& conv = std::nullopt);

}  // namespace uc
