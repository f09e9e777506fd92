#pragma once
// Why: whoever publishes results wants to know which of them could be disbelieved, and why: everything that
// speaks against an attempt, in one place, from what is stored.
#include <string>
#include <vector>

#include "agent/analysis.h"
#include "store/store.h"

namespace uc {

/// One thing that speaks against an attempt.
struct Evidence {
  std::string what;  ///< stable word: label, inherits, same_program, below_certified, below_calibrated, leap,
                     ///< libraries, clocks, notes
  std::string text;  ///< a line for people
  bool flag = false;  ///< enough by itself; else a reason to look
};

struct Reviewed {
  AttemptRecord attempt;
  bool flagged = false;  ///< no honest answer, or descends from none; else suspicious
  double sol_ratio = 0;  ///< its time over the certified bound; 0: one of them is not known
  std::vector<Evidence> evidence;
};

/// Attempts with evidence, in order. `bounds` are those of the problem; 0 where they are not known.
/// Sources: docs/optimizer.md, "Integrity".
std::vector<Reviewed> review(const std::vector<AttemptRecord>& attempts, const Bounds& bounds);

}  // namespace uc
