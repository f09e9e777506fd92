// The whole protocol on host memory: supervisor, judge (no torch) and runner as real processes, with
// candidates that are honest, wrong, broken or dishonest. What this does not show (CUDA IPC, events, L2,
// streams) tests/gpu/ does.
#include "eval/session.h"

#include <cmath>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eval/eval_json.h"
#include "platform/files.h"

namespace uc {
namespace {

using testing::HasSubstr;

constexpr int64_t kRows = 12, kFeatures = 24;

std::string cheat(const std::string& name) { return executable_folder() + "/../cheats/" + name + ".so"; }

EvalRequest request(const std::string& name) {
  EvalRequest request;
  request.id = name;
  request.library = cheat(name);
  request.inputs = {{"x", DType::f32, {kRows, kFeatures}}};
  request.params = {{"linear.weight", DType::f32, {kFeatures, kFeatures}},
                    {"linear.bias", DType::f32, {kFeatures}}};
  request.outputs = {{"y", DType::f32, {kRows, kFeatures}}};
  request.rounds = 1;
  request.time_budget_s = 30;
  request.host_memory_limit = uint64_t{512} << 20;
  return request;
}

EvalProblem problem() {
  EvalProblem problem;
  problem.path = std::string(UC_SOURCE_DIR) + "/tests/eval/problems/linear_relu_fake.py";
  problem.baselines = {"eager"};
  return problem;
}

EvalEnvironment fake(const std::string& transport = {}) {
  EvalEnvironment environment;
  environment.device = "fake";
  environment.transport = transport;
  environment.judge_folder = std::string(UC_SOURCE_DIR) + "/python";
  return environment;
}

Result<EvalResult> evaluate_once(const EvalRequest& asked, const EvalEnvironment& environment = fake()) {
  auto session = EvalSession::open(problem(), environment);
  if (!session) return tl::unexpected(session.error());
  return (*session)->evaluate(asked);
}

struct Case {
  std::string name;
  EvalLabel label;
  std::string reason;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Candidate : public testing::TestWithParam<Case> {};

TEST_P(Candidate, GetsItsLabel) {
  EvalRequest asked = request(GetParam().name);
  asked.vendor_libraries = GetParam().name != "vendor";
  if (GetParam().name == "hang") asked.time_budget_s = 1;
  const auto result = evaluate_once(asked);
  ASSERT_TRUE(result) << result.error().message << "\n" << result.error().help;
  EXPECT_EQ(label_name(result->label), label_name(GetParam().label))
      << result->reason << ": " << result->message;
  EXPECT_EQ(result->reason, GetParam().reason) << result->message;
}

INSTANTIATE_TEST_SUITE_P(
    All, Candidate,
    testing::Values(
        Case{"honest", EvalLabel::ok, ""}, Case{"zeros", EvalLabel::incorrect, "constant_output"},
        Case{"constant", EvalLabel::incorrect, "constant_output"},
        Case{"nothing", EvalLabel::incorrect, "unwritten_output"},
        Case{"nan", EvalLabel::incorrect, "wrong_result"},
        Case{"input_as_output", EvalLabel::incorrect, "input_as_output"},
        Case{"no_bias", EvalLabel::incorrect, "wrong_result"},
        Case{"rounded", EvalLabel::incorrect, "wrong_result"},
        Case{"stale_weights", EvalLabel::incorrect, "wrong_result"},
        Case{"dirty_workspace", EvalLabel::incorrect, "wrong_result"},
        Case{"overwrite_input", EvalLabel::incorrect, "input_overwritten"},
        Case{"overwrite_param", EvalLabel::incorrect, "param_overwritten"},
        Case{"baked_pointers", EvalLabel::incorrect, "unwritten_output"},
        Case{"memoise_pointer", EvalLabel::gaming, "replayed_output"},
        Case{"memoise_sample", EvalLabel::gaming, "replayed_output"},
        Case{"replay_last", EvalLabel::gaming, "replayed_output"},
        Case{"seed_constant", EvalLabel::gaming, "replayed_output"},
        Case{"skip_busy", EvalLabel::gaming, "unwritten_output"},
        Case{"patched_timer", EvalLabel::gaming, "clock_mismatch"},
        Case{"thread", EvalLabel::incorrect, "unwritten_output"},
        Case{"past_output", EvalLabel::broken, "out_of_bounds"},
        Case{"past_workspace", EvalLabel::broken, "out_of_bounds"},
        Case{"crash", EvalLabel::broken, "crashed"}, Case{"crash_load", EvalLabel::broken, "crashed"},
        Case{"exits", EvalLabel::broken, "exited"}, Case{"hang", EvalLabel::broken, "timed_out"},
        Case{"garbage", EvalLabel::broken, "malformed"}, Case{"flood", EvalLabel::broken, "malformed"},
        Case{"forge", EvalLabel::broken, "malformed"}, Case{"memory_hog", EvalLabel::broken, "out_of_memory"},
        Case{"refuses", EvalLabel::broken, "refused"}, Case{"no_such_file", EvalLabel::broken, "load_failed"},
        Case{"vendor", EvalLabel::library_only, "vendor_library"}),
    [](const auto& test) { return test.param.name; });

TEST(Session, ServesManyCandidatesAndMeasuresBaselinesOnce) {
  int baselines_seen = 0;
  EvalEnvironment environment = fake();
  std::vector<bool> quiet;
  environment.progress = [&](const std::string&) { ++baselines_seen; };
  environment.quiet = [&](bool on) { quiet.push_back(on); };
  auto session = EvalSession::open(problem(), environment);
  ASSERT_TRUE(session) << session.error().message;
  for (const char* name : {"honest", "crash", "past_output", "overwrite_param", "garbage", "honest"}) {
    const auto result = (*session)->evaluate(request(name));
    ASSERT_TRUE(result) << name;
    EXPECT_EQ(result->usable(), std::string(name) == "honest") << name << " " << result->message;
  }
  EXPECT_EQ(baselines_seen, 1);
  EXPECT_EQ((*session)->best_baseline(), "eager");
  EXPECT_EQ(quiet.size(), 14u);  // on and off, for opening and each candidate
  (*session)->close();
}

TEST(Session, ReportsTimesTrialsAndComparisons) {
  EvalRequest asked = request("honest");
  asked.sustained_s = 0.3;
  const auto result = evaluate_once(asked);
  ASSERT_TRUE(result && result->usable()) << (result ? result->message : result.error().message);
  ASSERT_EQ(result->comparisons.size(), 1u);
  const EvalComparison& c = result->comparisons[0];
  EXPECT_EQ(c.baseline, "eager");
  EXPECT_GT(c.speedup, 2.0);  // compiled C++ against interpreted Python
  EXPECT_LE(c.low, c.speedup);
  EXPECT_GE(c.high, c.speedup);
  EXPECT_EQ(c.verdict, "faster");
  EXPECT_EQ(c.pairs, 2);
  EXPECT_GE(c.candidate_time.runs, 60);
  EXPECT_GT(result->time.gpu_us, 0);
  EXPECT_GT(result->time.wall_us, 0);
  ASSERT_EQ(result->sustained.size(), 1u);
  EXPECT_GT(result->sustained[0].speedup, 2.0);
  ASSERT_GE(result->trials.size(), 7u);
  for (const EvalTrial& trial : result->trials) EXPECT_TRUE(trial.passed) << trial.name;
  EXPECT_EQ(result->trials[5].name, "other distribution");
  EXPECT_EQ(result->trials[6].name, "changed weights");
  EXPECT_LT(result->trials[0].error, result->trials[0].error_bound);
  const auto again = result_from_json(nlohmann::json::parse(result->json));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->json, result->json);
}

TEST(Session, AFloorThatIsUndercutIsImpossible) {
  EvalRequest asked = request("honest");
  asked.sol_floor_us = 1e6;
  const auto result = evaluate_once(asked);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->label, EvalLabel::sol_ceiling) << result->message;
}

TEST(Session, FilesDoWhereMemoryCannotBeShared) {
  for (const auto& [name, reason] :
       std::vector<std::pair<std::string, std::string>>{{"honest", ""},
                                                        {"memoise_pointer", "replayed_output"},
                                                        {"overwrite_input", "input_overwritten"}}) {
    const auto result = evaluate_once(request(name), fake("file"));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->reason, reason) << result->message;
    EXPECT_EQ(result->transport, "file");
  }
}

