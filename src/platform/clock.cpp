#include "platform/clock.h"

#include <thread>

namespace uc {
namespace {

class RealClock final : public Clock {
 public:
  std::chrono::nanoseconds now() const override {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
  double wall_seconds() const override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
  void sleep(Millis duration) override { std::this_thread::sleep_for(duration); }
};

}  // namespace

Clock& real_clock() {
  static RealClock clock;
  return clock;
}

}  // namespace uc
