#pragma once
// Why: the loop does not know whether times are measured on a GPU or modelled, and tests decide them; every
// time says which it is.
#include <optional>
#include <string>
#include <vector>

#include "agent/candidate.h"
#include "base/result.h"
#include "store/store.h"

namespace uc {

/// PyTorch's time for the problem in one way of running it.
struct Baseline {
  std::string name;  ///< eager, eager_tf32, compile, eager_autocast, ...
  double us = 0;     ///< 0: none, see `note`
  TimeKind kind = TimeKind::none;
  bool own_io = true;  ///< keeps the problem's dtypes of inputs and outputs
  bool passed = true;  ///< within the tolerance
  std::string note;    ///< why it has no time; "recorded earlier on one H200"
};

struct Baselines {
  std::vector<Baseline> all;
  std::string best;          ///< fastest with the problem's own input and output that passes: the one to beat
  std::string device;        ///< "NVIDIA H200"
  std::string problem_json;  ///< facts of the judged problem, from the judge; may be empty
  const Baseline* find(std::string_view name) const;
};

/// Candidate against one baseline, measured in alternation (or, modelled, by division).
struct Speedup {
  std::string baseline;
  double baseline_us = 0, candidate_us = 0;
  double speedup = 0, low = 0, high = 0;  ///< low and high: 95 % interval; equal to speedup when modelled
  std::string verdict;                    ///< faster, slower, no difference, too few pairs
};

/// What became of a candidate.
struct Judgement {
  std::string label;    ///< ok, sol_ceiling, gaming, library_only, incorrect, broken
  std::string reason;   ///< stable word; empty when ok
  std::string message;  ///< one line for people
  TimeKind kind = TimeKind::none;
  double time_us = 0;
  double spread = 0;  ///< relative half-width of the time's spread; 0 when modelled
  double prepack_us = 0;
  std::string correctness;  ///< JSON array of trials
  std::string timing;       ///< JSON: the whole record
  std::vector<Speedup> speedups;
  bool ok() const { return label == "ok" || label == "minor"; }
  /// It runs, and is no honest answer.
  bool flagged() const { return label == "gaming" || label == "sol_ceiling" || label == "library_only"; }
};

/// How thoroughly to look.
enum class Effort : uint8_t { search, confirm };

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual TimeKind kind() const = 0;
  /// True when a candidate has to be built before it can be judged.
  virtual bool needs_library() const = 0;
  /// PyTorch's times, once. Called before the first judge().
  virtual Result<Baselines> baselines() = 0;
  /// `library` is empty when there is none. An error means that judging failed, not the candidate.
  virtual Result<Judgement> judge(const Candidate& candidate, const std::string& id,
                                  const std::string& library, Effort effort) = 0;
};

}  // namespace uc
