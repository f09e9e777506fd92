#include "cli/optimize/session.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <ostream>

#include "agent/gpu_evaluator.h"
#include "agent/model_evaluator.h"
#include "agent/nvcc_builder.h"
#include "agent/raising.h"
#include "agent/report.h"
#include "cli/optimize/judging.h"
#include "cli/optimize/proposer.h"
#include "cli/optimize/settings.h"
#include "cli/optimize/setup.h"
#include "cli/output.h"
#include "platform/interrupt.h"
#include "sol/sol.h"

namespace uc::cli {
namespace {

class Session {
 public:
  Session(const Context& context, RunSetup setup, Turn* turn)
      : context_(context), setup_(std::move(setup)), turn_(turn), judged_(context.processes) {}

  int run() {
    std::optional<InterruptGuard> guard;
    if (turn_ == nullptr) guard.emplace();
    return optimize_now();
  }

 private:
  void say(const std::string& line) const { context_.err << line << "\n" << std::flush; }

  std::unique_ptr<Evaluator> evaluator(const MeaningChecker& meaning) {
    if (!setup_.target.gpu)
      return std::make_unique<ModelEvaluator>(context_.catalog, *setup_.target.device,
                                              setup_.problem.captured, setup_.start.program, meaning);
    GpuOptions gpu =
        judging_options(context_, setup_.settings, setup_.target, setup_.problem, setup_.start.program);
    gpu.environment.processes = &judged_;
    gpu.environment.progress = [this](const std::string& line) { say(line); };
    gpu.environment.quiet = [this](bool quiet) {
      if (queue_ != nullptr) queue_->pause(quiet);
    };
    gpu.vendor_libraries = !setup_.settings.raw;
    return std::make_unique<GpuEvaluator>(context_.catalog, std::move(gpu));
  }

  // nvcc, g++ and CUTLASS; needed on a GPU, welcome without one.
  Result<std::unique_ptr<NvccBuilder>> builder() {
    auto toolchain = find_toolchain(context_.processes);
    Result<> able = toolchain ? require_build(*toolchain) : tl::unexpected(toolchain.error());
    if (able)
      return std::make_unique<NvccBuilder>(context_.catalog, *toolchain, context_.processes, context_.files);
    if (setup_.target.gpu) return tl::unexpected(able.error());
    return nullptr;
  }

  int optimize_now() {
    auto nvcc = builder();
    if (!nvcc) return end(nvcc.error());
    const MeaningChecker meaning(context_.catalog, setup_.problem.captured, setup_.options.precision,
                                 setup_.tensors);
    const auto judge = evaluator(meaning);
    auto proposer = make_proposer(context_, setup_, [this](const std::string& line) { say(line); });
    if (!proposer) return end(proposer.error());
    parts_ = std::move(*proposer);
    const RunWorld world{context_.catalog,
                         *setup_.target.device,
                         *setup_.store,
                         context_.files,
                         context_.clock,
                         *judge,
                         nvcc->get(),
                         *parts_.proposer,
                         meaning,
                         [this](const std::string& line) { say(line); },
                         interrupt_requested,
                         [this](BuildQueue* queue) { queue_ = queue; },
                         turn_};
    auto result = optimize(world, setup_.run, setup_.options, setup_.start);
    if (!result) return end(result.error());
    if (result->interrupted) return finish(*result, RunState::interrupted);
    if (result->has_best() && !setup_.target.gpu && !setup_.settings.no_build)
      compile_best(nvcc->get(), *result);
    raise_rates(*result);
    return finish(*result, interrupt_requested() ? RunState::interrupted : RunState::done);
  }

  int end(const Error& error) {
    (void)setup_.store->set_state(setup_.run.id,
                                  error.exit_code == kInterrupted ? RunState::interrupted : RunState::failed);
    Error told = error;
    if (!told.help.empty()) told.help += "; ";
    told.help += fmt::format("what was done is stored, to go on: {}", resume_command());
    return report(context_, told, setup_.settings.json);
  }

  // Without a GPU nvcc can still tell whether the best program compiles.
  void compile_best(NvccBuilder* nvcc, const RunResult& result) {
    if (nvcc == nullptr) {
      compiled_ = "not compiled: nvcc, g++ or CUTLASS is missing (`ucutlass doctor`)";
      return;
    }
    say("compiling the best program");
    const std::string folder = setup_.run.folder.empty() ? std::string("/tmp/ucutlass") : setup_.run.folder;
    const auto built = nvcc->build(*result.outcomes[result.best].candidate, folder + "/best.so");
    if (!built && interrupt_requested()) {
      compiled_ = "not compiled: interrupted";
      return;
    }
    compile_failed_ = !built;
    compiled_ = built ? fmt::format("compiled: {}", built->library)
                      : fmt::format("does not compile: {}", built.error().message);
  }

