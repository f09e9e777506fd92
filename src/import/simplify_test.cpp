// What rules make of captured problems: the same answers as torch's, on every recorded run at reduced sizes,
// and the work that is left at full size.
#include "plan/simplify.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

#include "catalog/builtin.h"
#include "import/importer.h"
#include "import/verify.h"
#include "syntax/print.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

CapturedProblem read(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  auto problem = read_problem(text.str());
  if (!problem) ADD_FAILURE() << path << ": " << problem.error().message;
  return problem ? std::move(*problem) : CapturedProblem{};
}

std::vector<std::filesystem::path> captures() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(UC_SOURCE_DIR "/data/kernelbench"))
    if (entry.path().extension() == ".json") out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

std::string rules_of(const std::vector<Applied>& applied) {
  std::string out;
  for (const Applied& each : applied) out += fmt::format("{}: {}\n", each.rule->id, each.where);
  return out;
}

// A program that only holds for what was seen is asked only about the problem's own data.
void agrees(const CapturedProblem& problem, Holds at_most) {
  const Imported imported = import_graph(catalog(), problem.reduced->graph);
  if (!imported.ok()) return;
  std::vector<Applied> applied;
  const Program simple = simplify(catalog(), imported.program, at_most, &applied);
  if (applied.empty()) return;
  const auto tolerance = tolerance_of(Precision::strict, problem.graph);
  const auto cases = run_cases(catalog(), simple, imported.tensors, *problem.reduced, tolerance);
  ASSERT_TRUE(cases) << problem.name << ": " << cases.error().message;
  for (const CaseCheck& each : *cases) {
    if (at_most == Holds::observed && !each.name.ends_with("problem")) continue;
    EXPECT_TRUE(each.passed) << problem.name << ", " << each.name << ": " << each.why << "\n"
                             << rules_of(applied) << print(catalog(), simple);
  }
}

TEST(SimplifiedCaptures, AnswerAsTorchDid) {
  size_t tried = 0;
  for (const auto& path : captures()) {
    const CapturedProblem problem = read(path);
    if (!problem.reduced) continue;
    ++tried;
    agrees(problem, Holds::always);
    agrees(problem, Holds::observed);
  }
  EXPECT_GE(tried, 230U);
}

Program simplified(const std::string& name, std::vector<Applied>* applied = nullptr) {
  const CapturedProblem problem = read(UC_SOURCE_DIR "/data/kernelbench/" + name + ".json");
  const Imported imported = import_graph(catalog(), problem.graph);
  EXPECT_TRUE(imported.ok()) << name;
  return simplify(catalog(), imported.program, Holds::always, applied);
}

// Multiply-adds of products and convolutions that are not made when weights are loaded.
double multiplies(const Program& program) {
  double out = 0;
  for (const Step& step : program.steps) {
    for (const OpId id : ops_of(step)) {
      const Op& op = program[id];
      if (op.spec->work != nullptr && !program[op.out[0]].params_only)
        out += op.spec->work(program, op).tensor_flops / 2;
    }
  }
  return out;
}

struct Left {
  const char* problem;
  double multiplies;  ///< by hand, at full size
};