/// The CUDA side of judge and runner on tests/eval/fake_driver.cpp.
class OnTestDriver : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { ::setenv("LD_LIBRARY_PATH", (executable_folder() + "/../fake_driver").c_str(), 1); }
  void TearDown() override { ::unsetenv("LD_LIBRARY_PATH"), ::unsetenv("UCT_TEST_NO_IPC"); }
  static Result<EvalResult> judge(const std::string& name) {
    EvalRequest asked = request("gpu/" + name);
    if (name == "gpu_hang") asked.time_budget_s = 1;
    EvalEnvironment environment = fake();
    environment.device = "fake-cuda";
    return evaluate_once(asked, environment);
  }
};

TEST_P(OnTestDriver, GetsItsLabel) {
  const auto result = judge(GetParam().name);
  ASSERT_TRUE(result) << result.error().message << "\n" << result.error().help;
  EXPECT_EQ(label_name(result->label), label_name(GetParam().label))
      << result->reason << ": " << result->message;
  EXPECT_EQ(result->reason, GetParam().reason) << result->message;
  EXPECT_EQ(result->transport, "ipc");
  EXPECT_EQ(result->usable(), result->time.graph_us > 0);  // the audit with a CUDA graph took place
}

INSTANTIATE_TEST_SUITE_P(All, OnTestDriver,
                         testing::Values(Case{"honest", EvalLabel::ok, ""},
                                         Case{"rounded", EvalLabel::incorrect, "wrong_result"},
                                         Case{"memoise_pointer", EvalLabel::gaming, "replayed_output"},
                                         Case{"graph_replay", EvalLabel::incorrect, "unwritten_output"},
                                         Case{"persisting_l2", EvalLabel::gaming, "persisting_l2"},
                                         Case{"patched_timer", EvalLabel::gaming, "clock_mismatch"},
                                         Case{"other_stream", EvalLabel::gaming, "off_stream_work"},
                                         Case{"during_hold", EvalLabel::gaming, "off_stream_work"},
                                         Case{"past_output", EvalLabel::broken, "out_of_bounds"},
                                         Case{"illegal_access", EvalLabel::broken, "illegal_access"},
                                         Case{"gpu_hang", EvalLabel::broken, "timed_out"}),
                         [](const auto& test) { return test.param.name; });

