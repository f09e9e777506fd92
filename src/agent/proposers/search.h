#pragma once
// Why: the proposer that needs no language model: rewrites over typed programs, ordered by what the cost
// model expects. Deterministic for a seed.
#include <set>
#include <string>

#include "agent/hypothesis.h"

namespace uc {

class SearchProposer final : public Proposer {
 public:
  std::string_view name() const override { return "search"; }

  /// In the order in which they pay:
  /// - "structure": a ladder from the best program. Each rung applies every rewrite of one cause wherever it
  /// helps: precision,
  ///   prepack, kernel (fusion), algebra, in the order of the gain that the model sees.
  /// - "set-config STEP": configurations of a launch that the model ranks, best first.
  /// - "tune-config STEP": neighbours of what the launch has.
  Result<std::vector<Hypothesis>> nominate(const SearchState& state) override;

  /// The ladder from the start, and the first configurations of its last rung.
  std::vector<std::shared_ptr<const Candidate>> anticipate(const SearchState& state) override;
};

namespace search {

/// Everything that rewrites of one cause can do for the candidate, as long as the modelled time does not
/// grow.
struct Rung {
  std::shared_ptr<const Candidate> candidate;
  std::string rewrites;  ///< ids in order, "fuse-epilogue, drop-rounding"
  std::string what;      ///< the sites, joined
};
Rung exhaust(const std::shared_ptr<const Candidate>& from, Cause cause, const RewriteContext& context,
             const std::set<std::string, std::less<>>& banned);

/// Rungs from `from` on; empty when the model sees nothing to gain.
Hypothesis ladder(const SearchState& state, const std::shared_ptr<const Candidate>& from);

}  // namespace search
}  // namespace uc
