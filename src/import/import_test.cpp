#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "import/graph_context.h"
#include "import/importer.h"
#include "import/verify.h"
#include "syntax/parser.h"
#include "syntax/print.h"

namespace uc {
namespace {

using testing::HasSubstr;

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

// Of KernelBench, those that are held to be imported: bench/results/coverage.json, which a test of its own
// compares with what is true.
std::set<std::string> covered() {
  std::ifstream in(std::string(UC_SOURCE_DIR) + "/bench/results/coverage.json");
  const auto json = nlohmann::json::parse(in, nullptr, false);
  std::set<std::string> out;
  if (!json.is_object()) return out;
  for (const auto& row : json["problems"]) {
    if (row["executed"])
      out.insert(std::string(UC_SOURCE_DIR) + "/data/kernelbench/" + row["name"].get<std::string>() +
                 ".json");
  }
  return out;
}

std::vector<std::string> captures() {
  const std::set<std::string> executed = covered();
  std::vector<std::string> out;
  for (const char* folder : {"/data/kernelbench", "/examples", "/tests/import"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(UC_SOURCE_DIR) + folder)) {
      const std::string path = entry.path().string();
      if (entry.path().extension() != ".json") continue;
      if (std::string_view(folder) == "/data/kernelbench" && !executed.contains(path)) continue;
      out.push_back(path);
    }
  }
  std::ranges::sort(out);
  return out;
}

CapturedProblem problem(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  auto read = read_problem(text.str());
  EXPECT_TRUE(read) << path << ": " << read.error().message;
  return std::move(*read);
}

TEST(Import, ThereAreCaptures) { EXPECT_GE(captures().size(), 200U); }

// What torch computed at the reduced sizes is what the imported program computes on the CPU.
TEST(Import, EveryCaptureAgreesWithTorch) {
  for (const std::string& path : captures()) {
    const auto check = verify_import(catalog(), problem(path));
    ASSERT_TRUE(check) << path << ": " << check.error().message;
    EXPECT_GE(check->cases.size(), 1U) << path;
    for (const CaseCheck& each : check->cases)
      EXPECT_TRUE(each.passed) << path << ", " << each.name << ": " << each.why;
  }
}

TEST(Import, FullSizesImportToTheSameSteps) {
  for (const std::string& path : captures()) {
    const CapturedProblem captured = problem(path);
    const Imported full = import_graph(catalog(), captured.graph);
    const Imported small = import_graph(catalog(), captured.reduced->graph);
    ASSERT_TRUE(full.ok()) << path << ": " << import_error(full, path).message;
    ASSERT_EQ(full.program.steps.size(), small.program.steps.size()) << path;
    for (size_t i = 0; i < full.program.steps.size(); ++i) {
      EXPECT_EQ(full.program[full.program.steps[i].main].spec,
                small.program[small.program.steps[i].main].spec)
          << path;
      EXPECT_EQ(full.program[full.program.steps[i].results[0]].name,
                small.program[small.program.steps[i].results[0]].name)
          << path;
    }
  }
}

// What is printed resolves without complaint to a program of the same text.
TEST(Import, PrintsAsAProgramThatResolves) {
  for (const std::string& path : captures()) {
    const Imported full = import_graph(catalog(), problem(path).graph);
    const std::string text = print(catalog(), full.program);
    DiagSink diags;
    const ast::File tree = parse(text, diags);
    const Program again = resolve(catalog(), tree, diags);
    for (const Diag& diag : diags.sorted()) {
      if (diag.id == "UC1413") continue;  // what depends on params alone is a rewrite's to prepack
      ADD_FAILURE() << path << ": " << diag.id << " " << diag.message << "\n" << text;
    }
    EXPECT_EQ(print(catalog(), again), text) << path;
  }
}

TEST(Import, BindsParamsToTheirModules) {
  const CapturedProblem captured =
      problem(std::string(UC_SOURCE_DIR) + "/data/kernelbench/level2/76_Gemm_Add_ReLU.json");
  const Imported imported = import_graph(catalog(), captured.graph);
  std::vector<std::string> bindings;
  for (const ValueId id : imported.program.params) bindings.push_back(imported.program[id].binding);
  EXPECT_THAT(bindings, testing::UnorderedElementsAre("bias", "gemm.weight"));
}

// A wrong program must fail: relu taken away, an operand swapped, a constant changed.
TEST(Import, TheCheckSeesWrongPrograms) {
  CapturedProblem captured =
      problem(std::string(UC_SOURCE_DIR) + "/data/kernelbench/level2/63_Gemm_ReLU_Divide.json");
  std::erase_if(captured.reduced->graph.ops,
                [](const GraphOp& op) { return op.target == "aten.div.Tensor"; });
  captured.reduced->graph.outputs = {captured.reduced->graph.ops.back().out[0]};
  const auto check = verify_import(catalog(), captured);
  ASSERT_TRUE(check);
  EXPECT_FALSE(check->passed());
  EXPECT_THAT(check->cases[0].why, HasSubstr("where torch gives"));
}

Graph two_ops(const std::string& second) {
  Graph graph;
  const auto tensor = [&](std::string name, TensorRole role) {
    GraphTensor out;
    out.name = std::move(name);
    out.role = role;
    out.shape = {4, 4};
    out.stride = {4, 1};
    out.storage = static_cast<uint32_t>(graph.tensors.size());
    graph.tensors.push_back(std::move(out));
    return GraphTensorId(graph.tensors.size() - 1);
  };
  const GraphTensorId x = tensor("x", TensorRole::input);
  const GraphTensorId a = tensor("relu", TensorRole::value);
  const GraphTensorId b = tensor("f16", TensorRole::value);
  graph.ops.push_back({"aten.relu.default", {GraphArg{x}}, {}, {a}, "", false});
  graph.ops.push_back({second, {GraphArg{a}}, {}, {b}, "body", false});
  graph.outputs = {b};
  return graph;
}

// PyTorch has no such call, but a file may hold one.
TEST(Import, ABiasThatIsNoVectorIsNotInThisForm) {
  for (const char* name :
       {"level1/50_conv_standard_2D__square_input__square_kernel.json", "level1/67_conv_standard_1D.json",
        "level1/54_conv_standard_3D__square_input__square_kernel.json"}) {
    CapturedProblem captured = problem(std::string(UC_SOURCE_DIR) + "/data/kernelbench/" + name);
    GraphOp& conv = captured.graph.ops.at(0);
    for (const GraphArg& bias :
         {GraphArg{int64_t{0}}, GraphArg{1.5}, GraphArg{true}, GraphArg{GraphArgs{GraphArg{int64_t{1}}}},
          GraphArg{std::string("b")}, GraphArg{GraphTensorId(0)}}) {
      conv.args.resize(std::max<size_t>(conv.args.size(), 3));
      conv.args[2] = bias;
      const Imported imported = import_graph(catalog(), captured.graph);
      ASSERT_FALSE(imported.ok()) << name;
      EXPECT_THAT(import_error(imported, "p").message + import_error(imported, "p").help,
                  HasSubstr("not in this form"))
          << name;
      EXPECT_TRUE(import_for_bounds(catalog(), captured).ok()) << name;
    }
    conv.args[2] = GraphArg{};
    EXPECT_TRUE(import_graph(catalog(), captured.graph).ok()) << name;
  }
}

TEST(Import, NamesEverythingUnsupportedAtOnce) {
  Graph graph = two_ops("aten.fft_fft.default");
  graph.ops.push_back({"aten.conv2d.default", {GraphArg{GraphTensorId(0)}}, {}, {}, "", false});
  graph.ops.push_back({"aten.fft_fft.default", {GraphArg{GraphTensorId(0)}}, {}, {}, "", false});
  const Imported imported = import_graph(catalog(), graph);
  ASSERT_FALSE(imported.ok());
  const Error error = import_error(imported, "p");
  EXPECT_THAT(error.message, HasSubstr("aten.fft_fft.default"));
  EXPECT_THAT(error.message, HasSubstr("2 times"));
  EXPECT_THAT(error.message, HasSubstr("aten.conv2d.default"));
}

// torch writes "to the end" as 2^63 - 1; the language's integers have 18 digits.
TEST(Import, IntegersBeyondTheLanguagesAreWritten) {
  Graph graph = two_ops("aten.mul.Tensor");
  graph.ops[1].args.push_back({INT64_MAX});
  Program program;
  DiagSink diags;
  GraphContext context(catalog(), graph, program, diags);
  EXPECT_EQ(context.integer(graph.ops[1], 1, {}), 999'999'999'999'999'999);
  EXPECT_EQ(context.integers(graph.ops[1], 1, {}), (std::vector<int64_t>{999'999'999'999'999'999}));

  const Imported imported = import_graph(catalog(), graph);
  ASSERT_TRUE(imported.ok());
  const std::string text = print(catalog(), imported.program);
  EXPECT_THAT(text, HasSubstr("9223372036854775808.0"));
  const ast::File tree = parse(text, diags);
  const Program again = resolve(catalog(), tree, diags);
  EXPECT_FALSE(diags.has_errors()) << text;
}

// torch: x.sum(dtype=) converts first, and gives that type where sums of integers are i64.
TEST(Import, ReductionsHaveTheTypeThatTheCallNames) {
  for (const char* target : {"aten.sum.default", "aten.prod.default"}) {
    Graph graph = two_ops(target);
    graph.ops[1].kwargs.emplace_back("dtype", GraphArg{DType::i32});
    const Imported imported = import_graph(catalog(), graph);
    ASSERT_TRUE(imported.ok()) << target;
    const Program& program = imported.program;
    EXPECT_EQ(program[program.results.at(0)].dtype, DType::i32) << print(catalog(), program);
    EXPECT_THAT(print(catalog(), program), HasSubstr("to(relu_1, i32)"));
  }
}

// torch.nn.functional.rms_norm without eps takes that of the type it computes in: f32 for f16.
TEST(Import, RmsNormWithoutEpsOfHalfHasTheEpsOfF32) {
  Graph graph = two_ops("aten.rms_norm.default");
  for (GraphTensor& tensor : graph.tensors) tensor.dtype = DType::f16;
  graph.ops[1].args.push_back({GraphArgs{{int64_t{4}}}});
  const Imported imported = import_graph(catalog(), graph);
  ASSERT_TRUE(imported.ok());
  EXPECT_THAT(print(catalog(), imported.program), HasSubstr("eps=1.19209"));
}

TEST(Import, NegativeIndexesCountFromTheEnd) {
  Graph graph = two_ops("aten.index.Tensor");
  GraphTensor rows = graph.tensors[0];
  rows.name = "rows";
  rows.dtype = DType::i64;
  rows.shape = {3};
  rows.stride = {1};
  graph.tensors.push_back(rows);
  graph.ops[1].args.push_back({GraphArgs{{GraphTensorId(graph.tensors.size() - 1)}}});
  const Imported imported = import_graph(catalog(), graph);
  ASSERT_TRUE(imported.ok());
  const std::string text = print(catalog(), imported.program);
  EXPECT_THAT(text, HasSubstr("rows + 4"));
  EXPECT_THAT(text, HasSubstr("rows < 0"));
}

TEST(Import, MutationsAreNamed) {
  Graph graph = two_ops("aten.relu.default");
  graph.mutates.push_back({GraphTensorId(0), GraphTensorId(1)});
  const Imported imported = import_graph(catalog(), graph);
  ASSERT_EQ(imported.unsupported.size(), 1U);
  EXPECT_THAT(imported.unsupported[0].what, HasSubstr("mutation of `x`"));
}

TEST(Import, BuffersThatTheProblemCountsInAreLeftAndSaid) {
  Graph graph = two_ops("aten.relu.default");
  GraphTensor count;
  count.name = "bn_count";
  count.role = TensorRole::buffer;
  count.module = "bn.num_batches_tracked";
  graph.tensors.push_back(count);
  graph.mutates.push_back({GraphTensorId(graph.tensors.size() - 1), GraphTensorId(1)});
  const Imported imported = import_graph(catalog(), graph);
  EXPECT_TRUE(imported.ok());
  EXPECT_THAT(imported.not_updated, testing::ElementsAre("bn.num_batches_tracked"));
}

TEST(Import, ResultsOfStateThatEveryCallWritesAreRefused) {
  Graph graph = two_ops("aten.relu.default");
  graph.tensors[0].role = TensorRole::buffer;  // what relu reads
  graph.mutates.push_back({GraphTensorId(0), GraphTensorId(1)});
  const Imported imported = import_graph(catalog(), graph);
  ASSERT_EQ(imported.unsupported.size(), 1U);
  EXPECT_THAT(imported.unsupported[0].what, HasSubstr("state in `x`"));
}

// Values named as operators or types are would read like these.
TEST(Import, KeepsNamesApartFromWordsOfTheLanguage) {
  const Imported imported = import_graph(catalog(), two_ops("aten.relu.default"));
  ASSERT_TRUE(imported.ok());
  EXPECT_EQ(imported.program[imported.program.steps[0].results[0]].name, "relu_1");
  EXPECT_EQ(imported.program[imported.program.steps[1].results[0]].name, "f16_1");
}

TEST(Import, ReturnedInputsAreCopied) {
  Graph graph = two_ops("aten.relu.default");
  graph.outputs = {GraphTensorId(2), GraphTensorId(0), GraphTensorId(2)};
  const Imported imported = import_graph(catalog(), graph);
  ASSERT_TRUE(imported.ok());
  ASSERT_EQ(imported.program.results.size(), 3U);
  for (const ValueId id : imported.program.results)
    EXPECT_EQ(imported.program[imported.program[id].root].kind, ValueKind::computed);
  EXPECT_NE(imported.program.results[0], imported.program.results[2]);
}

TEST(Import, DeadOperatorsAreDropped) {
  Graph graph = two_ops("aten.relu.default");
  graph.outputs = {GraphTensorId(1)};
  const Imported imported = import_graph(catalog(), graph);
  ASSERT_TRUE(imported.ok());
  EXPECT_EQ(imported.program.steps.size(), 1U);
}

}  // namespace
}  // namespace uc