TEST_F(OnTestDriver, FallsBackToFilesWhenIpcIsRefused) {
  ::setenv("UCT_TEST_NO_IPC", "1", 1);
  const auto result = judge("honest");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->usable()) << result->message;
  EXPECT_EQ(result->transport, "file");
  EXPECT_THAT(result->notes, testing::Contains(HasSubstr("CUDA IPC does not work here")));
}

TEST(Session, WithoutADriverTheReasonIsTold) {
  if (real_files().exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a driver";
  EvalEnvironment environment = fake();
  environment.device = "fake-cuda";
  const auto session = EvalSession::open(problem(), environment);
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().message, HasSubstr("no NVIDIA driver"));
}

TEST(Session, SignatureMismatchesAreTold) {
  EvalRequest asked = request("honest");
  asked.outputs[0].shape = {kFeatures, kRows};
  auto result = evaluate_once(asked);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->reason, "signature") << result->message;
  asked = request("honest");
  asked.params[0].name = "linear.wait";
  result = evaluate_once(asked);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->message, HasSubstr("no parameter or buffer linear.wait"));
}

TEST(Session, ProblemsThatDoNotLoadAreErrors) {
  EvalProblem missing = problem();
  missing.path = "/no/such/problem.py";
  auto session = EvalSession::open(missing, fake());
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().message, HasSubstr("no problem file"));
  const std::string folder = *real_files().make_temporary_folder("uc-eval-test-");
  for (const auto& [text, said] :
       std::vector<std::pair<std::string, std::string>>{{"def broken(:\n", "SyntaxError"},
                                                        {"x = 1\n", "Model"},
                                                        {"import os\nos._exit(3)\n", "exit code 3"}}) {
    ASSERT_TRUE(real_files().write(folder + "/p.py", text));
    missing.path = folder + "/p.py";
    session = EvalSession::open(missing, fake());
    ASSERT_FALSE(session);
    EXPECT_THAT(session.error().message, HasSubstr(said));
  }
  ASSERT_TRUE(real_files().remove(folder));
}

