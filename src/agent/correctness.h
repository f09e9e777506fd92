#pragma once
// Why: before anything is built, a candidate's meaning is tried on the CPU against torch's recorded runs; the
// result is one of the two proofs that a report shows.
#include <map>
#include <string>
#include <vector>

#include "agent/candidate.h"
#include "import/verify.h"
#include "ir/graph.h"

namespace uc {

/// What trying a candidate at reduced sizes gave. `checked` is false when the problem has no recorded runs.
struct MeaningCheck {
  bool checked = false;
  bool passed = false;
  std::vector<CaseCheck> cases;
  std::string why;  ///< the first failure; why it was not checked
};

/// `problem` outlives the value that this makes.
class MeaningChecker {
 public:
  MeaningChecker(const Catalog& catalog, const CapturedProblem& problem, Precision allowed,
                 std::map<std::string, GraphTensorId, std::less<>> tensors)
      : catalog_(catalog), problem_(problem), allowed_(allowed), tensors_(std::move(tensors)) {}

  MeaningCheck check(const Candidate& candidate) const;

 private:
  const Catalog& catalog_;
  const CapturedProblem& problem_;
  Precision allowed_;
  std::map<std::string, GraphTensorId, std::less<>> tensors_;  ///< of the reduced graph
};

/// JSON array: name, passed, excess, error, error_bound, why.
std::string cases_json(const std::vector<CaseCheck>& cases);

}  // namespace uc
