#pragma once
// Why: deadlines and durations are read from an injected clock, so that tests decide what time it is.
#include <chrono>

namespace uc {

using Millis = std::chrono::milliseconds;

/// Monotonic time and waiting. One real clock; tests use FakeClock.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Time since an arbitrary fixed start; never goes back.
  virtual std::chrono::nanoseconds now() const = 0;
  /// Seconds since 1970-01-01 UTC, for records only.
  virtual double wall_seconds() const = 0;
  virtual void sleep(Millis duration) = 0;
};

/// CLOCK_MONOTONIC and CLOCK_REALTIME.
Clock& real_clock();

/// A clock that moves only when told to, or when something sleeps on it.
class FakeClock final : public Clock {
 public:
  std::chrono::nanoseconds now() const override { return now_; }
  double wall_seconds() const override { return 1.7e9 + std::chrono::duration<double>(now_).count(); }
  void sleep(Millis duration) override { now_ += duration; }
  void advance(std::chrono::nanoseconds by) { now_ += by; }

 private:
  std::chrono::nanoseconds now_{0};
};

}  // namespace uc
