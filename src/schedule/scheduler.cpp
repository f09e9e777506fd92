#include "schedule/scheduler.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace uc::schedule {
namespace {

// Before anything is known of a problem: every second attempt improves, and closes a fifth of what is open.
constexpr double kPriorHits = 1, kPriorTries = 2;
constexpr double kPriorShare = 0.2;

// How far above its bound a problem is, in log; its reference counts while nothing better is known.
double open_log(const Progress& problem) {
  const double now = problem.beats_reference() ? problem.best_us : problem.reference_us;
  return problem.sol_us > 0 && now > problem.sol_us ? std::log(now / problem.sol_us) : 0;
}

}  // namespace

Scheduler::Scheduler(const Policy& policy, std::vector<Progress> problems)
    : policy_(policy), problems_(std::move(problems)) {}

bool Scheduler::eligible(size_t problem) const {
  const Progress& at = problems_[problem];
  if (at.attempts >= at.most_attempts) return false;
  if (policy_.kind == Policy::Kind::fixed || !at.beats_reference()) return true;
  return at.best_us > (1 + policy_.eps) * at.sol_us && at.stalled < policy_.patience;
}

std::optional<size_t> Scheduler::next() {
  return policy_.kind == Policy::Kind::roi ? next_by_gain() : next_in_turn();
}

// In turn: nobody gets a second attempt before all who may have had their first.
std::optional<size_t> Scheduler::next_in_turn() {
  for (size_t tried = 0; tried < problems_.size(); ++tried) {
    const size_t at = (turn_ + tried) % problems_.size();
    if (!eligible(at)) continue;
    turn_ = at;
    return at;
  }
  return std::nullopt;
}

std::optional<size_t> Scheduler::next_by_gain() const {
  std::optional<size_t> out;
  double most = -1;
  for (size_t i = 0; i < problems_.size(); ++i) {
    if (!eligible(i)) continue;
    const double rate = expected_rate(i);
    if (rate > most) {
      most = rate;
      out = i;
    }
  }
  return out;
}

double Scheduler::expected_rate(size_t problem) const {
  const Progress& at = problems_[problem];
  const double hits = (at.improved + kPriorHits) / (at.attempts + kPriorTries);
  // Since the last progress each attempt without any makes the next one less likely, too.
  const double share = (at.closed + kPriorShare) / (at.improved + 1);
  const double all = attempts_ > 0 && cost_ > 0 ? cost_ / attempts_ : 1;
  const double cost = (at.cost + all) / (at.attempts + 1);
  return hits / (1 + at.stalled) * std::min(share, 1.0) * open_log(at) / cost;
}

void Scheduler::record(size_t problem, double time_us, double cost) {
  Progress& at = problems_[problem];
  ++at.attempts;
  ++attempts_;
  at.cost += cost;
  cost_ += cost;
  if (problem == turn_) turn_ = (turn_ + 1) % problems_.size();
  if (time_us <= 0 || (at.best_us > 0 && time_us >= at.best_us)) {
    ++at.stalled;
    return;
  }
  const double before = open_log(at);
  at.best_us = time_us;
  at.stalled = 0;
  const double gained = before - open_log(at);
  if (gained <= 0) return;  // still slower than the reference
  ++at.improved;
  at.closed += before > 0 ? gained / before : 0;
}

}  // namespace uc::schedule
