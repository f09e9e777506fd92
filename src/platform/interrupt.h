#pragma once
// Why: Ctrl-C must save what there is and say how to resume, so long commands ask instead of being killed.
namespace uc {

/// While one lives, the first SIGINT or SIGTERM only sets a flag; a second one ends the process as usual.
/// Not nestable. Without one, a signal ends the process at once (exit code 130 in the shell).
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// True after the first signal that a guard caught. Safe to call from any thread.
bool interrupt_requested();

}  // namespace uc
