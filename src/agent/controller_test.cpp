#include "agent/controller.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/causes.h"
#include "agent/report.h"
#include "agent/testing.h"

namespace uc {
namespace {

using namespace agent_testing;
using testing::HasSubstr;

std::string trace(const RunResult& result) {
  std::string out;
  for (const Outcome& each : result.outcomes) {
    out += fmt::format("{} {} {} {} {:.6f} {}\n", each.number, each.parent, each.rewrite,
                       each.judgement.label, each.judgement.time_us, each.candidate->hash());
  }
  return out;
}

TEST(Controller, ClimbsTheStructureThenConfigures) {
  World world(load(kRelu));
  const RunRecord run = world.begin();
  const auto result = world.go(run, options(20));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->has_best());
  EXPECT_EQ(result->outcomes.front().rewrite, "import");
  std::set<std::string> rewrites;
  for (const Outcome& each : result->outcomes)
    rewrites.insert(each.rewrite.substr(0, each.rewrite.find(',')));
  for (const char* wanted :
       {"lower-precision", "prepack", "fuse-epilogue", "set-config", "confirm", "without-prepack"})
    EXPECT_TRUE(rewrites.contains(wanted)) << wanted;
  const Outcome& best = result->outcomes[result->best];
  EXPECT_LT(best.judgement.time_us * 1.5, result->outcomes.front().judgement.time_us);
  for (const Outcome& each : result->outcomes) {
    const bool counts = each.judgement.ok() && each.rewrite != "without-prepack";
    EXPECT_TRUE(!counts || best.judgement.time_us <= each.judgement.time_us) << each.number;
  }
}

TEST(Controller, KeepsWithinTheBudget) {
  for (const int attempts : {1, 2, 5, 11}) {
    World world(load(kRelu));
    const auto result = world.go(world.begin(), options(attempts));
    ASSERT_TRUE(result);
    int search = 0;
    for (const Outcome& each : result->outcomes)
      search += each.rewrite == "confirm" || each.rewrite == "without-prepack" ? 0 : 1;
    EXPECT_LE(search, attempts);
    EXPECT_GE(search, std::min(attempts, 5));
  }
}

TEST(Controller, NeverJudgesAProgramTwiceWhileSearching) {
  World world(load(kSwish));
  const auto result = world.go(world.begin(), options(30));
  ASSERT_TRUE(result);
  std::set<std::string> seen;
  for (const Outcome& each : result->outcomes) {
    EXPECT_TRUE(each.rewrite == "confirm" || seen.insert(each.candidate->hash()).second) << each.number;
  }
}

// Building ahead costs no program twice, and most of it is asked for later.
TEST(Controller, BuildsEachProgramOnce) {
  World world(load(kRelu));
  const auto result = world.go(world.begin(), options(14));
  ASSERT_TRUE(result);
  EXPECT_EQ(static_cast<size_t>(world.builder.built), world.builder.hashes.size());
  size_t used = 0;
  for (const Outcome& each : result->outcomes)
    used += world.builder.hashes.contains(each.candidate->hash()) ? 1 : 0;
  EXPECT_EQ(used, result->outcomes.size());
  EXPECT_LE(world.builder.hashes.size(), used + 4);
}

TEST(Controller, IsDeterministicForASeed) {
  const Loaded problem = load(kSwish);
  World a(problem), b(problem);
  const auto first = a.go(a.begin(), options(18));
  const auto second = b.go(b.begin(), options(18));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(trace(*first), trace(*second));
}

TEST(Controller, EveryAttemptIsStoredWithItsProgramAndFiles) {
  World world(load(kRelu));
  const RunRecord run = world.begin();
  const auto result = world.go(run, options(8));
  ASSERT_TRUE(result);
  const auto stored = world.store->attempts(run.id).value();
  ASSERT_EQ(stored.size(), result->outcomes.size());
  for (const AttemptRecord& each : stored) {
    EXPECT_THAT(each.program, HasSubstr("target sm_90a"));
    EXPECT_FALSE(each.label.empty());
    EXPECT_EQ(each.time_kind, TimeKind::measured);
    EXPECT_EQ(each.kernel_hashes, R"(["0123456789abcdef"])");
  }
  for (const char* file : {"measure.json", "iteration-1/analysis.md", "iteration-1/hypotheses.json",
                           "iteration-1/triage.json", "iteration-1/summary.md", "attempts/001-import.uc"}) {
    EXPECT_TRUE(real_files().exists(run.folder + "/" + file)) << file;
  }
  EXPECT_FALSE(world.store->lessons("", 50).value().empty());
}

// Interrupted at any point and resumed, a run comes to the same programs and times, and judges nothing twice.
TEST(Controller, ResumesWhereItWas) {
  const Loaded problem = load(kRelu);
  World whole(problem);
  const auto expected = whole.go(whole.begin(), options(14));
  ASSERT_TRUE(expected);
  for (const size_t stop : {1U, 3U, 6U, 10U}) {
    World world(problem);
    const RunRecord run = world.begin();
    world.evaluator.before = [&](const std::string&) {
      world.interrupted = world.evaluator.judged.size() >= stop;
    };
    const auto cut = world.go(run, options(14));
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_TRUE(cut->interrupted);
    EXPECT_EQ(world.store->attempts(run.id).value().size(), stop);
    world.interrupted = false;
    world.evaluator.before = nullptr;
    const auto resumed = world.go(world.store->find_run(run.id).value(), options(14));
    ASSERT_TRUE(resumed);
    EXPECT_EQ(trace(*resumed), trace(*expected)) << "stopped after " << stop;
    EXPECT_EQ(world.evaluator.judged.size(), expected->outcomes.size()) << "stopped after " << stop;
    EXPECT_EQ(world.evaluator.opened, 1);
  }
}

// The real thing: the process is killed while it works; another goes on.
TEST(Controller, SurvivesKill) {
  const Loaded problem = load(kRelu);
  World whole(problem);
  const auto expected = whole.go(whole.begin(), options(12));
  ASSERT_TRUE(expected);
  const std::string folder = real_files().make_temporary_folder("uc-kill-").value();
  std::string id;
  {
    World parent(problem, folder);
    id = parent.begin().id;
  }
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t child = fork();
  if (child == 0) {
    World world(problem, folder);
    world.evaluator.before = [&](const std::string&) { (void)!write(channel[1], "x", 1); };
    (void)world.go(world.store->find_run(id).value(), options(12));
    _exit(0);
  }
  close(channel[1]);
  char byte = 0;
  for (int i = 0; i < 5; ++i) ASSERT_EQ(read(channel[0], &byte, 1), 1);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  World world(problem, folder);
  ASSERT_GE(world.store->attempts(id).value().size(), 4U);
  const auto resumed = world.go(world.store->find_run(id).value(), options(12));
  ASSERT_TRUE(resumed);
  EXPECT_EQ(trace(*resumed), trace(*expected));
  EXPECT_LE(world.evaluator.judged.size() + 4, expected->outcomes.size());
  (void)real_files().remove(folder);
}

TEST(Controller, GoesOnWithoutWhatWasWrong) {
  World world(load(kRelu));
  world.evaluator.error = 0.01;
  world.evaluator.wrong = [](const Candidate& candidate) {
    return candidate.source.find("f16)") != std::string::npos;
  };
  const auto result = world.go(world.begin(), options(40));
  ASSERT_TRUE(result);
  ASSERT_TRUE(result->has_best());
  const Outcome& best = result->outcomes[result->best];
  EXPECT_EQ(best.candidate->source.find("f16)"), std::string::npos) << trace(*result);
  EXPECT_THAT(best.candidate->source, HasSubstr(">> add(")) << trace(*result);  // fused in TF32
}

TEST(Controller, ABrokenBuildIsOneAttempt) {
  World world(load(kRelu));
  world.builder.breaks = [](const Candidate& candidate) {
    return candidate.source.find("cluster(2x1)") != std::string::npos;
  };
  const RunRecord run = world.begin();
  const auto result = world.go(run, options(16));
  ASSERT_TRUE(result);
  bool seen = false;
  const auto stored = world.store->attempts(run.id).value();
  for (const AttemptRecord& each : stored) {
    if (each.reason != "build_failed") continue;
    seen = true;
    EXPECT_EQ(each.label, "broken");
    EXPECT_THAT(each.message, HasSubstr("nvcc failed"));
    EXPECT_THAT(each.build_log, HasSubstr("/tmp/log"));
  }
  EXPECT_TRUE(seen);
  EXPECT_TRUE(result->has_best());
}

TEST(Controller, AFailingJudgeEndsTheRunAndLosesNothing) {
  World world(load(kRelu));
  world.evaluator.fails = [&](const Candidate&) { return world.evaluator.judged.size() > 4; };
  const RunRecord run = world.begin();
  const auto result = world.go(run, options(12));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "the judge is gone");
  EXPECT_EQ(world.store->attempts(run.id).value().size(), 4U);
  world.evaluator.fails = nullptr;
  EXPECT_TRUE(world.go(run, options(12)));
}

