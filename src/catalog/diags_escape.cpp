#include "catalog/diags_escape.h"

#include <array>

namespace uc {

std::span<const DiagKind> escape_diag_kinds() {
  static constexpr std::array kAll{kinds::cuda_signature, kinds::cuda_launch, kinds::cuda_compile};
  return kAll;
}

}  // namespace uc
