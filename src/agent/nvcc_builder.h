#pragma once
// Why: the real builder: emits a candidate's kernels and glue, compiles what the cache lacks, keeps sources
// beside the .so.
#include <atomic>
#include <mutex>
#include <set>

#include "agent/builder.h"
#include "build/builder.h"

namespace uc {

/// Runs children that are killed when the user interrupts this process or when told to; then `run` fails with
/// exit code 130. They can be made to stand still meanwhile.
class InterruptibleProcesses final : public Processes {
 public:
  explicit InterruptibleProcesses(Processes& inner) : inner_(inner) {}
  Result<ProcessOutput> run(const ProcessSpec& spec) override;
  Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec& spec) override { return inner_.start(spec); }
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

class NvccBuilder final : public CandidateBuilder {
 public:
  NvccBuilder(const Catalog& catalog, const Toolchain& toolchain, Processes& processes, Files& files);
  Result<BuildOutcome> build(const Candidate& candidate, const std::string& output) override;
  void pause(bool quiet) override { processes_.pause(quiet); }
  void stop() override { processes_.stop(); }

 private:
  const Catalog& catalog_;
  InterruptibleProcesses processes_;
  Builder builder_;
};

}  // namespace uc
