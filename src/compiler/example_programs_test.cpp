// examples/programs/: each checks, and where torch recorded its problem at reduced sizes, computes the same
// there.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "compiler/pipeline.h"
#include "diag/render.h"
#include "import/verify.h"
#include "syntax/format.h"
#include "syntax/parser.h"
#include "syntax/print.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(UC_SOURCE_DIR) + path).rdbuf();
  return text.str();
}

struct Example {
  const char* program;
  const char* capture;  ///< below data/kernelbench
  /// Extents and list items of the text, to those of the recorded run.
  std::map<std::string, std::string> sizes;
  /// Literals that follow from sizes.
  std::vector<std::pair<std::string, std::string>> texts = {};
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.program; }

const std::vector<Example>& examples() {
  static const std::vector<Example> rows{
      {"level1_6_large_k", "level1/6_Matmul_with_large_K_dimension_", {{"256", "8"}, {"524288", "512"}}},
      {"level1_8_irregular",
       "level1/8_Matmul_with_irregular_shapes_",
       {{"8205", "32"}, {"2949", "11"}, {"5921", "23"}}},
      {"level1_14_upper_triangular", "level1/14_Matmul_for_upper_triangular_matrices", {{"4096", "32"}}},
      {"level1_36_rms_norm", "level1/36_RMSNorm_", {{"112", "2"}, {"64", "4"}, {"512", "8"}}},
      {"level1_40_layer_norm", "level1/40_LayerNorm", {{"16", "2"}, {"64", "4"}, {"256", "8"}}},
      {"level1_97_attention_wide_heads",
       "level1/97_ScaledDotProductAttention",
       {{"32", "4"}, {"512", "8"}, {"1024", "16"}},
       {{"f32[4, 4,", "f32[2, 4,"}, {"0.03125", "0.25"}}},
      {"level2_45_logsumexp",
       "level2/45_Gemm_Sigmoid_LogSumExp",
       {{"16384", "128"}, {"2048", "16"}, {"4096", "32"}, {"1024", "8"}}},
      {"level2_88_group_norm",
       "level2/88_Gemm_GroupNorm_Swish_Multiply_Swish",
       {{"1024", "8"}, {"8192", "64"}},
       {{"group_norm(256,", "group_norm(8,"}}},
      {"level3_31_vision_attention",
       "level3/31_VisionAttention",
       {{"128", "8"}, {"384", "24"}, {"16384", "64"}, {"32", "2"}}},
      {"level3_43_causal_attention",
       "level3/43_MinGPTCausalAttention",
       {{"128", "2"}, {"512", "8"}, {"768", "12"}, {"2304", "36"}, {"8", "4"}, {"96", "3"}}},
      {"level3_44_gpt_block",
       "level3/44_MiniGPTBlock",
       {{"128", "2"}, {"512", "8"}, {"768", "12"}, {"2304", "36"}, {"3072", "48"}, {"8", "4"}, {"96", "3"}}},
      {"level3_48_mamba2",
       "level3/48_Mamba2ReturnY",
       {{"2048", "2"}, {"128", "16"}, {"8", "4"}, {"64", "8"}, {"16", "4"}}},
      {"level3_49_mamba2_state",
       "level3/49_Mamba2ReturnFinalState",
       {{"2048", "2"}, {"128", "32"}, {"8", "4"}, {"64", "16"}, {"16", "4"}}},
      {"level3_50_relu_attention",
       "level3/50_ReLUSelfAttention",
       {{"16", "2"}, {"1024", "16"}, {"768", "12"}, {"2304", "36"}, {"12", "4"}, {"64", "3"}},
       {{"0.125", "0.5773502691896258"}}},
  };
  return rows;
}

std::string source_of(const Example& example) {
  return read("/examples/programs/" + std::string(example.program) + ".uc");
}

