#pragma once
// Why: the loop is tried with a judge and a builder that tests decide, on real captured problems.
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "agent/controller.h"
#include "agent/proposers/search.h"
#include "base/hash.h"
#include "catalog/builtin.h"
#include "import/importer.h"
#include "platform/files.h"

namespace uc::agent_testing {

inline const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}
inline const DeviceSpec& h200() { return *catalog().device("h200"); }

constexpr const char* kRelu = "data/kernelbench/level2/76_Gemm_Add_ReLU.json";
constexpr const char* kSwish = "data/kernelbench/level2/81_Gemm_Swish_Divide_Clamp_Tanh_Clamp.json";
constexpr const char* kSquare = "data/kernelbench/level1/1_Square_matrix_multiplication_.json";

/// A captured problem of the repository, imported.
struct Loaded {
  CapturedProblem problem;
  StartingPoint start;
  std::map<std::string, GraphTensorId, std::less<>> tensors;
};

inline Loaded load(const std::string& name, Precision precision = Precision::tf32) {
  Loaded out;
  out.problem = read_problem(real_files().read(std::string(UC_SOURCE_DIR) + "/" + name).value()).value();
  const ImportOptions options{.name = {}, .target = "sm_90a", .precision = precision};
  out.start.program = import_graph(catalog(), out.problem.graph, options).program;
  Imported reduced = import_graph(catalog(), out.problem.reduced->graph, options);
  out.start.reduced = reduced.program;
  out.tensors = reduced.tensors;
  return out;
}

/// Kept to CUTLASS 3, which multiplies tf32 only where K is contiguous: kSquare cannot be built as it is.
inline Loaded on_cutlass3(Loaded from) {
  const auto keep = [](Program& program) {
    Knob knob;
    knob.name = "backend";
    knob.settings.emplace_back(std::string("cutlass3"));
    program.steps.front().knobs.push_back(std::move(knob));
  };
  keep(from.start.program);
  keep(*from.start.reduced);
  return from;
}

/// A GPU that tests make up: the modelled time, off by up to a tenth in a way that the program's hash
/// decides.
class FakeEvaluator final : public Evaluator {
 public:
  TimeKind kind() const override { return TimeKind::measured; }
  bool needs_library() const override { return true; }
  Result<Baselines> baselines() override {
    ++opened;
    Baselines out;
    out.device = "made up";
    out.all = {{"eager_tf32", 500, TimeKind::measured, true, true, ""},
               {"eager_autocast", 400, TimeKind::measured, true, true, ""}};
    out.best = "eager_autocast";
    return out;
  }
  Result<Judgement> judge(const Candidate& candidate, const std::string& id, const std::string& library,
                          Effort effort) override {
    judged.push_back(id);
    programs.push_back(candidate.hash());
    if (before) before(id);
    if (fails && fails(candidate)) return fail("the judge is gone", "start it again", 3);
    EXPECT_FALSE(library.empty());
    Judgement out;
    out.label = wrong && wrong(candidate) ? "incorrect" : "ok";
    out.reason = out.ok() ? "" : "wrong_result";
    out.correctness =
        R"([{"name":"seed 1","passed":true,"excess":0.1,"error":1e-4,"error_bound":2e-3,"why":""}])";
    if (!out.ok()) return out;
    out.kind = TimeKind::measured;
    out.time_us = time_of(candidate);
    for (const auto& [name, us] :
         {std::pair<const char*, double>{"eager_autocast", 400}, {"eager_tf32", 500}}) {
      if (effort == Effort::search && std::string_view(name) == "eager_tf32") continue;
      out.speedups.push_back({name, us, out.time_us, us / out.time_us, us / out.time_us * 0.99,
                              us / out.time_us * 1.01, "faster"});
    }
    return out;
  }
  double time_of(const Candidate& candidate) const {
    const auto digits = std::stoul(content_hash(candidate.hash()).substr(0, 6), nullptr, 16);
    return (candidate.raw ? 1.0 : candidate.modelled_us) *
           (1 - error + 2 * error * static_cast<double>(digits) / static_cast<double>(0xffffff));
  }

  double error = 0.1;  ///< of the model, relative
  int opened = 0;
  std::vector<std::string> judged, programs;
  std::function<void(const std::string&)> before;
  std::function<bool(const Candidate&)> wrong, fails;
};

class FakeBuilder final : public CandidateBuilder {
 public:
  Result<BuildOutcome> build(const Candidate& candidate, const std::string& output) override {
    const std::lock_guard lock(mutex);
    ++built;
    hashes.insert(candidate.hash());
    if (breaks && breaks(candidate)) return fail("nvcc failed: exit code 1", "the whole log: /tmp/log");
    return BuildOutcome{output, {"0123456789abcdef"}, 0.1, false, "/tmp/log"};
  }
  std::mutex mutex;
  int built = 0;
  std::set<std::string> hashes;
  std::function<bool(const Candidate&)> breaks;
};

/// Everything that one run needs, in a folder of its own.
struct World {
  explicit World(const Loaded& from, std::string at = {})
      : loaded(from), meaning(catalog(), loaded.problem, Precision::f16, loaded.tensors) {
    owned = at.empty();
    folder = owned ? real_files().make_temporary_folder("uc-agent-").value() : std::move(at);
    store = Store::open(folder + "/runs.db").value();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    store.reset();
    if (owned) (void)real_files().remove(folder);
  }

  RunWorld world() {
    return {catalog(),
            h200(),
            *store,
            real_files(),
            clock,
            evaluator,
            &builder,
            other == nullptr ? static_cast<Proposer&>(proposer) : *other,
            meaning,
            [this](const std::string& line) { lines.push_back(line); },
            [this] { return interrupted; },
            {}};
  }
  RunRecord begin() {
    RunRecord run;
    run.problem = loaded.problem.name;
    run.problem_hash = "h";
    run.options = "{}";
    run.device = "h200";
    run.folder = folder + "/run";
    return store->begin_run(run).value();
  }
  Result<RunResult> go(const RunRecord& run, const RunOptions& options) {
    return optimize(world(), run, options, loaded.start);
  }

  Loaded loaded;
  bool owned = false;  ///< the folder is removed at the end
  std::string folder;
  std::unique_ptr<Store> store;
  FakeClock clock;
  FakeEvaluator evaluator;
  FakeBuilder builder;
  SearchProposer proposer;
  Proposer* other = nullptr;  ///< in place of the search
  MeaningChecker meaning;
  std::vector<std::string> lines;
  bool interrupted = false;
};

inline RunOptions options(int attempts, Precision precision = Precision::f16) {
  RunOptions out;
  out.attempts = attempts;
  out.precision = precision;
  out.build_jobs = 2;
  return out;
}

}  // namespace uc::agent_testing
