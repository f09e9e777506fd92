#pragma once
// Why: which problem gets the next attempt, and when one has had enough, is a policy that people name on
// command lines.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"

namespace uc::schedule {

/// A problem that beats its reference gets no more attempts once t_best <= (1 + eps) t_SOL, or after
/// `patience` attempts in a row without progress (arXiv 2603.29010).
struct Policy {
  enum class Kind : uint8_t {
    fixed,  ///< all attempts of the budget to every problem, in turn
    sol,    ///< the same, until a problem has had enough
    roi     ///< until then, the largest expected gain per cost first
  };
  Kind kind = Kind::fixed;
  double eps = -std::numeric_limits<double>::infinity();  ///< 0.25 is 25 %; minus infinity: never near enough
  int patience = std::numeric_limits<int>::max();         ///< w of the paper
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// "fixed", "sol(25%,16)", "sol(0.25,inf)", "roi(never,16)"; a percentage or a share, `never` for an eps that
/// none reaches, `inf` for endless patience. Errors say the form.
Result<Policy> parse_policy(std::string_view text);
/// In the form that parse_policy reads.
std::string name(const Policy& policy);

}  // namespace uc::schedule
