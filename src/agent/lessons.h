#pragma once
// Why: what a change brought is worth knowing the next time it is proposed, on this problem and on others.
#include <string>
#include <vector>

#include "agent/hypothesis.h"
#include "base/result.h"
#include "store/store.h"

namespace uc {

/// What earlier runs learned. Lessons newer than `before` are left out, so that a resumed run decides as it
/// did at first.
class Lessons {
 public:
  static Result<Lessons> load(Store& store, std::string_view device, TimeKind kind, double before);

  /// Expected speedups corrected by what was observed of the same rewrites: by the mean of observed over
  /// expected, at most a fifth either way.
  void adjust(std::vector<Hypothesis>& hypotheses) const;

  /// For a proposer that reads: the newest of them with problem and conditions, newest last.
  std::vector<std::string> lines() const;

 private:
  std::vector<LessonRecord> known_;  ///< newest first; those whose change could be timed
  std::vector<LessonRecord> told_;   ///< newest first
};

/// Expected against observed, in one line with its conditions.
LessonRecord lesson_of(const Outcome& outcome, const std::vector<Outcome>& all, const RunRecord& run,
                       const DeviceSpec& device);

}  // namespace uc
