#pragma once
// Why: problems that share a budget get their attempts by a policy, decided on line by the scheduler that
// also replays logs. Each problem's loop has a thread of its own, and one of them runs at a time.
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agent/turn.h"
#include "schedule/scheduler.h"

namespace uc::cli {

class OnlineSchedule {
 public:
  /// What a problem does, from its first attempt to its report; called in its own thread with its turn.
  using Work = std::function<void(size_t problem, Turn& turn)>;
  /// Told of each attempt after it ended: 0 where it was not accepted.
  using Told = std::function<void(size_t problem, int attempt, double time_us)>;

  OnlineSchedule(const schedule::Policy& policy, int most_attempts, Work work, Told told);
  ~OnlineSchedule();
  OnlineSchedule(const OnlineSchedule&) = delete;
  OnlineSchedule& operator=(const OnlineSchedule&) = delete;

  /// Sees all problems through. Returns when every thread has ended. `stop`: no more attempts.
  void run(size_t problems, const std::function<bool()>& stop);

  /// Seconds that the problem ran.
  double seconds(size_t problem) const;

 private:
  class Side;
  /// Lets the problem run until it gives its turn back or ends.
  void resume(size_t problem);

  schedule::Policy policy_;
  int most_attempts_;
  Work work_;
  Told told_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<size_t> active_;  ///< nothing: the scheduler
  std::vector<std::unique_ptr<Side>> sides_;
};

}  // namespace uc::cli
