#pragma once
// Why: what a policy would have saved, and lost, is known from finished runs: they are played back attempt by
// attempt.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/log.h"
#include "schedule/policy.h"

namespace uc::schedule {

enum class Cost : uint8_t { tokens, attempts, seconds };
std::string_view name(Cost cost);

struct ReplayOptions {
  Cost cost = Cost::attempts;
  /// What a problem counts for when nothing was accepted: 1, since PyTorch's own answer remains.
  double unsolved = 1;
  /// Share of the cost of all attempts that may be spent, over all problems. The attempt that passes it is
  /// the last.
  double budget = 1;
};

/// What a policy made of a log.
struct Replayed {
  Policy policy;
  std::vector<double> speedups;  ///< one a problem, over its reference
  std::vector<int> attempts;     ///< made, one a problem
  double geomean = 0;
  double cost = 0;
  double cost_share = 0;  ///< of what all attempts cost
  double retention = 0;   ///< its geomean over that of all attempts
  /// (geomean / geomean of all) * (cost of all / cost): above 1 it is worth more than it loses.
  double gain = 0;
};

/// Errors: an empty log.
Result<Replayed> replay(const AttemptLog& log, const Policy& policy, const ReplayOptions& options);

/// Which problem each attempt went to, in order. Errors: an empty log.
Result<std::vector<size_t>> decisions(const AttemptLog& log, const Policy& policy,
                                      const ReplayOptions& options);

/// Every policy of a kind over two lists, with what all attempts gave beside them.
struct Frontier {
  Replayed fixed;
  std::vector<Replayed> all;  ///< eps outermost
  std::vector<size_t>
      efficient;  ///< indices of those that no other beats in both retention and cost, cheapest first
  size_t best = SIZE_MAX;  ///< index of the cheapest that retains enough; none: SIZE_MAX
};
Result<Frontier> frontier(const AttemptLog& log, Policy::Kind kind, std::span<const double> eps,
                          std::span<const int> patience, double retain, const ReplayOptions& options);

/// Twenty of each, from what is never reached to what is reached at once.
std::span<const double> default_eps();
std::span<const int> default_patience();

}  // namespace uc::schedule
