#include "catalog/diags_reduce.h"

#include <array>

namespace uc {

std::span<const DiagKind> reduce_diag_kinds() {
  using namespace kinds;
  static constexpr std::array kAll{floating_operand, no_dims,   dim_twice,   affine_shape,  groups_divide,
                                   statistics_pair,  mask_type, class_index, loss_operands, positive_setting};
  return kAll;
}

}  // namespace uc
