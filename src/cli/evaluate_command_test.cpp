#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalog/builtin.h"
#include "cli/evaluate.h"
#include "cli/testing.h"
#include "compiler/artifacts.h"

namespace uc::cli {
namespace {

constexpr std::string_view kProgram =
    "target sm_90a\nprecision f16\ninput x: f16[512, 256]\ninput w: f16[512, 256]\ny = linear(x, w) >> "
    "to(f16)\n"
    "return y\n";

/// A judge with one answer.
class OneAnswer final : public Evaluator {
 public:
  explicit OneAnswer(std::string label) : label_(std::move(label)) {}
  TimeKind kind() const override { return TimeKind::measured; }
  bool needs_library() const override { return true; }
  Result<Baselines> baselines() override { return Baselines{}; }
  Result<Judgement> judge(const Candidate& candidate, const std::string& id, const std::string& library,
                          Effort effort) override {
    judged = id + " " + library;
    hash = candidate.hash();
    EXPECT_EQ(effort, Effort::confirm);
    Judgement out;
    out.label = label_;
    if (label_ == "ok") {
      out.kind = TimeKind::measured;
      out.time_us = 12.5;
      out.speedups.push_back({"eager", 25, 12.5, 2, 1.9, 2.1, "faster"});
    } else {
      out.reason = "wrong-values";
    }
    return out;
  }
  std::string judged, hash;

 private:
  std::string label_;
};

class Evaluate : public ::testing::Test {
 protected:
  void SetUp() override {
    world.catalog = builtin_catalog();
    folder = *real_files().make_temporary_folder("evaluate");
    compiled = check_source(world.catalog, kProgram);
    emitted = emit_program(world.catalog, compiled);
    const ArtifactForms forms{
        .header = false, .cu = true, .torch = false, .standalone = false, .kernelbench = false};
    ASSERT_TRUE(write_artifacts(world.catalog, compiled, emitted, forms, folder, real_files()));
  }
  void TearDown() override { ASSERT_TRUE(real_files().remove(folder)); }

  int evaluate(const std::string& path, OneAnswer& judge) {
    const Context context{world.catalog,     world.in,     world.out,        world.err,
                          world.environment, real_files(), real_processes(), world.clock};
    const auto build = [this](const EmittedProgram& program) -> Result<std::string> {
      built = program;
      return "/library";
    };
    return evaluate_candidate(context, {*world.catalog.device("h200"), judge, build}, path, json);
  }

  std::string kernel() const { return folder + "/uck_" + emitted.kernels[0].hash + ".cu"; }

