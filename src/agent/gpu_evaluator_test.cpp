// The real judge and runner on host memory (device `fake`), driven by the loop: candidates that are honest,
// wrong, broken or dishonest get their labels, and only honest ones can be best.
#include "agent/gpu_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing.h"
#include "check/resolve.h"
#include "syntax/parser.h"

namespace uc {
namespace {

using namespace agent_testing;

// The problem of tests/eval/problems/linear_relu_fake.py as a program.
constexpr const char* kProgram =
    "target sm_90a\nprecision tf32\ninput x: f32[12, 24]\nparam W: f32[24, 24] = \"linear.weight\"\n"
    "param b: f32[24] = \"linear.bias\"\nt = linear(x, W)\nu = t + b\ny = relu(u)\nreturn y\n";

Program parsed(const char* text) {
  DiagSink diags;
  Program out = resolve(catalog(), parse(text, diags), diags);
  EXPECT_FALSE(diags.has_errors());
  return out;
}

// "Builds" each program into one of the test candidates.
class CheatBuilder final : public CandidateBuilder {
 public:
  Result<BuildOutcome> build(const Candidate& candidate, const std::string&) override {
    return BuildOutcome{executable_folder() + "/../cheats/" + name_of(candidate) + ".so", {}, 0, true, ""};
  }
  const std::string& name_of(const Candidate& candidate) const {
    if (candidate.source.find(".tile(") != std::string::npos) return swept;
    return candidate.source.find(">> relu()") != std::string::npos ? honest : plain;
  }
  std::string plain = "honest", honest = "honest", swept = "memoise_pointer";
};

GpuOptions fake_judge() {
  GpuOptions out;
  out.problem.path = std::string(UC_SOURCE_DIR) + "/tests/eval/problems/linear_relu_fake.py";
  out.problem.baselines = {"eager"};
  out.problem.seed = 7;
  out.environment.device = "fake";
  out.environment.judge_folder = std::string(UC_SOURCE_DIR) + "/python";
  out.reduction = 24;
  out.confirm_sustained_s = 0;
  return out;
}

RunResult run_with(CheatBuilder& builder, World& world, int attempts) {
  GpuEvaluator evaluator(catalog(), fake_judge());
  const RunWorld parts{catalog(),
                       h200(),
                       *world.store,
                       real_files(),
                       real_clock(),
                       evaluator,
                       &builder,
                       world.proposer,
                       world.meaning,
                       [&](const std::string& line) { world.lines.push_back(line); },
                       {},
                       {}};
  const StartingPoint start{parsed(kProgram), std::nullopt};
  RunOptions asked = options(attempts, Precision::tf32);
  auto result = optimize(parts, world.begin(), asked, start);
  EXPECT_TRUE(result) << result.error().message << "\n" << result.error().help;
  return result ? std::move(*result) : RunResult{};
}

TEST(GpuEvaluator, OnlyHonestProgramsCanBeBest) {
  World world(load(kRelu));
  CheatBuilder builder;
  const RunResult result = run_with(builder, world, 4);
  ASSERT_TRUE(result.has_best());
  EXPECT_EQ(result.baselines.best, "eager");
  EXPECT_FALSE(result.baselines.device.empty());
  std::map<std::string, int> labels;
  for (const Outcome& each : result.outcomes) {
    ++labels[each.judgement.label];
    const bool honest = builder.name_of(*each.candidate) == "honest";
    EXPECT_EQ(each.judgement.label, honest ? "ok" : "gaming")
        << each.judgement.reason << ": " << each.judgement.message;
    EXPECT_TRUE(!honest || each.judgement.kind == TimeKind::measured);
  }
  EXPECT_GE(labels["gaming"], 1);
  EXPECT_GE(labels["ok"], 2);
  EXPECT_NE(result.confirmed, SIZE_MAX);
  const Judgement& confirmed = result.outcomes[result.confirmed].judgement;
  ASSERT_FALSE(confirmed.speedups.empty());
  EXPECT_EQ(confirmed.speedups[0].baseline, "eager");
  EXPECT_GT(confirmed.speedups[0].candidate_us, 0);
}

TEST(GpuEvaluator, CrashesAndWrongResultsCostOneAttemptEach) {
  World world(load(kRelu));
  CheatBuilder builder;
  builder.plain = "no_bias";
  builder.swept = "crash";
  const RunResult result = run_with(builder, world, 4);
  ASSERT_TRUE(result.has_best());
  EXPECT_EQ(result.outcomes.front().judgement.label, "incorrect");
  EXPECT_EQ(result.outcomes.front().judgement.reason, "wrong_result");
  int crashed = 0;
  for (const Outcome& each : result.outcomes) crashed += each.judgement.reason == "crashed" ? 1 : 0;
  EXPECT_GE(crashed, 1);
  EXPECT_THAT(result.outcomes[result.best].candidate->source, testing::HasSubstr(">> relu()"));
}

TEST(GpuEvaluator, AProblemThatIsNotThereIsAnError) {
  GpuOptions options = fake_judge();
  options.problem.path = "/nowhere/problem.py";
  GpuEvaluator evaluator(catalog(), options);
  const auto opened = evaluator.baselines();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, testing::HasSubstr("/nowhere/problem.py"));
}

}  // namespace
}  // namespace uc
