#pragma once
// Why: the loop. Measure, Analyze, Nominate, Triage, Implement, Summarize until the budget is spent,
// everything stored as it happens. Its decisions depend on stored results and the seed alone, so a killed run
// goes on by doing the same again with what is stored in place of what is done.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/analysis.h"
#include "agent/builder.h"
#include "agent/correctness.h"
#include "agent/evaluator.h"
#include "agent/hypothesis.h"
#include "agent/turn.h"
#include "platform/clock.h"
#include "platform/files.h"
#include "store/store.h"

namespace uc {

struct RunOptions {
  int attempts = 40;       ///< programs to try, the imported one included; final measurements come on top
  int beam = 2;            ///< hypotheses an iteration
  int per_hypothesis = 4;  ///< attempts a hypothesis an iteration; a ladder is climbed whole
  Precision precision = Precision::strict;
  bool prepack = true;
  uint64_t seed = 0;
  int build_jobs = 0;  ///< 0: as many as memory and cores allow
  ControllerSpec controller = {};
};

/// The world of a run. All references outlive it.
struct RunWorld {
  const Catalog& catalog;
  const DeviceSpec& device;
  Store& store;
  Files& files;
  Clock& clock;
  Evaluator& evaluator;
  CandidateBuilder* builder = nullptr;  ///< null: nothing is built (and the evaluator needs no library)
  Proposer& proposer;
  const MeaningChecker& meaning;
  std::function<void(const std::string&)> progress;
  std::function<bool()> interrupted;  ///< asked between steps; may be empty
  /// Told which queue to pause while times are taken; null: none any more.
  std::function<void(BuildQueue*)> building;
  Turn* turn = nullptr;  ///< asked before each attempt of the search; null: there is always a next one
};

struct RunResult {
  std::vector<Outcome> outcomes;  ///< attempts in order; final measurements last
  Baselines baselines;
  Bounds bounds;
  size_t best = SIZE_MAX;             ///< index in outcomes; SIZE_MAX: nothing was right
  size_t confirmed = SIZE_MAX;        ///< the best program measured once more, against every baseline
  size_t without_prepack = SIZE_MAX;  ///< the best program preparing its weights in every call
  Spent spent;                        ///< tokens and money of whoever proposed
  bool interrupted = false;
  bool has_best() const { return best != SIZE_MAX; }
};

/// The imported program of a problem, at both sizes.
struct StartingPoint {
  Program program;
  std::optional<Program> reduced;
};

/// Runs or resumes `run` (already in the store). An error is one of the outside world (store, judge);
/// everything recorded so far is kept, and the run can be resumed.
Result<RunResult> optimize(const RunWorld& world, const RunRecord& run, const RunOptions& options,
                           const StartingPoint& start);

/// Index of the fastest right program, final measurements apart; SIZE_MAX: none.
size_t best_of(const std::vector<Outcome>& outcomes);

/// The program with everything that it prepares at load time prepared in every call instead; nothing when it
/// prepares nothing.
std::optional<Program> without_prepack(const Program& program);

struct TriageOptions {
  double gap = 1;  ///< t_best / t_SOL
  int beam = 2;
  Ranking ranking = Ranking::roi;
  uint64_t seed = 0;
};
/// Sets ROI and verdict of each hypothesis, drops proposals whose program was tried, puts them in order and
/// marks the beam.
void triage(std::vector<Hypothesis>& hypotheses, const std::vector<Outcome>& outcomes,
            const TriageOptions& options);

}  // namespace uc
