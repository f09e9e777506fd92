#include "cli/optimize/setup.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <ostream>

#include "agent/records.h"
#include "cli/optimize/proposer.h"
#include "cli/version.h"
#include "import/importer.h"
#include "store/place.h"

namespace uc::cli {
namespace {

constexpr Millis kTakeover{2000};

std::string absolute(const std::string& path) {
  std::error_code error;
  const auto full = std::filesystem::absolute(path, error);
  return error ? path : full.lexically_normal().string();
}

class Preparation {
 public:
  Preparation(const Context& context, OptimizeSettings settings) : context_(context) {
    out_.settings = std::move(settings);
  }

  Result<RunSetup> run() {
    Result<> ready = open_store();
    if (ready && !out_.settings.resume.empty()) ready = recall();
    if (ready) ready = load();
    if (ready && out_.settings.reuse) ready = find_finished();
    // A schedule hears of finished runs too, so that it decides as it did: they are played back.
    if (ready && out_.finished && !out_.settings.policy.empty()) {
      out_.finished = false;
      out_.resumed = true;
    }
    if (ready && out_.finished) return std::move(out_);
    if (ready) ready = check_folder();
    if (ready) ready = find_run();
    if (ready) ready = import();
    if (!ready) return tl::unexpected(ready.error());
    return std::move(out_);
  }

  // Of the store no more than what is read.
  Result<ProblemStanding> look(Store* store) {
    store_ = store;
    ProblemStanding out;
    Result<> ready;
    if (!out_.settings.resume.empty())
      ready = store_ != nullptr ? recall() : tl::unexpected(Error{"no run is stored yet", {}, kFindings});
    const auto target = target_of(out_.settings, context_);
    if (ready && !target) ready = tl::unexpected(target.error());
    if (!ready) return tl::unexpected(ready.error());
    out.gpu = target->gpu;
    const bool python = out_.settings.problem.ends_with(".py");
    if (python && !context_.files.exists(out_.settings.problem))
      return fail(fmt::format("there is no file {}", out_.settings.problem), {}, kUsage);
    if (!python) ready = load();
    if (ready && !python && store_ != nullptr) ready = find_standing(out);
    if (!ready) return tl::unexpected(ready.error());
    out.settings = out_.settings;
    return out;
  }

 private:
  Result<> find_standing(ProblemStanding& out) {
    if (out_.settings.reuse) {
      if (auto found = find_finished(); !found) return found;
      out.finished = out_.finished;
    }
    if (!out_.resumed && !out_.settings.fresh && !out.finished) {
      auto unfinished = store_->find_unfinished(out_.problem.hash, settings_json(out_.settings));
      if (!unfinished) return tl::unexpected(unfinished.error());
      if (*unfinished) out_.run = std::move(**unfinished);
    }
    if (out_.run.id.empty() || out.finished) return {};
    const auto attempts = store_->attempts(out_.run.id);
    if (!attempts) return tl::unexpected(attempts.error());
    out.made = std::ranges::count_if(*attempts, [](const auto& each) { return !is_final(each.rewrite); });
    return {};
  }

  void say(const std::string& line) const { context_.err << line << "\n" << std::flush; }

  Result<> open_store() {
    auto path = store_path(context_.environment, out_.settings.store);
    if (!path) return tl::unexpected(path.error());
    auto store = Store::open(*path, context_.clock);
    if (!store) return tl::unexpected(store.error());
    out_.store = std::move(*store);
    store_ = out_.store.get();
    return {};
  }

  // --resume RUN: what it was begun with, but for what the command line says now.
  Result<> recall() {
    auto found = store_->find_run(out_.settings.resume);
    if (!found) return tl::unexpected(found.error());
    out_.run = std::move(*found);
    if (!out_.run.imported.empty())
      return fail(fmt::format("run {} was imported from {}: its results are not proven here", out_.run.id,
                              out_.run.imported),
                  "start a run of its problem, or import it with --trust if it is yours", kUsage);
    auto began = parse_settings(out_.run.options);
    if (!began) return tl::unexpected(began.error());
    began->json = out_.settings.json;
    began->jobs = out_.settings.jobs;
    began->no_build = out_.settings.no_build;
    began->store = out_.settings.store;
    began->resume = out_.settings.resume;
    if (out_.settings.attempts != OptimizeSettings{}.attempts) began->attempts = out_.settings.attempts;
    // Caps may be raised; an endpoint may have moved.
    if (out_.settings.max_tokens > 0) began->max_tokens = out_.settings.max_tokens;
    if (out_.settings.max_usd > 0) began->max_usd = out_.settings.max_usd;
    if (!out_.settings.llm.empty()) began->llm = out_.settings.llm;
    began->answer = out_.settings.answer;
    began->wait_s = out_.settings.wait_s;
    if (auto fine = check_proposer(*began); !fine) return fine;
    out_.settings = std::move(*began);
    out_.resumed = true;
    return {};
  }

  // A folder that the user names must be usable, before a run begins in it.
  Result<> check_folder() {
    if (out_.settings.run_dir.empty()) return {};
    auto made = context_.files.make_folder(out_.settings.run_dir);
    if (!made) made.error().help = "name another folder with --run-dir, or leave it out";
    return made;
  }

