#pragma once
// Why: without a GPU the loop still runs: times are modelled and say so, correctness is what the CPU executor
// finds.
#include "agent/correctness.h"
#include "agent/evaluator.h"
#include "catalog/device_spec.h"

namespace uc {

/// `naive` is the imported program: what PyTorch's eager mode is modelled after when no recorded time exists.
class ModelEvaluator final : public Evaluator {
 public:
  ModelEvaluator(const Catalog& catalog, const DeviceSpec& device, const CapturedProblem& problem,
                 const Program& naive, const MeaningChecker& meaning)
      : catalog_(catalog), device_(device), problem_(problem), naive_(naive), meaning_(meaning) {}

  TimeKind kind() const override { return TimeKind::modelled; }
  bool needs_library() const override { return false; }
  Result<Baselines> baselines() override;
  Result<Judgement> judge(const Candidate& candidate, const std::string& id, const std::string& library,
                          Effort effort) override;

 private:
  const Catalog& catalog_;
  const DeviceSpec& device_;
  const CapturedProblem& problem_;
  const Program& naive_;
  const MeaningChecker& meaning_;
  Baselines known_;
};

/// PyTorch's times for a KernelBench problem as recorded in data/pytorch_h200.jsonl (one H200, one run); none
/// for others.
std::vector<Baseline> recorded_baselines(const std::string& problem, std::string_view device);

}  // namespace uc
