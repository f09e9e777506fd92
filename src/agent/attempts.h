#pragma once
// Why: what happens to one program (check, meaning, build, judge, store) and to a batch of them, whose builds
// run ahead while earlier ones are judged. What the store already holds is taken from there.
#include <map>
#include <memory>
#include <optional>

#include "agent/artefacts.h"
#include "agent/controller.h"

namespace uc {

class Attempts {
 public:
  Attempts(const RunWorld& world, const RunRecord& run, const RunOptions& options, Artefacts& artefacts);

  ~Attempts();
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  /// Reads what an earlier process stored of this run.
  Result<> load();
  /// Builds the imported program, and what the proposer will likely ask for, while PyTorch is measured.
  void warm(const StartingPoint& start);
  /// What was built ahead and did not come up is not built any more.
  void forget();
  /// The imported program.
  Result<> first(const StartingPoint& start);
  /// The proposals of the chosen hypotheses, `left` at most. Stops early when interrupted.
  Result<> implement(const std::vector<Hypothesis>& chosen, const Outcome* best, int left);
  /// One program of an open hypothesis. One that was tried already is not tried again, and costs its attempt.
  Result<> one(const Proposal& proposal, int64_t parent);
  /// One final measurement, with all effort.
  Result<> again(const Outcome& parent, const std::string& rewrite, const std::string& what,
                 std::shared_ptr<const Candidate> candidate);

  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  /// The schedule gives this problem no more attempts.
  bool enough() const { return enough_; }
  /// Index of the fastest right program of the search; SIZE_MAX: none.
  size_t best() const;

 private:
  struct Planned {
    Outcome outcome;
    Effort effort = Effort::search;
    bool building = false;
    bool settled = false;  ///< judged before anything was built, or taken from the store
  };

  /// Number of the attempt that tried the program; 0: none did.
  int64_t number_of(const Candidate& candidate) const;
  std::vector<Planned> plan(const std::vector<Hypothesis>& chosen, const Outcome* best, int left) const;
  Result<> run(std::vector<Planned> planned);
  bool replay(Planned& planned) const;
  /// Check and meaning: what needs no build.
  void examine(Planned& planned);
  Result<> judge(Planned& planned);
  Result<> keep(Planned& planned);
  /// Whether it may be made now. Final measurements always may.
  bool granted(const Planned& planned);
  void say(const Outcome& outcome) const;
  bool stopped() const { return world_.interrupted && world_.interrupted(); }

  const RunWorld& world_;
  const RunRecord& run_;
  const RunOptions& options_;
  Artefacts& artefacts_;
  std::vector<Outcome> outcomes_;
  std::map<int64_t, AttemptRecord> stored_;
  std::unique_ptr<BuildQueue> queue_;  ///< null: nothing is built
  bool enough_ = false;
  Spent counted_;  ///< what the attempts so far were told to have cost
};

}  // namespace uc
