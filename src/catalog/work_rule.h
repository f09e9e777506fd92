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
inline constexpr WorkRule kTriangular{
    "triangular-product", "a product with triangular or diagonal operands",
    "a multiply-add with an operand that is zero by its declared structure adds nothing"};
inline constexpr WorkRule kBroadcastBatch{"broadcast-batch",
                                          "a batched product whose operands are both broadcast",
                                          "equal operands give equal products: one is computed"};
inline constexpr std::array kAll{&kTriangular, &kBroadcastBatch};
}  // namespace work_rules

}  // namespace uc
