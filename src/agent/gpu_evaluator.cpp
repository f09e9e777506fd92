#include "agent/gpu_evaluator.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/json_rows.h"
#include "compiler/emission.h"

namespace uc {
namespace {

Baseline baseline_of(const EvalBaseline& from) {
  Baseline out;
  out.name = from.name;
  out.us = from.time.gpu_us;
  out.kind = from.time.gpu_us > 0 ? TimeKind::measured : TimeKind::none;
  out.own_io = from.own_io;
  out.passed = from.passed;
  out.note = from.failure;
  return out;
}

std::string trials_json(const std::vector<EvalTrial>& trials) { return trial_rows(trials).dump(); }

}  // namespace

Judgement judgement_of(const EvalResult& result) {
  Judgement out;
  out.label = label_name(result.label);
  out.reason = result.usable() ? "" : result.reason;
  out.message = result.message;
  out.correctness = trials_json(result.trials);
  out.timing = result.json;
  out.prepack_us = result.prepack_us;
  if (result.time.gpu_us > 0) {
    out.kind = TimeKind::measured;
    out.time_us = result.time.gpu_us;
    out.spread = (result.time.high_us - result.time.low_us) / (2 * result.time.gpu_us);
  }
  const auto take = [&out](const std::vector<EvalComparison>& from, const std::string& suffix) {
    for (const EvalComparison& each : from) {
      out.speedups.push_back({each.baseline + suffix, each.baseline_time.gpu_us, each.candidate_time.gpu_us,
                              each.speedup, each.low, each.high, each.verdict});
    }
  };
  take(result.comparisons, "");
  take(result.sustained, " (sustained)");
  return out;
}

Result<Baselines> GpuEvaluator::baselines() {
  if (session_ == nullptr) {
    // Baselines are timed again beside each candidate, so builds need not stand still for minutes here.
    EvalEnvironment environment = options_.environment;
    environment.quiet = [this](bool quiet) {
      if (!opening_ && options_.environment.quiet) options_.environment.quiet(quiet);
    };
    opening_ = true;
    auto opened = EvalSession::open(options_.problem, environment);
    opening_ = false;
    if (!opened) return tl::unexpected(opened.error());
    session_ = std::move(*opened);
  }
  Baselines out;
  for (const EvalBaseline& each : session_->baselines()) out.all.push_back(baseline_of(each));
  out.best = session_->best_baseline();
  out.problem_json = session_->problem_json();
  const auto facts = nlohmann::json::parse(out.problem_json, nullptr, false);
  if (facts.is_object() && facts.contains("device") && facts["device"].is_object()) {
    out.device = facts["device"].value("name", "");
  }
  return out;
}

// How the candidate's buffers map to the problem's: of CUDA as the problem has them.
Result<> GpuEvaluator::describe(const Candidate& candidate, EvalRequest& request) const {
  if (!candidate.raw) return read_manifest(emit_program(catalog_, *candidate.compiled).manifest, request);
  const Program& program = candidate.program;
  const auto tensors = [&](const std::vector<ValueId>& ids, bool bound) {
    std::vector<EvalTensor> out;
    for (const ValueId id : ids) {
      const Value& value = program[id];
      out.push_back(
          {bound && !value.binding.empty() ? value.binding : value.name, value.dtype, value.shape, {}});
    }
    return out;
  };
  request.inputs = tensors(program.inputs, false);
  request.params = tensors(program.params, true);
  request.outputs = tensors(program.results, false);
  return {};
}

// While searching one baseline gives the ratio; the headline is measured against all that matter.
std::vector<std::string> GpuEvaluator::against(Effort effort) const {
  if (effort == Effort::search) return {"best"};
  std::vector<std::string> out{"best"};
  for (const EvalBaseline& each : session_->baselines()) {
    const bool wanted = each.name == "eager_tf32" || each.name == "eager" || each.name == "eager_autocast" ||
                        each.name == "compile_autocast";
    if (wanted && each.time.gpu_us > 0 && each.name != session_->best_baseline()) out.push_back(each.name);
  }
  return out;
}

Result<Judgement> GpuEvaluator::judge(const Candidate& candidate, const std::string& id,
                                      const std::string& library, Effort effort) {
  if (session_ == nullptr) {
    if (auto opened = baselines(); !opened) return tl::unexpected(opened.error());
  }
  EvalRequest request;
  request.id = id;
  request.library = library;
  if (auto read = describe(candidate, request); !read) return tl::unexpected(read.error());
  request.vendor_libraries = options_.vendor_libraries;
  request.rounds = effort == Effort::confirm ? 4 : 1;
  request.against = against(effort);
  request.sustained_s = effort == Effort::confirm ? options_.confirm_sustained_s : 0;
  request.time_budget_s = effort == Effort::confirm ? 120 : 60;
  request.sol_floor_us = options_.certified_us;
  request.reduction = options_.reduction;
  auto result = session_->evaluate(request);
  if (!result) return tl::unexpected(result.error());
  return judgement_of(*result);
}

}  // namespace uc
