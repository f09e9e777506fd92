#pragma once
// Why: the real builder: emits a candidate's kernels and glue, compiles what the cache lacks, keeps sources
// beside the .so.
#include "agent/builder.h"
#include "build/builder.h"

namespace uc {

class NvccBuilder final : public CandidateBuilder {
 public:
  /// `processes` may be one that gives up when the user interrupts.
  NvccBuilder(const Catalog& catalog, const Toolchain& toolchain, Processes& processes, Files& files);
  Result<BuildOutcome> build(const Candidate& candidate, const std::string& output) override;

 private:
  const Catalog& catalog_;
  Builder builder_;
};

/// Runs children that are killed when the user interrupts this process; then `run` fails with exit code 130.
class InterruptibleProcesses final : public Processes {
 public:
  explicit InterruptibleProcesses(Processes& inner) : inner_(inner) {}
  Result<ProcessOutput> run(const ProcessSpec& spec) override;
  Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec& spec) override { return inner_.start(spec); }

 private:
  Processes& inner_;
};

}  // namespace uc