TEST(Session, MissingPartsAreNamed) {
  EvalEnvironment environment = fake();
  environment.python = "no-such-python";
  EXPECT_THAT(EvalSession::open(problem(), environment).error().message, HasSubstr("no-such-python"));
  environment = fake();
  environment.runner = "/no/such/runner";
  EXPECT_THAT(EvalSession::open(problem(), environment).error().message, HasSubstr("/no/such/runner"));
}

/// Hands children out as they are, but remembers the judge's pid, so that a test can kill it.
class SpyProcesses final : public Processes {
 public:
  Result<ProcessOutput> run(const ProcessSpec& spec) override { return real_processes().run(spec); }
  Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec& spec) override {
    auto child = real_processes().start(spec);
    if (child && spec.argv.size() > 2 && spec.argv[2] == "ucutlass_judge") judge = (*child)->pid();
    return child;
  }
  int judge = 0;
};

TEST(Session, AJudgeThatDiesIsReplacedWithItsSeedAndBaselines) {
  SpyProcesses spy;
  EvalEnvironment environment = fake();
  environment.processes = &spy;
  auto session = EvalSession::open(problem(), environment);
  ASSERT_TRUE(session);
  const auto before = (*session)->evaluate(request("zeros"));
  ASSERT_TRUE(before);
  ::kill(spy.judge, SIGKILL);
  const auto during = (*session)->evaluate(request("honest"));
  ASSERT_FALSE(during);
  EXPECT_THAT(during.error().message, HasSubstr("SIGKILL"));
  const auto after = (*session)->evaluate(request("honest"));
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_TRUE(after->usable()) << after->message;
  EXPECT_EQ(after->seed, before->seed);
  EXPECT_EQ(after->baselines[0].time.gpu_us, before->baselines[0].time.gpu_us);
}

TEST(Session, WaitsForTheDevicesToken) {
  auto locks = file_locks();
  EvalEnvironment environment = fake();
  environment.token_patience = Millis(100);
  auto held = locks->acquire("gpu-host", Millis(60000));
  ASSERT_TRUE(held);
  const auto session = EvalSession::open(problem(), environment);
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().message, HasSubstr("holds"));
  EXPECT_EQ(session.error().exit_code, 3);
}

TEST(Manifest, GivesTensorsByBinding) {
  EvalRequest request;
  const auto read = read_manifest(R"({"schema":"ucutlass.manifest/1","unknown":[],
    "inputs":[{"name":"x","dtype":"f16","shape":[2,3],"stride":[3,1]}],
    "params":[{"name":"W","dtype":"f32","shape":[3],"binding":"matmul.weight"}],
    "outputs":[{"name":"y","dtype":"f32","shape":[2]}]})",
                                  request);
  ASSERT_TRUE(read);
  EXPECT_EQ(request.inputs[0].dtype, DType::f16);
  EXPECT_EQ(request.params[0].name, "matmul.weight");
  EXPECT_EQ(request.outputs[0].shape, std::vector<int64_t>{2});
  EXPECT_FALSE(read_manifest("{}", request));
  EXPECT_FALSE(read_manifest("not json", request));
}

TEST(Record, OfAnotherSchemaOrLabelIsAnError) {
  EXPECT_FALSE(result_from_json(nlohmann::json::parse(R"({"schema":"other/1","label":"ok"})")));
  EXPECT_FALSE(
      result_from_json(nlohmann::json::parse(R"({"schema":"ucutlass.eval.result/1","label":"great"})")));
  EXPECT_FALSE(result_from_json(nlohmann::json(3)));
  const auto infinite = result_from_json(nlohmann::json::parse(
      R"({"schema":"ucutlass.eval.result/1","label":"incorrect","trials":[{"name":"a","excess":"inf"}],"new_field":{}})"));
  ASSERT_TRUE(infinite);
  EXPECT_TRUE(std::isinf(infinite->trials[0].excess));
}

}  // namespace
}  // namespace uc
