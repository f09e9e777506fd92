#include "catalog/diags.h"

#include <array>

namespace uc {

std::span<const DiagKind> type_diag_kinds() {
  using namespace kinds;
  static constexpr std::array kAll{broadcast_shapes,   operand_count,
                                   operand_rank,       contraction_extent,
                                   contraction_type,   contraction_stride,
                                   dim_range,          permutation,
                                   reshape_count,      reshape_copy,
                                   bias_shape,         residual_shape,
                                   layout_rank,        pitch,
                                   result_type_unsaid, boolean_operand,
                                   integer_power,      clamp_bounds,
                                   expand_extent,      squeeze_extent,
                                   scale_shape,        scaled_operand,
                                   attention_shape,    attention_type,
                                   attention_mask,     attention_score,
                                   recurrent_weights,  recurrent_state,
                                   grouped_shape};
  return kAll;
}

}  // namespace uc
