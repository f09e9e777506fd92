#include "agent/controller.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "agent/artefacts.h"
#include "agent/attempts.h"
#include "agent/lessons.h"
#include "agent/records.h"

namespace uc {
namespace {

constexpr double kNearBound = 1.03;  // of the calibrated speed of light: nothing left to look for

constexpr double kNever = std::numeric_limits<double>::infinity();

class Controller {
 public:
  Controller(const RunWorld& world, const RunRecord& run, const RunOptions& options,
             const StartingPoint& start)
      : world_(world),
        run_(run),
        options_(options),
        start_(start),
        artefacts_(world.files, run.folder, world.progress),
        attempts_(world, run, options, artefacts_) {}

  Result<RunResult> go() {
    Result<> done = prepare();
    if (done) done = attempts_.first(start_);
    while (done && !over()) done = iterate();
    if (done && !stopped() && !attempts_.outcomes().empty()) done = finish();
    waiting_ = !done && done.error().exit_code == 130;
    // What fails once the user has interrupted, fails because of that.
    if (!done && done.error().exit_code != 130 && !stopped()) return tl::unexpected(done.error());
    return result();
  }

 private:
  bool stopped() const { return world_.interrupted && world_.interrupted(); }
  int left() const { return options_.attempts - static_cast<int>(attempts_.outcomes().size()); }
  bool over() const { return stopped() || exhausted_ || attempts_.enough() || left() <= 0; }

  // Measure: PyTorch's times, once for a run.
  Result<> prepare() {
    if (auto loaded = attempts_.load(); !loaded) return loaded;
    auto lessons = Lessons::load(world_.store, world_.device.name, world_.evaluator.kind(), run_.started);
    if (!lessons) return tl::unexpected(lessons.error());
    lessons_ = std::move(*lessons);
    if (options_.controller.phases.summarize) heard_ = lessons_.lines();
    bounds_ = bounds_of(world_.catalog, start_.program, world_.device, options_.precision);
    if (auto known = parse_baselines(run_.baselines)) {
      baselines_ = std::move(*known);
    } else {
      world_.progress(world_.evaluator.kind() == TimeKind::measured ? "measuring PyTorch"
                                                                    : "looking up PyTorch's times");
      attempts_.warm(start_);
      auto measured = world_.evaluator.baselines();
      if (!measured) return tl::unexpected(measured.error());
      baselines_ = std::move(*measured);
      if (auto stored = world_.store.set_baselines(run_.id, baselines_json(baselines_)); !stored)
        return stored;
    }
    artefacts_.write("measure.json", baselines_json(baselines_) + "\n");
    const Baseline* reference = baselines_.find(baselines_.best);
    if (world_.turn != nullptr)
      world_.turn->begin(reference == nullptr ? 0 : reference->us, bounds_.certified_us);
    return {};
  }

  SearchState state(const Outcome* best, double gap) const {
    return {world_.catalog,
            world_.device,
            options_.precision,
            options_.prepack,
            world_.evaluator.kind() == TimeKind::measured,
            options_.seed,
            iteration_,
            attempts_.outcomes(),
            best,
            &attempts_.outcomes().front(),
            gap,
            left(),
            options_.controller,
            report_,
            heard_};
  }

  const Outcome* best() const {
    const size_t at = attempts_.best();
    return at == SIZE_MAX ? nullptr : &attempts_.outcomes()[at];
  }

  Result<> iterate() {
    if (++iteration_ > 2) attempts_.forget();
    const std::string folder = fmt::format("iteration-{}/", iteration_);
    const double gap = analyze_best(folder);
    if (exhausted_) return {};
    auto nominated = world_.proposer.nominate(state(best(), gap));
    if (!nominated) return tl::unexpected(nominated.error());
    std::vector<Hypothesis> hypotheses = choose(std::move(*nominated), gap, folder);
    if (hypotheses.empty()) {
      exhausted_ = true;
      return {};
    }
    const size_t before = attempts_.outcomes().size();
    const double best_us = best() == nullptr ? kNever : best()->judgement.time_us;
    if (auto done = implement(hypotheses, gap); !done) return done;
    if (attempts_.outcomes().size() == before) exhausted_ = true;  // nobody has anything to write
    return summarize(folder, before, best_us);
  }

  // Analyze: bounds, launches and the gap g; 1 where the phase is left out.
  double analyze_best(const std::string& folder) {
    if (!options_.controller.phases.analyze) return 1;
    const Outcome* at = best();
    const Analysis analysis = analyze(world_.catalog, world_.device, bounds_, at);
    const std::string text = analysis_markdown(analysis, at);
    report_ = bounds_.report + "\n" + text.substr(text.find('\n') + 2);  // without its title
    artefacts_.write("sol.md", "# Speed of light\n\n" + bounds_.report);
    artefacts_.write(folder + "analysis.md", text);
    artefacts_.write(folder + "analysis.json", analysis_json(analysis));
    if (at != nullptr && analysis.gap <= kNearBound) {
      world_.progress(
          fmt::format("within {:.0f} % of the calibrated speed of light: done", 100 * (analysis.gap - 1)));
      exhausted_ = true;
    }
    return analysis.gap;
  }

