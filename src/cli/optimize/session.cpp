#include "cli/optimize/session.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <ostream>

#include "agent/gpu_evaluator.h"
#include "agent/model_evaluator.h"
#include "agent/nvcc_builder.h"
#include "agent/problem.h"
#include "agent/proposers/search.h"
#include "agent/report.h"
#include "base/text.h"
#include "cli/output.h"
#include "cli/version.h"
#include "import/importer.h"
#include "platform/environment.h"
#include "platform/interrupt.h"
#include "sol/sol.h"
#include "store/place.h"

namespace uc::cli {
namespace {

std::string absolute(const std::string& path) {
  std::error_code error;
  const auto full = std::filesystem::absolute(path, error);
  return error ? path : full.lexically_normal().string();
}

// K of the longest sum: the judge's error bound depends on it.
int64_t reduction_of(const Program& program) {
  int64_t most = 1;
  for (const Op& op : program.ops) {
    if (op.spec->family == "contraction" && !program[op.in[0]].shape.empty())
      most = std::max(most, program[op.in[0]].shape.back());
  }
  return most;
}

class Session {
 public:
  Session(const Context& context, OptimizeSettings settings)
      : context_(context), settings_(std::move(settings)), interruptible_(context.processes) {}

  int run() {
    Result<> ready = open_store();
    if (ready && !settings_.resume.empty()) ready = recall();
    if (ready) ready = load();
    if (ready) ready = find_run();
    if (ready) ready = import();
    if (!ready) return report(context_, ready.error(), settings_.json);
    const InterruptGuard guard;
    return optimize_now();
  }

 private:
  void say(const std::string& line) const { context_.err << line << "\n" << std::flush; }

  Result<> open_store() {
    auto path = store_path(context_.environment, settings_.store);
    if (!path) return tl::unexpected(path.error());
    auto store = Store::open(*path, context_.clock);
    if (!store) return tl::unexpected(store.error());
    store_ = std::move(*store);
    return {};
  }

  // --resume RUN: what it was begun with, but for what the command line says now.
  Result<> recall() {
    auto found = store_->find_run(settings_.resume);
    if (!found) return tl::unexpected(found.error());
    run_ = std::move(*found);
    auto began = parse_settings(run_.options);
    if (!began) return tl::unexpected(began.error());
    began->json = settings_.json;
    began->jobs = settings_.jobs;
    began->no_build = settings_.no_build;
    began->store = settings_.store;
    began->resume = settings_.resume;
    if (settings_.attempts != OptimizeSettings{}.attempts) began->attempts = settings_.attempts;
    settings_ = std::move(*began);
    resumed_ = true;
    return {};
  }

  Result<> load() {
    auto target = target_of(settings_, context_);
    if (!target) return tl::unexpected(target.error());
    target_ = *target;
    ProblemPlaces places;
    places.source = settings_.source;
    auto folder = data_folder(context_.environment);
    places.capture_folder = (folder ? *folder : std::string("/tmp/ucutlass")) + "/captures";
    // A resumed run reads the copy that it kept, so that it goes on even when the original changed.
    const std::string kept = run_.folder + "/problem.json";
    const bool have_kept = resumed_ && !run_.folder.empty() && context_.files.exists(kept);
    if (!have_kept) settings_.problem = absolute(settings_.problem);
    auto problem = load_problem(have_kept ? kept : settings_.problem, places, context_.files, interruptible_,
                                context_.environment);
    if (!problem) return tl::unexpected(problem.error());
    problem_ = std::move(*problem);
    if (problem_.source_path.empty() && !settings_.source.empty()) problem_.source_path = settings_.source;
    if (!problem_.source_path.empty() && !have_kept) settings_.source = absolute(problem_.source_path);
    if (have_kept) problem_.source_path = settings_.source;
    if (resumed_ && problem_.hash != run_.problem_hash)
      return fail("the problem has changed since the run began", "start a new run: leave out --resume");
    if (target_.gpu && problem_.source_path.empty()) {
      return fail(fmt::format("measuring needs the problem's Python file, and none stands beside {}",
                              problem_.capture_path),
                  "name it: --source FILE.py; or model times: --device model:h200", kUsage);
    }
    if (settings_.precision.empty())
      settings_.precision = problem_.captured.flags.matmul_tf32 ? "tf32" : "strict";
    return {};
  }

