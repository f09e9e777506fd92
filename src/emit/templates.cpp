#include "emit/templates.h"

#include <array>

namespace uc {
namespace embedded {
std::string_view templates(std::string_view file);
}  // namespace embedded

namespace {
constexpr auto kFiles = std::to_array<std::string_view>({"uc_abi.h",
                                                         "uc_attention.cuh",
                                                         "uc_attention_groups.cuh",
                                                         "uc_attention_host.h",
                                                         "uc_attention_mma.cuh",
                                                         "uc_conv2.cuh",
                                                         "uc_conv2_host.h",
                                                         "uc_conv2_iterators.cuh",
                                                         "uc_conv_direct.cuh",
                                                         "uc_conv_direct_host.h",
                                                         "uc_conv_shape.h",
                                                         "uc_element.cuh",
                                                         "uc_epilogue.cuh",
                                                         "uc_epilogue2.cuh",
                                                         "uc_gemm2.cuh",
                                                         "uc_gemm2_host.h",
                                                         "uc_gemv.cuh",
                                                         "uc_gemv_host.h",
                                                         "uc_groups.cuh",
                                                         "uc_groups_walk.h",
                                                         "uc_host_shim.h",
                                                         "uc_im2col.cuh",
                                                         "uc_im2col_shape.h",
                                                         "uc_kernel_args.h",
                                                         "uc_maps.cuh",
                                                         "uc_math.cuh",
                                                         "uc_pixels.cuh",
                                                         "uc_round.cuh",
                                                         "uc_row_epilogue.cuh",
                                                         "uc_rows.cuh",
                                                         "uc_rows_combine.cuh",
                                                         "uc_runtime.h",
                                                         "uc_skip_range.h",
                                                         "uc_skip_tiles.cuh",
                                                         "uc_slice_mainloop.cuh",
                                                         "uc_slices.cuh",
                                                         "uc_slices_host.h",
                                                         "uc_split.cuh",
                                                         "uc_split_mainloop.cuh",
                                                         "uc_split_scale.cuh",
                                                         "uc_tile.cuh"});
}  // namespace

std::string_view support_file(std::string_view name) {
  return embedded::templates(name == "uc_abi.h" ? "abi.h" : name);
}

std::span<const std::string_view> support_files() { return kFiles; }

}  // namespace uc