  // Triage: those that are tried now.
  std::vector<Hypothesis> choose(std::vector<Hypothesis> hypotheses, double gap, const std::string& folder) {
    const Phases& phases = options_.controller.phases;
    if (phases.summarize) lessons_.adjust(hypotheses);
    if (phases.nominate) artefacts_.write(folder + "hypotheses.json", hypotheses_json(hypotheses));
    triage(hypotheses, attempts_.outcomes(),
           {.gap = gap,
            .beam = options_.beam,
            .ranking = options_.controller.ranking,
            .seed = options_.seed + static_cast<uint64_t>(iteration_)});
    if (phases.triage) artefacts_.write(folder + "triage.json", triage_json(hypotheses));
    std::erase_if(hypotheses, [](const Hypothesis& each) { return each.verdict != "chosen"; });
    return hypotheses;
  }

  // Implement: programs that are written already, several building at once; then those that are written one
  // at a time.
  Result<> implement(const std::vector<Hypothesis>& chosen, double gap) {
    if (auto done = attempts_.implement(chosen, best(), left()); !done) return done;
    for (const Hypothesis& each : chosen) {
      if (!each.open) continue;
      if (auto done = implement_open(each, gap); !done) return done;
    }
    return {};
  }

  // Flat controllers have one hypothesis, which all attempts are for.
  Result<> implement_open(const Hypothesis& hypothesis, double gap) {
    const int most = options_.controller.phases.nominate ? options_.per_hypothesis : left();
    const int64_t base = best() == nullptr ? attempts_.outcomes().front().number : best()->number;
    std::vector<size_t> tried;
    while (static_cast<int>(tried.size()) < most && left() > 0 && !stopped() && !attempts_.enough()) {
      auto proposal = world_.proposer.write(state(best(), gap), hypothesis, tried);
      if (!proposal) return tl::unexpected(proposal.error());
      if (!*proposal) break;
      const int on = (*proposal)->on;
      const int64_t parent = on < 0 ? base : attempts_.outcomes()[tried[static_cast<size_t>(on)]].number;
      if (auto done = attempts_.one(**proposal, parent); !done) return done;
      if (attempts_.enough()) break;
      tried.push_back(attempts_.outcomes().size() - 1);
    }
    return {};
  }

  // Summarize: what was expected, what was seen, in one line each.
  Result<> summarize(const std::string& folder, size_t before, double best_us) {
    if (!options_.controller.phases.summarize) return {};
    std::string text = "# Summary\n\n";
    for (size_t i = before; i < attempts_.outcomes().size(); ++i) {
      const Outcome& each = attempts_.outcomes()[i];
      const LessonRecord lesson = lesson_of(each, attempts_.outcomes(), run_, world_.device);
      text += "- " + lesson.text + "\n";
      heard_.push_back(lesson.text);
      if (auto stored = world_.store.add_lesson(lesson); !stored) return stored;
    }
    const size_t best = attempts_.best();
    const double now = best == SIZE_MAX ? kNever : attempts_.outcomes()[best].judgement.time_us;
    text += fmt::format("\nBest before: {:.2f} us, after: {:.2f} us.\n", best_us, now);
    artefacts_.write(folder + "summary.md", text);
    return {};
  }

  // The headline is measured apart from the search, so that it is not the luckiest of many; and without
  // prepared weights.
  Result<> finish() {
    best_ = attempts_.best();
    if (best_ == SIZE_MAX) return {};
    const Outcome best = attempts_.outcomes()[best_];
    if (world_.evaluator.kind() == TimeKind::measured) {
      if (auto done = attempts_.again(best, "confirm", "the best program once more, against every baseline",
                                      best.candidate);
          !done)
        return done;
      confirmed_ = attempts_.outcomes().size() - 1;
    }
    if (best.candidate->raw || stopped()) return {};
    const auto bare = without_prepack(best.candidate->program);
    if (!bare) return {};
    std::optional<Program> reduced;
    if (best.candidate->reduced) reduced = without_prepack(*best.candidate->reduced);
    auto candidate =
        std::make_shared<const Candidate>(make_candidate(world_.catalog, *bare, reduced, world_.device));
    if (auto done = attempts_.again(best, "without-prepack",
                                    "the best program, its weights prepared in every call", candidate);
        !done)
      return done;
    without_prepack_ = attempts_.outcomes().size() - 1;
    return {};
  }

  RunResult result() {
    RunResult out;
    out.outcomes = attempts_.outcomes();
    out.baselines = baselines_;
    out.bounds = bounds_;
    out.interrupted = stopped() || waiting_;
    out.best = best_ != SIZE_MAX ? best_ : attempts_.best();
    out.confirmed = confirmed_;
    out.spent = world_.proposer.spent();
    out.without_prepack = without_prepack_;
    return out;
  }

  const RunWorld& world_;
  const RunRecord& run_;
  const RunOptions& options_;
  const StartingPoint& start_;
  Artefacts artefacts_;
  Attempts attempts_;
  Lessons lessons_;
  std::vector<std::string> heard_;  ///< lessons as lines, those of this run last
  std::string report_;              ///< what Analyze found
  Baselines baselines_;
  Bounds bounds_;
  int iteration_ = 0;
  bool exhausted_ = false;
  bool waiting_ = false;  ///< something that was asked for is not there yet
  size_t best_ = SIZE_MAX, confirmed_ = SIZE_MAX, without_prepack_ = SIZE_MAX;
};

}  // namespace

Result<RunResult> optimize(const RunWorld& world, const RunRecord& run, const RunOptions& options,
                           const StartingPoint& start) {
  return Controller(world, run, options, start).go();
}

}  // namespace uc
