#pragma once
// Why: the real builder: emits a candidate's kernels and glue, compiles what the cache lacks, keeps sources
// beside the .so.
#include "agent/builder.h"
#include "agent/interruptible.h"
#include "build/builder.h"

namespace uc {

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