  TestWorld world;
  std::string folder;
  bool json = false;
  Compiled compiled;
  EmittedProgram emitted, built;
};

TEST_F(Evaluate, AProgramIsBuiltAndJudged) {
  OneAnswer judge("ok");
  EXPECT_EQ(evaluate(folder + "/ucutlass_" + emitted.hash + ".uc", judge), kDone) << world.err.str();
  EXPECT_EQ(judge.judged, emitted.hash + " /library");
  for (const char* words : {"ok\n", "12.50 us measured", "eager", "speedup 2.000 [1.900, 2.100]  faster"})
    EXPECT_NE(world.out.str().find(words), std::string::npos) << world.out.str();
}

TEST_F(Evaluate, AnEditedKernelIsBuiltAndJudged) {
  const std::string text = *real_files().read(kernel());
  ASSERT_TRUE(real_files().write(kernel(), replace_all(text, "using Kernel =", "// mine\nusing Kernel =")));
  OneAnswer judge("ok");
  EXPECT_EQ(evaluate(kernel(), judge), kDone) << world.err.str();
  EXPECT_NE(built.kernels[0].device_source.find("// mine"), std::string::npos);
  EXPECT_NE(built.hash, emitted.hash);
  EXPECT_EQ(judge.judged, built.hash + " /library");
  EXPECT_EQ(judge.hash, built.hash);
  EXPECT_NE(world.out.str().find("edited: uck_" + emitted.kernels[0].hash + ".cu"), std::string::npos);
}

TEST_F(Evaluate, ExitCodesSayWhatCameOut) {
  const std::string program = folder + "/ucutlass_" + emitted.hash + ".uc";
  OneAnswer incorrect("incorrect");
  EXPECT_EQ(evaluate(program, incorrect), kFindings);
  EXPECT_NE(world.out.str().find("incorrect: wrong-values"), std::string::npos);
  OneAnswer gaming("gaming");
  EXPECT_EQ(evaluate(program, gaming), kRejected);
  OneAnswer judge("ok");
  EXPECT_EQ(evaluate(folder, judge), kUsage);  // nothing was edited
  EXPECT_EQ(evaluate(folder + "/missing.uc", judge), kUsage);
  ASSERT_TRUE(real_files().write(folder + "/bad.uc", "target sm_90a\nreturn y\n"));
  EXPECT_EQ(evaluate(folder + "/bad.uc", judge), kFindings);
  EXPECT_TRUE(judge.judged.empty());
}

TEST_F(Evaluate, JsonSaysWhatTheTextSays) {
  const std::string program = folder + "/ucutlass_" + emitted.hash + ".uc";
  OneAnswer judge("ok");
  json = true;
  ASSERT_EQ(evaluate(program, judge), kDone) << world.err.str();
  const auto told = nlohmann::json::parse(world.out.str());
  EXPECT_EQ(told["schema"], "ucutlass.evaluate/1");
  EXPECT_EQ(told["program"], emitted.hash);
  EXPECT_EQ(told["label"], "ok");
  EXPECT_EQ(told["us"], 12.5);
  EXPECT_EQ(told["kind"], "measured");
  EXPECT_EQ(told["speedups"][0]["speedup"], 2);
  EXPECT_EQ(told["speedups"][0]["baseline"], "eager");
  world.out.str("");
  ASSERT_TRUE(real_files().write(folder + "/bad.uc", "target sm_90a\nreturn y\n"));
  EXPECT_EQ(evaluate(folder + "/bad.uc", judge), kFindings);
  const auto refused = nlohmann::json::parse(world.out.str());
  EXPECT_EQ(refused["label"], "broken");
  EXPECT_EQ(refused["reason"], "rejected");
  EXPECT_FALSE(refused["diagnostics"].empty());
  world.out.str("");
  EXPECT_EQ(evaluate(folder + "/missing.uc", judge), kUsage);
  EXPECT_EQ(nlohmann::json::parse(world.out.str())["schema"], "ucutlass.error/1");
}

class EvaluateModelled : public Evaluate {
 protected:
  int run(const std::string& program, std::vector<std::string> more = {}) {
    EXPECT_TRUE(real_files().write(folder + "/p.uc", program));
    std::vector<std::string> args{"evaluate",
                                  std::string(UC_SOURCE_DIR) + "/data/kernelbench/level1/19_ReLU.json",
                                  folder + "/p.uc", "--device", "model:h200"};
    args.insert(args.end(), more.begin(), more.end());
    world.out.str("");
    world.err.str("");
    return world.run(args);
  }
  std::string imported() {
    TestWorld other;
    other.catalog = builtin_catalog();
    EXPECT_EQ(other.run({"import", std::string(UC_SOURCE_DIR) + "/data/kernelbench/level1/19_ReLU.json"}),
              kDone);
    return other.out.str();
  }
};

TEST_F(EvaluateModelled, ARightProgramHasAModelledTime) {
  ASSERT_EQ(run(imported(), {"--json"}), kDone) << world.out.str() << world.err.str();
  const auto told = nlohmann::json::parse(world.out.str());
  EXPECT_EQ(told["label"], "ok");
  EXPECT_EQ(told["kind"], "modelled");
  EXPECT_GT(told["us"], 0);
  ASSERT_FALSE(told["correctness"].empty());
  EXPECT_EQ(told["correctness"][0]["passed"], true);
  ASSERT_EQ(run(imported()), kDone);
  EXPECT_NE(world.out.str().find("us modelled"), std::string::npos);
}

TEST_F(EvaluateModelled, AWrongProgramIsIncorrect) {
  ASSERT_NE(imported().find("relu("), std::string::npos) << imported();
  EXPECT_EQ(run(replace_all(imported(), "relu(", "sigmoid("), {"--json"}), kFindings) << world.err.str();
  const auto told = nlohmann::json::parse(world.out.str());
  EXPECT_EQ(told["label"], "incorrect");
  EXPECT_EQ(told["us"], 0);
}

TEST_F(EvaluateModelled, AProgramOfAnotherProblemIsNoCandidate) {
  EXPECT_EQ(run(std::string(kProgram), {"--json", "--precision", "f16"}), kFindings);
  EXPECT_EQ(nlohmann::json::parse(world.out.str())["reason"], "no_candidate");
}

TEST_F(EvaluateModelled, AnEditedKernelNeedsAGpu) {
  EXPECT_EQ(world.run({"evaluate", std::string(UC_SOURCE_DIR) + "/data/kernelbench/level1/19_ReLU.json",
                       kernel(), "--device", "model:h200"}),
            kMissing);
  EXPECT_NE(world.err.str().find("needs a GPU"), std::string::npos);
}

}  // namespace
}  // namespace uc::cli
