#include "catalog/diags_window.h"

#include <array>

namespace uc {

std::span<const DiagKind> window_diag_kinds() {
  using namespace kinds;
  static constexpr std::array kAll{conv_channels, window_fit,      window_setting, output_padding,
                                   pool_padding,  pool_type,       concat_extents, pad_list,
                                   pad_amount,    index_type,      index_shape,    slice_empty,
                                   split_sizes,   constant_extent, dims_once};
  return kAll;
}

}  // namespace uc
