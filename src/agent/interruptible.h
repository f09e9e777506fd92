#pragma once
// Why: compilers take a minute and PyTorch's baselines several; the user's interrupt must not wait for them,
// and compilers must be able to stand still while times are taken.
#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include "platform/process.h"

namespace uc {

/// Runs children that are killed when the user interrupts this process or when told to; then `run` fails with
/// exit code 130. They can be made to stand still meanwhile.
class InterruptibleProcesses final : public Processes {
 public:
  explicit InterruptibleProcesses(Processes& inner) : inner_(inner) {}
  Result<ProcessOutput> run(const ProcessSpec& spec) override;
  /// A child whose channel reads as closed once the user interrupts.
  Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec& spec) override;
  void pause(bool quiet);
  void stop() { stopped_ = true; }

 private:
  void enter(int pid);
  void leave(int pid);

  Processes& inner_;
  std::mutex mutex_;
  std::set<int> running_;
  bool quiet_ = false;
  std::atomic<bool> stopped_{false};
};

}  // namespace uc
