#pragma once
// Why: the ids of convolutions, pools, movement of data, slices and constants, UC1250 to UC1269: windows,
// lists of dimensions, and indexes, said alike by every row that has them.
#include <span>

#include "diag/diag.h"

namespace uc::kinds {

inline constexpr DiagKind conv_channels{"UC1250", "conv-channels", Severity::error,
                                        "conv takes x[N, C, ...] and W[O, C / groups, ...]; conv_transpose "
                                        "takes x[N, C, ...] and W[C, O / groups, "
                                        "...]; groups divide C and O."};
inline constexpr DiagKind window_fit{
    "UC1251", "window-fit", Severity::error,
    "A window with its dilation fits into the padded extent, so that the result has an element."};
inline constexpr DiagKind window_setting{
    "UC1252", "window-setting", Severity::error,
    "Kernel sizes, strides and dilations are 1 or more, paddings 0 or more: one integer, or one a spatial "
    "dimension."};
inline constexpr DiagKind output_padding{
    "UC1253", "output-padding", Severity::error,
    "`output_padding` is smaller than the stride or the dilation of its dimension."};
inline constexpr DiagKind pool_padding{"UC1254", "pool-padding", Severity::error,
                                       "A pool pads by at most half of its window."};
inline constexpr DiagKind pool_type{"UC1255", "pool-type", Severity::error, "Averages are of floats."};
inline constexpr DiagKind concat_extents{
    "UC1256", "concat-extents", Severity::error,
    "`concat` joins tensors of one rank that are equal but for the joined dimension."};
inline constexpr DiagKind pad_list{
    "UC1257", "pad-list", Severity::error,
    "`pad` takes two amounts a dimension, before and after, the last dimension first."};
inline constexpr DiagKind pad_amount{
    "UC1258", "pad-amount", Severity::error,
    "`reflect` pads by less than the extent, `circular` by at most the extent; only `constant` cuts off."};
inline constexpr DiagKind index_type{"UC1259", "index-type", Severity::error, "Indexes are i64 or i32."};
inline constexpr DiagKind index_shape{
    "UC1260", "index-shape", Severity::error,
    "`gather` takes an index of the tensor's rank, no longer in the other dimensions."};
inline constexpr DiagKind slice_empty{"UC1261", "slice-empty", Severity::error,
                                      "A slice has an element, and its step is not 0."};
inline constexpr DiagKind split_sizes{"UC1262", "split-sizes", Severity::error,
                                      "Parts are 1 or longer and add up to the dimension."};
inline constexpr DiagKind constant_extent{"UC1263", "constant-extent", Severity::error,
                                          "A constant has at most 8 dimensions, and each has an element."};
inline constexpr DiagKind dims_once{"UC1264", "dims-once", Severity::error,
                                    "A list of dimensions names each at most once, with one setting each."};

}  // namespace uc::kinds

namespace uc {
/// All of the above, for `explain` and for tests.
std::span<const DiagKind> window_diag_kinds();
}  // namespace uc