TEST(Controller, AFullDiskIsSaidAndTheRunGoesOnLater) {
  World world(load(kRelu));
  const RunRecord run = world.begin();
  const int64_t pages = world.store->database().query("PRAGMA page_count").value().front().integer(0);
  ASSERT_TRUE(world.store->database().script(fmt::format("PRAGMA max_page_count = {}", pages + 2)));
  const auto full = world.go(run, options(12));
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().message, HasSubstr("no space left"));
  ASSERT_TRUE(world.store->database().script("PRAGMA max_page_count = 100000"));
  EXPECT_TRUE(world.go(run, options(12)));
}

TEST(Controller, AFolderThatCannotBeWrittenStopsNothing) {
  World world(load(kRelu));
  RunRecord run = world.begin();
  ASSERT_TRUE(real_files().write(world.folder + "/file", "x"));
  run.folder = world.folder + "/file/run";
  const auto result = world.go(run, options(6));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->has_best());
  EXPECT_EQ(
      std::ranges::count_if(
          world.lines, [](const std::string& line) { return line.find("warning") != std::string::npos; }),
      1);
}

TEST(Controller, HonoursNoPrepack) {
  World world(load(kRelu));
  RunOptions bare = options(12);
  bare.prepack = false;
  const auto result = world.go(world.begin(), bare);
  ASSERT_TRUE(result);
  for (const Outcome& each : result->outcomes)
    EXPECT_EQ(each.candidate->source.find("prepack("), std::string::npos);
  EXPECT_EQ(result->without_prepack, SIZE_MAX);
}