  // Later bounds know what was reached; that it could not be kept spoils no result.
  void raise_rates(const RunResult& result) const {
    const auto raised = raise_by_proof(context_.catalog, *setup_.target.device, setup_.start.program,
                                       setup_.options.precision, result, context_.files, context_.environment,
                                       context_.clock);
    if (!raised) return say("the calibration is not raised: " + raised.error().message);
    for (const RaisedRate& each : *raised)
      say(fmt::format("calibration raised: {} from {:.4g} to {:.4g} {}", each.unit, each.was, each.now,
                      parse_math(each.unit)   ? "TFLOP/s"
                      : each.unit == "memory" ? "TB/s"
                                              : "T/s"));
  }

  std::string resume_command() const {
    return fmt::format("ucutlass optimize --resume {}{}", setup_.run.id,
                       setup_.settings.store.empty() ? "" : " --store " + shell_word(setup_.settings.store));
  }

  int finish(const RunResult& result, RunState state) {
    if (state == RunState::interrupted && parts_.pending()) return wait_for_answer(*parts_.pending());
    const ReportContext context{setup_.run, setup_.options, resume_command(), command_line(setup_.settings)};
    const std::string json = report_json(context, result);
    std::string text = report_text(context, result, context_.color_out);
    if (!compiled_.empty()) text += compiled_ + "\n";
    if (!result.has_best()) text += what_if();
    if (!setup_.run.folder.empty() && context_.files.exists(setup_.run.folder)) {
      (void)context_.files.write(setup_.run.folder + "/report.txt", text);
      (void)context_.files.write(setup_.run.folder + "/report.json", json);
      if (result.has_best())
        (void)context_.files.write(
            setup_.run.folder + (result.outcomes[result.best].candidate->raw ? "/best.cu" : "/best.uc"),
            result.outcomes[result.best].candidate->text());
    }
    Result<> stored = setup_.store->set_summary(setup_.run.id, json);
    if (stored) stored = setup_.store->set_state(setup_.run.id, state);
    context_.out << (setup_.settings.json ? json : text);
    if (!stored) return report(context_, stored.error());
    if (state == RunState::interrupted) {
      say("interrupted; to go on: " + resume_command());
      return kInterrupted;
    }
    if (result.has_best()) return compile_failed_ ? kFindings : kDone;
    const auto flagged = [](const Outcome& each) { return each.judgement.flagged(); };
    return std::ranges::any_of(result.outcomes, flagged) ? kRejected : kFindings;
  }

  // What a person or an agent is asked is data, and how to go on is told beside it.
  int wait_for_answer(const PendingRequest& request) {
    (void)setup_.store->set_state(setup_.run.id, RunState::interrupted);
    context_.out << (setup_.settings.json ? request_json(setup_.run.id, request, resume_command())
                                          : request.text);
    say(fmt::format("answer it in {}, then: {}", request.answer_file, resume_command()));
    return kInterrupted;
  }

  // What further precisions would buy, for who asked for one that nothing can multiply in yet.
  std::string what_if() const {
    std::string out = "What other precisions could reach (calibrated speed of light):\n";
    const SolReport sol = speed_of_light(context_.catalog, setup_.start.program, *setup_.target.device);
    for (const SolWhatIf& each : sol.what_if) {
      if (std::ranges::find(kOptimizePrecisions, each.precision) != std::end(kOptimizePrecisions) &&
          each.precision != "strict")
        out += fmt::format("  --precision {:<6} {:>10.2f} us\n", each.precision, each.calibrated.total_us);
    }
    return out;
  }

  const Context& context_;
  RunSetup setup_;
  Turn* turn_;
  ProposerParts parts_;
  InterruptibleProcesses judged_;  ///< judge and runner
  BuildQueue* queue_ = nullptr;
  std::string compiled_;
  bool compile_failed_ = false;
};

}  // namespace

int optimize_problem(const Context& context, OptimizeSettings settings, bool* from_before, Turn* turn) {
  const bool json = settings.json;
  auto setup = prepare(context, std::move(settings));
  if (!setup) return report(context, setup.error(), json);
  if (from_before != nullptr) *from_before = setup->finished;
  if (setup->finished) {
    context.out << setup->run.summary;
    return kDone;
  }
  return Session(context, std::move(*setup), turn).run();
}

}  // namespace uc::cli