constexpr Left kLeft[] = {
    // x[1024, 8192] times the sum of the rows of W
    {"level2/14_Gemm_Divide_Sum_Scaling", 1024.0 * 8192},
    {"level2/18_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp", 1024.0 * 8192},
    {"level2/51_Gemm_Subtract_GlobalAvgPool_LogSumExp_GELU_ResidualAdd", 2048.0 * 8192},
    // gelu(m - mean(m)) of one element m
    {"level2/80_Gemm_Max_Subtract_GELU", 0},
    // three depths of taps, each a convolution of x summed over depth: [16, 16, 1, 128, 128], 64 results, 9
    // taps
    {"level2/13_ConvTranspose3d_Mean_Add_Softmax_Tanh_Scaling", 3.0 * 16 * 16 * 64 * 128 * 128 * 9},
    // sums over all places: 64 x 128 products a sample. The 3 taps of each dimension meet two ranges of rows.
    {"level2/44_ConvTranspose2d_Multiply_GlobalAvgPool_GlobalAvgPool_Mean", 16.0 * 64 * 128 * 4},
    // without padding every tap meets every place
    {"level2/42_ConvTranspose2d_GlobalAvgPool_BiasAdd_LogSumExp_Sum_Multiply", 16.0 * 64 * 128},
    // windows of 6 x 6 at every fourth place
    {"level2/65_Conv2d_AvgPool_Sigmoid_Sum", 128.0 * 8 * 64 * 95 * 95 * 36},
    // stride 2 then means of 2: two taps a dimension
    {"level2/50_ConvTranspose3d_Scaling_AvgPool_BiasAdd_Scaling", 128.0 * 3 * 16 * 15 * 31 * 31 * 8},
    // columns pooled by 16
    {"level2/98_Matmul_AvgPool_GELU_Scale_Max", 1024.0 * 8192 * 512},
    // pooled by 2 x 2 before the 1 x 1 convolution
    {"level3/13_DenseNet121TransitionLayer", 128.0 * 32 * 64 * 128 * 128},
    // the class token never meets the image: attention runs over the batch
    {"level3/28_VisionTransformer", 0},
};

TEST(SimplifiedCaptures, LeaveTheLeastWork) {
  for (const Left& each : kLeft) {
    std::vector<Applied> applied;
    const Program left = simplified(each.problem, &applied);
    EXPECT_DOUBLE_EQ(multiplies(left), each.multiplies) << each.problem << "\n" << rules_of(applied);
  }
}

std::set<std::string_view> seen_rules(const std::string& name) {
  const CapturedProblem problem = read(UC_SOURCE_DIR "/data/kernelbench/" + name + ".json");
  const Imported imported = import_graph(catalog(), problem.graph);
  std::vector<Applied> applied;
  (void)simplify(catalog(), imported.program, Holds::observed, &applied);
  std::set<std::string_view> out;
  for (const Applied& each : applied) {
    if (each.rule->holds == Holds::observed) out.insert(each.rule->id);
  }
  return out;
}

// Masks and scales are buffers and weights: what they were is seen, not promised.
TEST(SimplifiedCaptures, LeanOnWhatWasSeenByName) {
  using Names = std::set<std::string_view>;
  EXPECT_EQ(seen_rules("level2/23_Conv3d_GroupNorm_Mean"), Names{"observed-mean-of-norm"});
  EXPECT_EQ(seen_rules("level3/43_MinGPTCausalAttention"), Names{"observed-causal-attention"});
  EXPECT_EQ(seen_rules("level3/44_MiniGPTBlock"), Names{"observed-causal-attention"});
  EXPECT_EQ(seen_rules("level3/50_ReLUSelfAttention"), Names{"observed-causal-relu"});
  EXPECT_EQ(seen_rules("level2/80_Gemm_Max_Subtract_GELU"), Names{});
}

TEST(SimplifiedCaptures, ComeToAnEndSoon) {
  using Clock = std::chrono::steady_clock;
  for (const auto& path : captures()) {
    const CapturedProblem problem = read(path);
    const Imported imported = import_graph(catalog(), problem.graph);
    if (!imported.ok()) continue;
    std::vector<Applied> applied, again;
    const auto begin = Clock::now();
    const Program once = simplify(catalog(), imported.program, Holds::always, &applied);
    const std::chrono::duration<double> taken = Clock::now() - begin;
    EXPECT_LT(taken.count(), 2) << path;
    (void)simplify(catalog(), once, Holds::always, &again);
    EXPECT_TRUE(again.empty()) << path << "\n" << rules_of(again);
  }
}

}  // namespace
}  // namespace uc