  Result<> load() {
    auto target = target_of(out_.settings, context_);
    if (!target) return tl::unexpected(target.error());
    out_.target = *target;
    if (out_.settings.raw && !out_.target.gpu)
      return fail("CUDA has no modelled time, so --raw needs a GPU", "say --device gpu, or leave out --raw",
                  kUsage);
    ProblemPlaces places;
    places.source = out_.settings.source;
    // A resumed run reads the copy that it kept, so that it goes on even when the original changed.
    const std::string kept = out_.run.folder + "/problem.json";
    const bool have_kept = out_.resumed && !out_.run.folder.empty() && context_.files.exists(kept);
    if (!have_kept) out_.settings.problem = absolute(out_.settings.problem);
    auto problem = load_problem(have_kept ? kept : out_.settings.problem, places, context_.files,
                                context_.processes, context_.environment);
    if (!problem) return tl::unexpected(problem.error());
    out_.problem = std::move(*problem);
    if (out_.problem.source_path.empty() && !out_.settings.source.empty())
      out_.problem.source_path = out_.settings.source;
    if (!out_.problem.source_path.empty() && !have_kept)
      out_.settings.source = absolute(out_.problem.source_path);
    if (have_kept) out_.problem.source_path = out_.settings.source;
    if (out_.resumed && out_.problem.hash != out_.run.problem_hash)
      return fail("the problem has changed since the run began", "start a new run: leave out --resume");
    if (out_.target.gpu && out_.problem.source_path.empty()) {
      return fail(fmt::format("measuring needs the problem's Python file, and none stands beside {}",
                              out_.problem.capture_path),
                  "name it: --source FILE.py; or model times: --device model:h200", kUsage);
    }
    if (out_.settings.precision.empty())
      out_.settings.precision = out_.problem.captured.flags.matmul_tf32 ? "tf32" : "strict";
    return {};
  }

  Result<> find_finished() {
    auto done = store_->find_finished(out_.problem.hash, settings_json(out_.settings));
    if (!done) return tl::unexpected(done.error());
    out_.finished = done->has_value();
    if (*done) out_.run = std::move(**done);
    return {};
  }

  // The run to go on with, or a new one.
  Result<> find_run() {
    if (!out_.resumed && !out_.settings.fresh) {
      auto unfinished = out_.store->find_unfinished(out_.problem.hash, settings_json(out_.settings));
      if (!unfinished) return tl::unexpected(unfinished.error());
      if (*unfinished) {
        // A process that was just killed holds its locks until the last of its threads is gone; one that
        // lives may end the run meanwhile.
        auto lock = file_locks()->acquire("run-" + (*unfinished)->id, kTakeover);
        auto still = out_.store->find_unfinished(out_.problem.hash, settings_json(out_.settings));
        if (!still) return tl::unexpected(still.error());
        if (lock && *still && (*still)->id == (*unfinished)->id) {
          out_.lock = std::move(*lock);
          out_.run = std::move(**still);
          out_.resumed = true;
          say(fmt::format("going on with run {}, which did not come to its end (--fresh starts anew)",
                          out_.run.id));
        }
      }
    }
    if (out_.run.id.empty()) return begin();
    if (out_.lock == nullptr) {
      auto lock = file_locks()->acquire("run-" + out_.run.id, Millis(0));
      if (!lock)
        return fail(fmt::format("run {} is being worked on by another process", out_.run.id),
                    "wait for it, or start a new run");
      out_.lock = std::move(*lock);
    }
    return out_.store->set_state(out_.run.id, RunState::running);
  }

  Result<> begin() {
    out_.run.problem = out_.problem.name;
    out_.run.problem_path = out_.settings.problem;
    out_.run.problem_hash = out_.problem.hash;
    out_.run.options = settings_json(out_.settings);
    out_.run.device = out_.target.device->name;
    out_.run.version = kVersion;
    auto begun = out_.store->begin_run(out_.run);
    if (!begun) return tl::unexpected(begun.error());
    out_.run = std::move(*begun);
    auto lock = file_locks()->acquire("run-" + out_.run.id, Millis(0));
    if (!lock) return tl::unexpected(lock.error());
    out_.lock = std::move(*lock);
    out_.run.folder = out_.settings.run_dir;
    if (out_.run.folder.empty()) {
      auto data = data_folder(context_.environment);
      if (data) out_.run.folder = *data + "/runs/" + out_.run.id;
    }
    if (!out_.run.folder.empty()) out_.run.folder = absolute(out_.run.folder);
    if (auto set = out_.store->set_folder(out_.run.id, out_.run.folder); !set) return set;
    if (!out_.run.folder.empty() && context_.files.make_folder(out_.run.folder))
      (void)context_.files.write(out_.run.folder + "/problem.json", out_.problem.json);
    return {};
  }

  Result<> import() {
    out_.options = run_options(out_.settings);
    const Precision allowed = out_.options.precision;
    // The least change of precision that a back end can multiply f32 in; the rest is for rewrites to try.
    const Precision first = allowed == Precision::strict ? Precision::strict : Precision::tf32;
    const ImportOptions how{.name = {}, .target = std::string(out_.target.device->arch), .precision = first};
    Imported imported = import_graph(context_.catalog, out_.problem.captured.graph, how);
    if (!imported.ok()) return tl::unexpected(import_error(imported, out_.problem.name));
    out_.start.program = std::move(imported.program);
    if (out_.problem.captured.reduced) {
      Imported reduced = import_graph(context_.catalog, out_.problem.captured.reduced->graph, how);
      if (reduced.ok()) {
        out_.start.reduced = std::move(reduced.program);
        out_.tensors = std::move(reduced.tensors);
      }
    }
    return {};
  }

  const Context& context_;
  Store* store_ = nullptr;  ///< out_'s, or one that is only read
  RunSetup out_;
};

}  // namespace

Result<RunSetup> prepare(const Context& context, OptimizeSettings settings) {
  return Preparation(context, std::move(settings)).run();
}

Result<ProblemStanding> standing_of(const Context& context, OptimizeSettings settings, Store* store) {
  return Preparation(context, std::move(settings)).look(store);
}

}  // namespace uc::cli
