#pragma once
// Why: the ids of operators that go over dimensions (reduce, normalise, scan, loss), UC1230 to UC1249.
#include <span>

#include "diag/diag.h"

namespace uc::kinds {

inline constexpr DiagKind floating_operand{
    "UC1230", "floating-operand", Severity::error,
    "Means, variances, norms, normalisations and losses are of floating tensors, as in PyTorch."};
inline constexpr DiagKind no_dims{"UC1231", "no-dims", Severity::error,
                                  "A reduction names the dimensions that it goes over, at least one."};
inline constexpr DiagKind dim_twice{"UC1232", "dim-twice", Severity::error, "A dimension is named once."};
inline constexpr DiagKind affine_shape{
    "UC1233", "affine-shape", Severity::error,
    "The weight and bias of a normalisation have the extents that it scales: one a channel, or those of the "
    "normalised dimensions."};
inline constexpr DiagKind groups_divide{"UC1234", "groups-divide", Severity::error,
                                        "`group_norm` splits the channels into groups of equal size."};
inline constexpr DiagKind statistics_pair{"UC1235", "statistics-pair", Severity::error,
                                          "`batch_norm` is given both `mean` and `var`, or neither."};
inline constexpr DiagKind mask_type{"UC1236", "mask-type", Severity::error,
                                    "A mask is bool, and broadcasts to what it masks."};
inline constexpr DiagKind class_index{
    "UC1237", "class-index", Severity::error,
    "`cross_entropy` of [N, C, ...] takes class indices of [N, ...], i64 or i32, or probabilities of the "
    "same shape."};
inline constexpr DiagKind loss_operands{"UC1238", "loss-operands", Severity::error,
                                        "The operands of a loss have shapes that go together."};
inline constexpr DiagKind positive_setting{"UC1239", "positive-setting", Severity::error,
                                           "`delta`, `beta` and `p` are above zero."};

}  // namespace uc::kinds

namespace uc {
/// All of the above, for `explain` and for tests.
std::span<const DiagKind> reduce_diag_kinds();
}  // namespace uc
