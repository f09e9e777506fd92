#include "platform/interrupt.h"

#include <csignal>

namespace uc {
namespace {

volatile std::sig_atomic_t requested = 0;
struct sigaction old_int, old_term;

extern "C" void on_signal(int) { requested = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  requested = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  // SA_RESETHAND: the second signal takes the default action. No SA_RESTART: blocking calls return early.
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, &old_int);
  sigaction(SIGTERM, &action, &old_term);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
}

bool interrupt_requested() { return requested != 0; }

}  // namespace uc
