#pragma once
// Why: on a GPU the judge decides (src/eval): this maps candidates to its requests and its answers to ours.
#include <functional>
#include <memory>

#include "agent/evaluator.h"
#include "eval/session.h"

namespace uc {

struct GpuOptions {
  EvalProblem problem;
  EvalEnvironment environment;
  double certified_us = 0;  ///< no right answer is faster
  int64_t reduction = 0;    ///< K
  double confirm_sustained_s = 0.5;
  bool vendor_libraries = true;  ///< false: what loads cuBLAS, cuDNN or torch is `library_only`
};

class GpuEvaluator final : public Evaluator {
 public:
  GpuEvaluator(const Catalog& catalog, GpuOptions options)
      : catalog_(catalog), options_(std::move(options)) {}

  TimeKind kind() const override { return TimeKind::measured; }
  bool needs_library() const override { return true; }
  Result<Baselines> baselines() override;
  Result<Judgement> judge(const Candidate& candidate, const std::string& id, const std::string& library,
                          Effort effort) override;

 private:
  std::vector<std::string> against(Effort effort) const;
  Result<> describe(const Candidate& candidate, EvalRequest& request) const;

  const Catalog& catalog_;
  GpuOptions options_;
  bool opening_ = false;  ///< the problem is loaded and PyTorch measured: long, and builds may go on
  std::unique_ptr<EvalSession> session_;
};

/// The judge's answer as the loop keeps it.
Judgement judgement_of(const EvalResult& result);

}  // namespace uc