// Whole numbers between square brackets are sizes.
std::string at_sizes(const Example& example) {
  const std::string text = source_of(example);
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < text.size();) {
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    size_t end = i + 1;
    if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    }
    const std::string token = text.substr(i, end - i);
    const auto found = example.sizes.find(token);
    out += depth > 0 && found != example.sizes.end() ? found->second : token;
    i = end;
  }
  for (const auto& [from, to] : example.texts) {
    EXPECT_NE(out.find(from), std::string::npos) << example.program << ": " << from;
    for (size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size())
      out.replace(at, from.size(), to);
  }
  return out;
}

Program resolved(const std::string& source, const std::string& name) {
  DiagSink diags;
  diags.relax("UC19");  // what no back end makes a kernel of yet
  Program program = resolve(catalog(), parse(source, diags), diags);
  EXPECT_FALSE(diags.has_errors()) << render_text(diags.sorted(), source, name);
  return program;
}

// Inputs in their order, params by the module's name for them.
std::map<std::string, GraphTensorId, std::less<>> tensors_of(const Program& program, const Graph& graph) {
  std::map<std::string, GraphTensorId, std::less<>> out;
  size_t next = 0;
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const GraphTensor& tensor = graph.tensors[i];
    if (tensor.role == TensorRole::input && next < program.inputs.size())
      out.emplace(program[program.inputs[next++]].name, GraphTensorId(i));
    for (const ValueId param : program.params) {
      if (!tensor.module.empty() && program[param].binding == tensor.module)
        out.emplace(program[param].name, GraphTensorId(i));
    }
  }
  return out;
}

TEST(ExamplePrograms, AllAreKnown) {
  std::set<std::string> known;
  for (const Example& each : examples()) known.insert(std::string(each.program) + ".uc");
  std::set<std::string> there;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(UC_SOURCE_DIR) + "/examples/programs"))
    there.insert(file.path().filename().string());
  EXPECT_EQ(known, there);
}

class ExampleProgram : public testing::TestWithParam<Example> {};

TEST_P(ExampleProgram, ChecksAtItsSizes) {
  const std::string source = source_of(GetParam());
  const Compiled compiled = check_source(catalog(), source, {.device = {}, .language_only = true});
  EXPECT_TRUE(compiled.ok()) << render_text(compiled.diags.sorted(), source, GetParam().program);
}

TEST_P(ExampleProgram, IsInCanonicalForm) {
  const std::string source = source_of(GetParam());
  DiagSink diags;
  EXPECT_EQ(format(parse(source, diags), source), source);
}

TEST_P(ExampleProgram, PrintsAsItselfAgain) {
  const Program program = resolved(source_of(GetParam()), GetParam().program);
  const std::string text = print(catalog(), program);
  EXPECT_EQ(print(catalog(), resolved(text, GetParam().program)), text);
}

TEST_P(ExampleProgram, ComputesWhatTorchComputedAtReducedSizes) {
  const std::string text = read("/data/kernelbench/" + std::string(GetParam().capture) + ".json");
  ASSERT_FALSE(text.empty()) << GetParam().capture;
  const auto problem = read_problem(text);
  ASSERT_TRUE(problem) << problem.error().message;
  ASSERT_TRUE(problem->reduced) << problem->reduced_missing;
  const Program program = resolved(at_sizes(GetParam()), GetParam().program);
  const Graph& graph = problem->reduced->graph;
  const auto cases = run_cases(catalog(), program, tensors_of(program, graph), *problem->reduced,
                               tolerance_of(program.precision, graph));
  ASSERT_TRUE(cases) << cases.error().message;
  EXPECT_GE(cases->size(), 2U);
  for (const CaseCheck& each : *cases) EXPECT_TRUE(each.passed) << each.name << ": " << each.why;
}

INSTANTIATE_TEST_SUITE_P(Programs, ExampleProgram, testing::ValuesIn(examples()),
                         [](const auto& each) { return std::string(each.param.program); });

}  // namespace
}  // namespace uc