  // The run to go on with, or a new one.
  Result<> find_run() {
    if (!resumed_ && !settings_.fresh) {
      auto unfinished = store_->find_unfinished(problem_.hash, settings_json(settings_));
      if (!unfinished) return tl::unexpected(unfinished.error());
      if (*unfinished) {
        auto lock = file_locks()->acquire("run-" + (*unfinished)->id, Millis(0));
        if (lock) {
          lock_ = std::move(*lock);
          run_ = std::move(**unfinished);
          resumed_ = true;
          say(fmt::format("going on with run {}, which did not come to its end (--fresh starts anew)",
                          run_.id));
        }
      }
    }
    if (run_.id.empty()) return begin();
    if (lock_ == nullptr) {
      auto lock = file_locks()->acquire("run-" + run_.id, Millis(0));
      if (!lock)
        return fail(fmt::format("run {} is being worked on by another process", run_.id),
                    "wait for it, or start a new run");
      lock_ = std::move(*lock);
    }
    return store_->set_state(run_.id, RunState::running);
  }

  Result<> begin() {
    run_.problem = problem_.name;
    run_.problem_path = settings_.problem;
    run_.problem_hash = problem_.hash;
    run_.options = settings_json(settings_);
    run_.device = target_.device->name;
    run_.version = kVersion;
    auto begun = store_->begin_run(run_);
    if (!begun) return tl::unexpected(begun.error());
    run_ = std::move(*begun);
    auto lock = file_locks()->acquire("run-" + run_.id, Millis(0));
    if (!lock) return tl::unexpected(lock.error());
    lock_ = std::move(*lock);
    run_.folder = settings_.run_dir;
    if (run_.folder.empty()) {
      auto data = data_folder(context_.environment);
      if (data) run_.folder = *data + "/runs/" + run_.id;
    }
    if (!run_.folder.empty()) run_.folder = absolute(run_.folder);
    if (auto set = store_->set_folder(run_.id, run_.folder); !set) return set;
    if (!run_.folder.empty() && context_.files.make_folder(run_.folder))
      (void)context_.files.write(run_.folder + "/problem.json", problem_.json);
    return {};
  }

  Result<> import() {
    const Precision allowed = *parse_precision(settings_.precision);
    options_.precision = allowed;
    options_.attempts = static_cast<int>(settings_.attempts);
    options_.seed = static_cast<uint64_t>(settings_.seed);
    options_.prepack = !settings_.no_prepack;
    options_.build_jobs = static_cast<int>(settings_.jobs);
    // The least change of precision that a back end can multiply f32 in; the rest is for rewrites to try.
    const Precision first = allowed == Precision::strict ? Precision::strict : Precision::tf32;
    const ImportOptions how{.name = {}, .target = std::string(target_.device->arch), .precision = first};
    Imported imported = import_graph(context_.catalog, problem_.captured.graph, how);
    if (!imported.ok()) return tl::unexpected(import_error(imported, problem_.name));
    start_.program = std::move(imported.program);
    if (problem_.captured.reduced) {
      Imported reduced = import_graph(context_.catalog, problem_.captured.reduced->graph, how);
      if (reduced.ok()) {
        start_.reduced = std::move(reduced.program);
        tensors_ = std::move(reduced.tensors);
      }
    }
    return {};
  }

  std::unique_ptr<Evaluator> evaluator(const MeaningChecker& meaning) {
    if (!target_.gpu)
      return std::make_unique<ModelEvaluator>(context_.catalog, *target_.device, problem_.captured,
                                              start_.program, meaning);
    GpuOptions gpu;
    gpu.problem.path = problem_.source_path;
    gpu.problem.tolerance = options_.precision == Precision::strict ? Tolerance::strict : Tolerance::reduced;
    gpu.problem.math =
        options_.precision == Precision::strict ? "f32" : std::string(name(options_.precision));
    gpu.problem.seed = options_.seed;
    gpu.problem.baselines = settings_.baselines;
    gpu.environment.device = target_.eval_device;
    gpu.environment.progress = [this](const std::string& line) { say(line); };
    gpu.environment.quiet = [this](bool quiet) {
      if (queue_ != nullptr) queue_->pause(quiet);
    };
    gpu.certified_us =
        bounds_of(context_.catalog, start_.program, *target_.device, options_.precision).certified_us;
    gpu.reduction = reduction_of(start_.program);
    return std::make_unique<GpuEvaluator>(context_.catalog, std::move(gpu));
  }

  // nvcc, g++ and CUTLASS; needed on a GPU, welcome without one.
  Result<std::unique_ptr<NvccBuilder>> builder() {
    auto toolchain = find_toolchain(context_.processes);
    Result<> able = toolchain ? require_build(*toolchain) : tl::unexpected(toolchain.error());
    if (able)
      return std::make_unique<NvccBuilder>(context_.catalog, *toolchain, context_.processes, context_.files);
    if (target_.gpu) return tl::unexpected(able.error());
    return nullptr;
  }

