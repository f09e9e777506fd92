#include "cli/sweep/online.h"

#include <chrono>

namespace uc::cli {

// What a problem's thread and the scheduler share; whoever is active reads and writes it.
class OnlineSchedule::Side final : public Turn {
 public:
  Side(OnlineSchedule& all, size_t index) : all_(all), index_(index) {}

  void begin(double reference, double certified) override {
    reference_us = reference;
    sol_us = certified;
    begun = true;
    give_back();
  }

  bool next() override {
    if (!granted) give_back();
    const bool may = granted && !enough;
    granted = false;
    return may;
  }

  void done(double us) override {
    attempted = true;
    time_us = us;
  }

  // The scheduler goes on, and this thread waits.
  void give_back() {
    std::unique_lock lock(all_.mutex_);
    all_.active_.reset();
    all_.changed_.notify_all();
    all_.changed_.wait(lock, [&] { return all_.active_ == index_; });
  }

  void end() {
    const std::lock_guard lock(all_.mutex_);
    ended = true;
    all_.active_.reset();
    all_.changed_.notify_all();
  }

  std::thread thread;
  double reference_us = 0, sol_us = 0, time_us = 0, seconds = 0;
  bool begun = false, ended = false, granted = false, enough = false, attempted = false;

 private:
  OnlineSchedule& all_;
  size_t index_;
};

OnlineSchedule::OnlineSchedule(const schedule::Policy& policy, int most_attempts, Work work, Told told)
    : policy_(policy), most_attempts_(most_attempts), work_(std::move(work)), told_(std::move(told)) {}

OnlineSchedule::~OnlineSchedule() = default;

void OnlineSchedule::resume(size_t problem) {
  const auto before = std::chrono::steady_clock::now();
  Side& side = *sides_[problem];
  std::unique_lock lock(mutex_);
  active_ = problem;
  if (!side.thread.joinable()) {
    side.thread = std::thread([this, problem, &side] {
      work_(problem, side);
      side.end();
    });
  }
  changed_.notify_all();
  changed_.wait(lock, [&] { return !active_.has_value(); });
  side.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

void OnlineSchedule::run(size_t problems, const std::function<bool()>& stop) {
  std::vector<schedule::Progress> starts(problems);
  for (size_t i = 0; i < problems; ++i) sides_.push_back(std::make_unique<Side>(*this, i));
  for (size_t i = 0; i < problems && !stop(); ++i) {
    Side& side = *sides_[i];
    resume(i);  // until it knows what has to be beaten
    starts[i].reference_us = side.reference_us;
    starts[i].sol_us = side.sol_us;
    starts[i].most_attempts = side.begun && !side.ended ? most_attempts_ : 0;
  }
  schedule::Scheduler scheduler(policy_, std::move(starts));
  while (!stop()) {
    const auto at = scheduler.next();
    if (!at) break;
    Side& side = *sides_[*at];
    side.granted = true;
    side.attempted = false;
    resume(*at);
    if (side.attempted) {
      scheduler.record(*at, side.time_us, 1);
      told_(*at, scheduler.problems()[*at].attempts, side.time_us);
    }
    if (side.ended || !side.attempted) scheduler.close(*at);
  }
  for (size_t i = 0; i < problems; ++i) {
    Side& side = *sides_[i];
    side.enough = true;
    while (side.thread.joinable() && !side.ended) resume(i);
    if (side.thread.joinable()) side.thread.join();
  }
}

double OnlineSchedule::seconds(size_t problem) const { return sides_[problem]->seconds; }

}  // namespace uc::cli
