#pragma once
// Why: whatever makes the least work smaller than the work as written has a name, a justification, and a word
// on how far it holds. Speed of light prints it, the optimizer rewrites by what always holds, and integrity
// tells a shortcut from a cheat by it.
#include <array>
#include <cstdint>
#include <string_view>

namespace uc {

enum class Holds : uint8_t {
  always,   ///< for all data that the declarations allow
  observed  ///< for the data that was seen; a kernel that relies on it answers wrongly for other inputs
};
constexpr std::string_view name(Holds holds) { return holds == Holds::always ? "always" : "observed"; }

/// Why an operator has less to compute or to read than its dense form. Rules that change the program are
/// rewrites (RewriteSpec::simplifies).
struct WorkRule {
  std::string_view id;  ///< "padding-taps"
  std::string_view summary;
  std::string_view justification;
};

namespace work_rules {
// One line a rule; operators' rows and speed of light name them. `all` is what `explain` lists.
inline constexpr WorkRule kTriangular{"triangular-product", "a product with triangular or diagonal operands",
                                      "a multiply-add with a zero adds nothing; where zeros are, a structure "
                                      "says: declared, made, or seen in data"};
inline constexpr WorkRule kBroadcastBatch{"broadcast-batch",
                                          "a batched product whose operands are both broadcast",
                                          "equal operands give equal products: one is computed"};
inline constexpr WorkRule kEqualRows{"equal-rows", "a product with an operand broadcast along its rows",
                                     "equal rows give equal rows of the product: one is computed"};
inline constexpr WorkRule kSymmetricProduct{
    "symmetric-product", "a matrix times its own transpose",
    "the result equals its transpose: one triangle with the diagonal is computed"};
inline constexpr WorkRule kPaddingTaps{
    "padding-taps", "a convolution's taps outside its input, or outside the result of a transposed one",
    "a product with padding is zero, and what a transposed one adds outside its result is cut off"};
inline constexpr WorkRule kFastConvolution{
    "fast-convolution", "a convolution multiplied as Winograd's or Fourier's transforms allow",
    "n results of a filter of k taps take n + k - 1 products, not n k (Winograd 1980); libraries do so"};
inline constexpr WorkRule kCausalScores{
    "causal-scores", "attention of which a query sees no later key",
    "a score that the mask hides weighs nothing: neither it nor its part of the mean is computed"};
inline constexpr WorkRule kZeroState{
    "zero-state", "the first time step of a recurrent layer without an initial state",
    "the state is zero before it, so its product with the recurrent weights is too"};
// The next three are rewrites too, of the same names, and listed as such: what they do to a program here and
// there, speed of light counts over whole chains, and for results.
inline constexpr WorkRule kProductOrder{
    "product-order", "(A B) C is A (B C), where that takes fewer multiply-adds",
    "products of matrices are associative; products of params alone are made when weights are loaded"};
inline constexpr WorkRule kChainedWeights{
    "chained-weights",
    "layers with weights in a row are one with the product of the weights, where that is less",
    "(x V^T + a) W^T is x (W V)^T + W a; W V and W a are prepared when weights are loaded"};
inline constexpr WorkRule kObservedConstant{
    "observed-constant", "a result that had one value everywhere is that value",
    "all elements were equal in the captured run; other data may differ"};
inline constexpr WorkRule kStructuredOperand{
    "structured-operand", "a triangular, diagonal or symmetric operand read without its zeros and repeats",
    "elements that are zero, or equal to others that are read, carry nothing"};
inline constexpr WorkRule kUnreadElements{
    "unread-elements", "elements between windows, and rows of tables that are not looked up",
    "no result depends on them, so they are not read"};
inline constexpr WorkRule kNeededPart{
    "needed-part", "an operator of whose result a part is read",
    "what is computed and then dropped (cut off, not looked up, under a mask) need not be computed"};
inline constexpr WorkRule kBroadcastData{
    "broadcast-data", "work on copies that broadcasting made of fewer numbers",
    "sums of products of copies can be factored, and functions of copies are equal: each number counts once"};
inline constexpr std::array kAll{&kTriangular,        &kBroadcastBatch,  &kEqualRows,    &kSymmetricProduct,
                                 &kPaddingTaps,       &kFastConvolution, &kCausalScores, &kZeroState,
                                 &kStructuredOperand, &kUnreadElements,  &kNeededPart,   &kBroadcastData};
}  // namespace work_rules

}  // namespace uc
