// What import gives to bounds: captured operators with their work, what no program says as operators that
// count their bytes, and what was seen in the data.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "import/importer.h"
#include "sol/sol.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

// A graph of one operator: inputs of these shapes, and its arguments after them.
Graph graph_of(const std::string& target, const std::vector<Shape>& in, GraphArgs more, Shape out) {
  Graph graph;
  GraphOp op;
  op.target = target;
  for (const Shape& shape : in) {
    GraphTensor tensor;
    tensor.name = fmt::format("x{}", graph.tensors.size());
    tensor.role = TensorRole::input;
    tensor.shape = shape;
    tensor.stride = row_major(shape);
    tensor.storage = static_cast<uint32_t>(graph.tensors.size());
    op.args.push_back({GraphTensorId(graph.tensors.size())});
    graph.tensors.push_back(tensor);
  }
  for (GraphArg& arg : more) op.args.push_back(std::move(arg));
  GraphTensor result;
  result.name = "y";
  result.stride = row_major(out);
  result.shape = std::move(out);
  result.storage = static_cast<uint32_t>(graph.tensors.size());
  op.out.push_back(GraphTensorId(graph.tensors.size()));
  graph.outputs = op.out;
  graph.tensors.push_back(result);
  graph.ops.push_back(std::move(op));
  return graph;
}

SolReport sol_of(const Graph& graph) {
  CapturedProblem problem;
  problem.name = "problem";
  problem.graph = graph;
  const Imported imported = import_for_bounds(catalog(), problem);
  EXPECT_TRUE(imported.ok());
  SolOptions options;
  options.precision = Precision::tf32;
  return speed_of_light(catalog(), imported.program, *catalog().device("h200"), options);
}

TEST(ImportForBounds, ProductsOfEveryNameCount) {
  // 2 x 4 x 16 x 8, whatever else is added.
  EXPECT_EQ(sol_of(graph_of("aten.addmm.default", {{4, 16}, {4, 8}, {8, 16}}, {}, {4, 16})).work.dense_flops,
            1024);
  // three of them
  EXPECT_EQ(sol_of(graph_of("aten.baddbmm.default", {{3, 4, 16}, {3, 4, 8}, {3, 8, 16}}, {}, {3, 4, 16}))
                .work.dense_flops,
            3072);
  // 2 x 4 x 8, 2 x 8
  EXPECT_EQ(sol_of(graph_of("aten.mv.default", {{4, 8}, {8}}, {}, {4})).work.dense_flops, 64);
  EXPECT_EQ(sol_of(graph_of("aten.dot.default", {{8}, {8}}, {}, {})).work.dense_flops, 16);
}

// `bilinear` is no `linear`: operators are known by their whole names, and an unknown one says so.
TEST(ImportForBounds, UnknownOperatorsCountTheirBytes) {
  const Graph graph = graph_of("aten.bilinear.default", {{4, 8}, {4, 6}, {5, 8, 6}}, {GraphArg{}}, {4, 5});
  const SolReport report = sol_of(graph);
  EXPECT_EQ(report.work.dense_flops, 0);
  EXPECT_EQ(report.work.read_bytes, (32 + 24 + 240) * 4);
  EXPECT_EQ(report.work.write_bytes, 20 * 4);
  EXPECT_EQ(report.coverage, 0);
  EXPECT_THAT(report.uncovered, testing::ElementsAre("aten.bilinear.default"));
  EXPECT_EQ(report.confidence, "reduced");
  ASSERT_EQ(report.steps.size(), 1U);
  EXPECT_FALSE(report.steps[0].covered);
  // No program says it: import proper refuses.
  EXPECT_FALSE(import_graph(catalog(), graph).ok());
}

TEST(ImportForBounds, DropoutIsElementwise) {
  const Graph graph = graph_of("aten.dropout.default", {{64, 32}}, {{0.5}, {true}}, {64, 32});
  const SolReport report = sol_of(graph);
  EXPECT_EQ(report.coverage, 1);
  EXPECT_EQ(report.work.read_bytes, 64 * 32 * 4);
  EXPECT_EQ(report.work.write_bytes, 64 * 32 * 4);
  EXPECT_FALSE(import_graph(catalog(), graph).ok());  // what it means stays with PyTorch
}

TEST(ImportForBounds, TiedInputsAreReadOnce) {
  Graph graph = graph_of("aten.add.Tensor", {{64, 32}, {64, 32}}, {}, {64, 32});
  EXPECT_EQ(sol_of(graph).work.read_bytes, 2 * 64 * 32 * 4);
  graph.tensors[1].storage = graph.tensors[0].storage;
  EXPECT_EQ(sol_of(graph).work.read_bytes, 64 * 32 * 4);
}

TEST(ImportForBounds, FactsOfInputsAndResultsAreObserved) {
  CapturedProblem problem;
  problem.graph = graph_of("aten.mm.default", {{64, 64}, {64, 64}}, {}, {64, 64});
  problem.graph.tensors[0].facts = TensorFacts{};
  problem.graph.tensors[0].facts->lower = true;
  problem.graph.tensors[0].facts->max = 1.0;
  problem.constant_outputs = {2.5};
  const Program program = import_for_bounds(catalog(), problem).program;
  const Value& a = program[program.inputs[0]];
  ASSERT_TRUE(a.observed);
  EXPECT_THAT(a.observed->structure, testing::ElementsAre("lower"));
  EXPECT_EQ(a.observed->max, 1.0);
  EXPECT_FALSE(program[program.inputs[1]].observed);
  ASSERT_TRUE(program[program.results[0]].observed);
  EXPECT_EQ(program[program.results[0]].observed->constant, 2.5);
}

}  // namespace
}  // namespace uc