  int optimize_now() {
    auto nvcc = builder();
    if (!nvcc) return end(nvcc.error());
    const MeaningChecker meaning(context_.catalog, problem_.captured, options_.precision, tensors_);
    const auto judge = evaluator(meaning);
    SearchProposer search;
    const RunWorld world{context_.catalog,
                         *target_.device,
                         *store_,
                         context_.files,
                         context_.clock,
                         *judge,
                         nvcc->get(),
                         search,
                         meaning,
                         [this](const std::string& line) { say(line); },
                         interrupt_requested,
                         [this](BuildQueue* queue) { queue_ = queue; }};
    auto result = optimize(world, run_, options_, start_);
    if (!result) return end(result.error());
    if (result->interrupted) return finish(*result, RunState::interrupted);
    if (result->has_best() && !target_.gpu && !settings_.no_build) compile_best(nvcc->get(), *result);
    return finish(*result, interrupt_requested() ? RunState::interrupted : RunState::done);
  }

  int end(const Error& error) {
    (void)store_->set_state(run_.id,
                            error.exit_code == kInterrupted ? RunState::interrupted : RunState::failed);
    Error told = error;
    if (!told.help.empty()) told.help += "; ";
    told.help += fmt::format("what was done is stored, to go on: {}", resume_command());
    return report(context_, told, settings_.json);
  }

  // Without a GPU nvcc can still tell whether the best program compiles.
  void compile_best(NvccBuilder* nvcc, const RunResult& result) {
    if (nvcc == nullptr) {
      compiled_ = "not compiled: nvcc, g++ or CUTLASS is missing (`ucutlass doctor`)";
      return;
    }
    say("compiling the best program");
    const std::string folder = run_.folder.empty() ? std::string("/tmp/ucutlass") : run_.folder;
    const auto built = nvcc->build(*result.outcomes[result.best].candidate, folder + "/best.so");
    if (!built && interrupt_requested()) {
      compiled_ = "not compiled: interrupted";
      return;
    }
    compile_failed_ = !built;
    compiled_ = built ? fmt::format("compiled: {}", built->library)
                      : fmt::format("does not compile: {}", built.error().message);
  }

  std::string resume_command() const {
    return fmt::format("ucutlass optimize --resume {}{}", run_.id,
                       settings_.store.empty() ? "" : " --store " + settings_.store);
  }

  int finish(const RunResult& result, RunState state) {
    const ReportContext context{run_, options_, resume_command(), command_line(settings_)};
    const std::string json = report_json(context, result);
    std::string text = report_text(context, result, context_.color_out);
    if (!compiled_.empty()) text += compiled_ + "\n";
    if (!result.has_best()) text += what_if();
    if (!run_.folder.empty() && context_.files.exists(run_.folder)) {
      (void)context_.files.write(run_.folder + "/report.txt", text);
      (void)context_.files.write(run_.folder + "/report.json", json);
      if (result.has_best())
        (void)context_.files.write(run_.folder + "/best.uc",
                                   result.outcomes[result.best].candidate->compiled->source);
    }
    Result<> stored = store_->set_summary(run_.id, json);
    if (stored) stored = store_->set_state(run_.id, state);
    context_.out << (settings_.json ? json : text);
    if (!stored) return report(context_, stored.error());
    if (state == RunState::interrupted) {
      say("interrupted; to go on: " + resume_command());
      return kInterrupted;
    }
    if (result.has_best()) return compile_failed_ ? kFindings : kDone;
    const auto flagged = [](const Outcome& each) {
      return each.judgement.label == "gaming" || each.judgement.label == "sol_ceiling" ||
             each.judgement.label == "library_only";
    };
    return std::ranges::any_of(result.outcomes, flagged) ? kRejected : kFindings;
  }

  // What further precisions would buy, for who asked for one that nothing can multiply in yet.
  std::string what_if() const {
    std::string out = "What other precisions could reach (calibrated speed of light):\n";
    const SolReport sol = speed_of_light(context_.catalog, start_.program, *target_.device);
    for (const SolWhatIf& each : sol.what_if) {
      if (each.precision != "strict")
        out += fmt::format("  --precision {:<6} {:>10.2f} us\n", each.precision, each.calibrated.total_us);
    }
    return out;
  }

  const Context& context_;
  OptimizeSettings settings_;
  InterruptibleProcesses interruptible_;  ///< for what runs apart from builds
  std::unique_ptr<Store> store_;
  std::unique_ptr<Lock> lock_;
  RunRecord run_;
  Target target_;
  Problem problem_;
  RunOptions options_;
  StartingPoint start_;
  std::map<std::string, GraphTensorId, std::less<>> tensors_;
  BuildQueue* queue_ = nullptr;
  std::string compiled_;
  bool resumed_ = false;
  bool compile_failed_ = false;
};

}  // namespace

int optimize_problem(const Context& context, OptimizeSettings settings) {
  return Session(context, std::move(settings)).run();
}

}  // namespace uc::cli