TEST(Controller, StartsFromWhatCannotBeBuilt) {
  World world(on_cutlass3(load(kSquare)));
  const auto result = world.go(world.begin(), options(10));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcomes.front().judgement.reason, "rejected");
  EXPECT_THAT(result->outcomes.front().judgement.message, HasSubstr("UC"));
  ASSERT_TRUE(result->has_best());
  const Causes causes = causes_of(*result, "eager_tf32");
  ASSERT_FALSE(causes.shares.empty());
  EXPECT_EQ(causes.shares.front().cause, "precision + kernel");
}

TEST(Causes, MultiplyToTheTotal) {
  World world(load(kSwish));
  const auto result = world.go(world.begin(), options(16));
  ASSERT_TRUE(result && result->has_best());
  const Causes causes = causes_of(*result, reference_baseline(result->baselines));
  EXPECT_EQ(causes.baseline, "eager_tf32");
  double product = 1;
  std::set<std::string> names;
  for (const CauseShare& each : causes.shares) {
    product *= each.factor;
    EXPECT_EQ(each.kind, TimeKind::measured);
    EXPECT_TRUE(names.insert(each.cause).second);
  }
  EXPECT_NEAR(product, causes.total, 1e-9);
  EXPECT_NEAR(causes.total, 500 / result->outcomes[result->best].judgement.time_us, 1e-9);
  EXPECT_TRUE(names.contains("precision") && names.contains("kernel") && names.contains("prepack"));
}

TEST(Report, SaysWhatAUserNeeds) {
  World world(load(kRelu));
  ReportContext context{world.begin(), options(12), "ucutlass optimize --resume X",
                        "ucutlass optimize p.json"};
  const auto result = world.go(context.run, context.options);
  ASSERT_TRUE(result);
  const std::string text = report_text(context, *result);
  for (const char* wanted :
       {"Best program", "measured", "Proof", "tolerance", "eager_autocast", "same precision",
        "PyTorch's best", "What the speedup is made of", "precision", "Without prepared weights",
        "Speed of light", "Again: ucutlass optimize p.json", "linear("}) {
    EXPECT_THAT(text, HasSubstr(wanted));
  }
  EXPECT_THAT(report_json(context, *result), HasSubstr("\"ucutlass.optimize/1\""));
}

TEST(Report, ClaimsNothingWhenNothingIsRight) {
  World world(load(kRelu));
  world.evaluator.wrong = [](const Candidate&) { return true; };
  ReportContext context{world.begin(), options(6), "resume", "again"};
  const auto result = world.go(context.run, context.options);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->has_best());
  const std::string text = report_text(context, *result);
  EXPECT_THAT(text, HasSubstr("No program is right"));
  EXPECT_EQ(text.find("x over"), std::string::npos);
}

TEST(Triage, DropsWhatWasTriedAndRanks) {
  const Loaded problem = load(kRelu);
  const auto candidate = std::make_shared<const Candidate>(
      make_candidate(catalog(), problem.start.program, problem.start.reduced, h200()));
  Outcome tried;
  tried.number = 1;
  tried.candidate = candidate;
  std::vector<Hypothesis> all(3);
  all[0].id = "small";
  all[0].speedup = 1.1;
  all[1].id = "large";
  all[1].speedup = 2;
  all[2].id = "old";
  all[2].speedup = 3;
  Program other = problem.start.program;
  other.precision = Precision::bf16;
  const auto fresh =
      std::make_shared<const Candidate>(make_candidate(catalog(), other, std::nullopt, h200()));
  all[0].proposals.push_back({fresh, "r", "", Cause::kernel, 1, -1, "", ""});
  all[1].proposals.push_back({fresh, "r", "", Cause::kernel, 1, -1, "", ""});
  all[1].proposals.push_back({candidate, "r", "", Cause::kernel, 1, -1, "", ""});
  all[2].proposals.push_back({candidate, "r", "", Cause::kernel, 1, -1, "", ""});
  triage(all, {tried}, {.gap = 1, .beam = 1});
  EXPECT_EQ(all[0].verdict, "nothing new");
  EXPECT_EQ(all[1].id, "large");
  EXPECT_EQ(all[1].verdict, "chosen");
  EXPECT_EQ(all[1].proposals.size(), 1U);
  EXPECT_EQ(all[2].verdict, "below the beam");
}

}  // namespace
}  // namespace uc
