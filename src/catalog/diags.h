#pragma once
// Why: the ids that inference raises, UC12xx: types and shapes. One table, so that operators say the same
// mistake alike.
#include <span>

#include "diag/diag.h"

namespace uc::kinds {

inline constexpr DiagKind broadcast_shapes{
    "UC1201", "broadcast-shapes", Severity::error,
    "Shapes broadcast as NumPy's: from the right, extents are equal or one of them is 1."};
inline constexpr DiagKind operand_count{"UC1202", "operand-count", Severity::error,
                                        "An operator takes a fixed number of tensors."};
inline constexpr DiagKind operand_rank{"UC1203", "operand-rank", Severity::error,
                                       "An operand has the rank that its operator works on."};
inline constexpr DiagKind contraction_extent{
    "UC1204", "contraction-extent", Severity::error,
    "gemm(A, B) multiplies A[..., M, K] with B[..., K, N]; linear(x, W) multiplies x[..., K] with W[N, K]."};
inline constexpr DiagKind contraction_type{
    "UC1205", "contraction-type", Severity::error,
    "Both operands of a contraction have the same type, a floating one or i8."};
inline constexpr DiagKind contraction_stride{
    "UC1206", "contraction-stride", Severity::error,
    "A contraction reads operands with unit stride in one of the last two dimensions, and batch dimensions "
    "that fold to one stride."};
inline constexpr DiagKind dim_range{"UC1207", "dim-range", Severity::error,
                                    "A dimension is counted from 0, or from -1 at the end, within the rank."};
inline constexpr DiagKind permutation{"UC1208", "permutation", Severity::error,
                                      "`permute` names every dimension once."};
inline constexpr DiagKind reshape_count{"UC1209", "reshape-count", Severity::error,
                                        "A reshape keeps the number of elements; one extent may be -1."};
inline constexpr DiagKind reshape_copy{"UC1210", "reshape-copy", Severity::error,
                                       "A reshape is a view: what needs a copy is a step, `to(v, row)`."};
inline constexpr DiagKind bias_shape{"UC1211", "bias-shape", Severity::error,
                                     "`bias` takes one value a column: a tensor of one dimension, as long as "
                                     "the last one of the running value."};
inline constexpr DiagKind residual_shape{"UC1212", "residual-shape", Severity::error,
                                         "`residual` takes a tensor of the running value's shape."};
inline constexpr DiagKind layout_rank{"UC1213", "layout-rank", Severity::error,
                                      "A layout fits the rank: col from 2, nwc 3, nhwc and nchw 4, ndhwc 5."};
inline constexpr DiagKind pitch{
    "UC1214", "pitch", Severity::error,
    "`pitch` pads rows of a row-major tensor to a multiple of so many elements, from 1 to 4096."};
inline constexpr DiagKind result_type_unsaid{"UC1215", "result-type-unsaid", Severity::error,
                                             "i8, u8 and f8 results say so: `>> to(...)`."};
inline constexpr DiagKind boolean_operand{
    "UC1216", "boolean-operand", Severity::error,
    "Conditions are bool, and arithmetic that bool does not have is refused."};
inline constexpr DiagKind integer_power{"UC1217", "integer-power", Severity::error,
                                        "Integers are raised to integers from 0 on."};
inline constexpr DiagKind clamp_bounds{"UC1218", "clamp-bounds", Severity::error,
                                       "`clamp` has at least one bound."};
inline constexpr DiagKind expand_extent{"UC1219", "expand-extent", Severity::error,
                                        "`expand` stretches extents of 1 and adds dimensions in front."};
inline constexpr DiagKind squeeze_extent{"UC1220", "squeeze-extent", Severity::error,
                                         "`squeeze` removes dimensions of extent 1."};

inline constexpr DiagKind scale_shape{"UC1221", "scale-shape", Severity::error,
                                      "A scale is f32 and stored: one number, or as many dimensions as what "
                                      "it scales, whose extents it divides."};
inline constexpr DiagKind scaled_operand{
    "UC1222", "scaled-operand", Severity::error,
    "What is stored with a scale is read by contractions and by `to`, which multiply by it."};

inline constexpr DiagKind attention_shape{
    "UC1270", "attention-shape", Severity::error,
    "attention(q, k, v): of rank 4, or of rank 3 without heads; q and k have the same head dimension, k and "
    "v "
    "the same heads and length, and q's heads are a multiple of theirs."};
inline constexpr DiagKind attention_type{"UC1271", "attention-type", Severity::error,
                                         "q, k and v of attention have one floating type."};
inline constexpr DiagKind attention_mask{"UC1272", "attention-mask", Severity::error,
                                         "`mask` is bool, true where a key is seen, and broadcasts to "
                                         "[batch, heads, queries, keys]; what is added "
                                         "to the scores stands in `score=it + ...`."};
inline constexpr DiagKind attention_score{
    "UC1273", "attention-score", Severity::error,
    "`score` keeps the shape of `it`, [batch, heads, queries, keys]: what it reads broadcasts to that."};
inline constexpr DiagKind recurrent_weights{
    "UC1274", "recurrent-weights", Severity::error,
    "Weights come as PyTorch's: for every layer and direction w_ih[gates * H, I], w_hh[gates * H, H] and, "
    "with "
    "biases, b_ih and b_hh[gates * H]; lstm has 4 gates, gru 3, rnn 1."};
inline constexpr DiagKind recurrent_state{
    "UC1275", "recurrent-state", Severity::error,
    "A recurrent operator takes x[time, batch, features] (batch first when said) and initial states "
    "[layers * directions, batch, H]."};
inline constexpr DiagKind grouped_shape{
    "UC1276", "grouped-shape", Severity::error,
    "grouped_gemm(A[T, K], B[G, K, N], offsets[G]) multiplies rows up to offsets[g] with B[g]; "
    "grouped_gemm(A[M, T], B[T, N], offsets[G]) sums over columns up to offsets[g]."};

}  // namespace uc::kinds

namespace uc {
/// All of the above, for `explain` and for tests.
std::span<const DiagKind> type_diag_kinds();
}  // namespace uc
