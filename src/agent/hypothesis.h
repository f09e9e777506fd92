#pragma once
// Why: what a proposer says before anything is tried: a change, why it should help, by how much, and at what
// risk.
#include <memory>
#include <string>
#include <vector>

#include "agent/candidate.h"
#include "agent/evaluator.h"
#include "catalog/rewrite_spec.h"

namespace uc {

/// One program to try. `on` is the index in the hypothesis of the proposal that it builds upon; -1: the best
/// program.
struct Proposal {
  std::shared_ptr<const Candidate> candidate;
  std::string rewrite;  ///< ids of the rewrites, "fuse-epilogue + merge-pointwise"
  std::string what;     ///< for people, one line
  Cause cause = Cause::kernel;
  double expected_speedup = 1;  ///< over what it builds upon
  int on = -1;
};

struct Hypothesis {
  std::string id;      ///< "structure", "set-config y"
  std::string what;    ///< the change
  std::string why;     ///< why it should help, from the analysis
  double speedup = 1;  ///< S, over the best program
  double implementation_risk = 1, performance_risk = 1;
  bool ladder = false;              ///< each proposal builds upon the one before
  std::vector<Proposal> proposals;  ///< most promising first
  double roi = 0;                   ///< set by triage
  std::string verdict;              ///< set by triage: "chosen", "nothing new", "below the beam"
};

/// What an attempt came to, as the loop remembers it.
struct Outcome {
  int64_t number = 0, parent = 0;
  std::shared_ptr<const Candidate> candidate;
  std::string rewrite, what;
  Cause cause = Cause::kernel;
  double expected_speedup = 0;
  Judgement judgement;
  std::vector<std::string> kernel_hashes;
  std::string library;  ///< of what was built; empty when replayed or not built
  std::string build_log;
  double started = 0, ended = 0;
  bool replayed = false;  ///< taken from the store
};

/// What a proposer may know.
struct SearchState {
  const Catalog& catalog;
  const DeviceSpec& device;
  Precision allowed;
  bool prepack_allowed = true;
  bool measured = true;  ///< false: times are the model's, which ranks configurations already
  uint64_t seed = 0;
  int iteration = 0;
  const std::vector<Outcome>& outcomes;
  const Outcome* best = nullptr;   ///< fastest that is right; null when none is yet
  const Outcome* start = nullptr;  ///< the imported program
  double gap = 1;                  ///< t_best / t_SOL
  int attempts_left = 0;
};

class Proposer {
 public:
  virtual ~Proposer() = default;
  virtual std::string_view name() const = 0;
  /// Hypotheses about the best program (the start, when nothing is right yet), in any order.
  virtual std::vector<Hypothesis> nominate(const SearchState& state) = 0;
  /// Programs that will likely be nominated, soonest first: they can be built while other things take their
  /// time.
  virtual std::vector<std::shared_ptr<const Candidate>> anticipate(const SearchState&) { return {}; }
};

std::string_view name(Cause cause);

}  // namespace uc
