#pragma once
// Why: one scheduler decides on line which problem gets the next attempt, and decides the same when a log is
// replayed: it sees nothing but what was recorded.
#include <cstddef>
#include <optional>
#include <vector>

#include "schedule/policy.h"

namespace uc::schedule {

/// A problem as the scheduler sees it. Times in microseconds, cost in what the budget counts (tokens,
/// attempts, seconds).
struct Progress {
  double reference_us = 0;
  double sol_us = 0;
  int most_attempts = 0;  ///< its share of the budget
  double best_us = 0;     ///< 0: nothing accepted yet
  int attempts = 0;
  int stalled = 0;  ///< attempts since the last progress
  int improved = 0;
  double closed = 0;  ///< of log(reference / t_SOL), what its improvements gained together
  double cost = 0;

  bool beats_reference() const { return best_us > 0 && best_us < reference_us; }
};

class Scheduler {
 public:
  Scheduler(const Policy& policy, std::vector<Progress> problems);

  /// The problem that gets the next attempt; nothing when all have had enough. Asked again before `record`,
  /// it answers the same.
  std::optional<size_t> next();
  /// An attempt ended: its time in microseconds, 0 when it was not accepted, and what it cost.
  void record(size_t problem, double time_us, double cost);

  /// The problem gets no more: there is nothing left to try, or it failed.
  void close(size_t problem) { problems_[problem].most_attempts = problems_[problem].attempts; }

  const std::vector<Progress>& problems() const { return problems_; }

 private:
  bool eligible(size_t problem) const;
  /// What the next attempt is expected to gain, in log of speedup, per unit of cost.
  double expected_rate(size_t problem) const;
  std::optional<size_t> next_in_turn();
  std::optional<size_t> next_by_gain() const;

  Policy policy_;
  std::vector<Progress> problems_;
  size_t turn_ = 0;
  double cost_ = 0;
  int attempts_ = 0;
};

}  // namespace uc::schedule
