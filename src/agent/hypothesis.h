#pragma once
// Why: what a proposer says before anything is tried: a change, why it should help, by how much, and at what
// risk.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/candidate.h"
#include "agent/controllers.h"
#include "agent/evaluator.h"
#include "agent/spent.h"
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
  /// Not empty: what was answered is no program to try. A stable word ("no_program") and a line for people.
  std::string fault, fault_message;
};

struct Hypothesis {
  std::string id;      ///< "structure", "set-config y"
  std::string what;    ///< the change
  std::string why;     ///< why it should help, from the analysis
  double speedup = 1;  ///< S, over the best program
  double implementation_risk = 1, performance_risk = 1;
  bool ladder = false;  ///< each proposal builds upon the one before
  bool open = false;    ///< programs are written one at a time, each knowing what became of those before it
  std::vector<Proposal> proposals;  ///< most promising first
  double roi = 0;                   ///< set by triage
  std::string verdict;  ///< set by triage: "chosen", "nothing new", "failed before", "below the beam"
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
  Spent spent;            ///< since the attempt before it
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
  double gap = 1;                  ///< t_best / t_SOL; 1 without Analyze
  int attempts_left = 0;
  ControllerSpec controller = {};
  std::string report = {};                ///< what Analyze found, in words; empty without it
  std::vector<std::string> lessons = {};  ///< what earlier attempts taught, a line each, newest last
};

/// Who says what to try, and writes it. The loop asks the same questions of all: the search answers both with
/// its hypotheses, a language model or a person writes when it is asked to.
class Proposer {
 public:
  virtual ~Proposer() = default;
  virtual std::string_view name() const = 0;
  /// Hypotheses about the best program (the start, when nothing is right yet), in any order. Errors: the
  /// outside world (no endpoint, a budget that is spent).
  virtual Result<std::vector<Hypothesis>> nominate(const SearchState& state) = 0;
  /// The next program of an open hypothesis. `tried`: indices in state.outcomes of what was written for it,
  /// in order. Nothing: no more.
  virtual Result<std::optional<Proposal>> write(const SearchState&, const Hypothesis&,
                                                std::span<const size_t> /*tried*/) {
    return std::nullopt;
  }
  /// Tokens and money so far, those of a run that is resumed included.
  virtual Spent spent() const { return {}; }
  /// Programs that will likely be nominated, soonest first: they can be built while other things take their
  /// time.
  virtual std::vector<std::shared_ptr<const Candidate>> anticipate(const SearchState&) { return {}; }
};

std::string_view name(Cause cause);

}  // namespace uc
