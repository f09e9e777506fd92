// How kernels over rows are cut into stages, threads and phases.
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/rows_phases.h"
#include "plan/rows_stages.h"
#include "syntax/parser.h"

namespace uc {
namespace {

Rows rows_of(const std::string& declarations, const std::string& step) {
  static const Catalog catalog = builtin_catalog();
  DiagSink diags;
  const Program program = resolve(
      catalog, parse("target sm_90a\n" + declarations + "y = " + step + "\nreturn y\n", diags), diags);
  const std::vector<Launch> launches = lower(catalog, program, diags);
  EXPECT_FALSE(diags.has_errors()) << step;
  return std::get<Rows>(launches.at(0).kernel);
}

const char* kMatrix = "input x: f32[64, 4096]\n";

TEST(RowsStages, PairsThatFollowOneFromTheOtherAreOnePass) {
  const Rows softmax = rows_of(kMatrix, "softmax(x * 0.125)");
  EXPECT_EQ(rows_stages(softmax, true).size(), 1U);
  EXPECT_EQ(rows_stages(softmax, false).size(), 2U);
  EXPECT_EQ(rows_stages(softmax, true)[0][0].how, Gathered::How::exponentials);
  const Rows norm = rows_of(kMatrix, "layer_norm(x)");
  EXPECT_EQ(rows_stages(norm, true)[0][0].how, Gathered::How::moments);
  EXPECT_EQ(rows_reads(norm, true), 2);
  EXPECT_EQ(rows_reads(norm, false), 3);
  const Rows both = rows_of(kMatrix, "layer_norm(x) >> softmax()");
  EXPECT_EQ(rows_reads(both, true), 3);
  EXPECT_EQ(rows_reads(both, false), 5);
}

// A deviation from something else than the mean of the same elements is no pair.
TEST(RowsStages, OnlyWhatIsOfThatFormIsAPair) {
  const Rows other = rows_of(kMatrix, "layer_norm(x) >> map(square(it - 3)) >> sum(dim=1)");
  EXPECT_EQ(rows_stages(other, true).size(), 2U);
  EXPECT_EQ(rows_stages(other, true)[1][0].how, Gathered::How::plain);
}

TEST(RowsShape, SaysWhereNeighboursInMemoryAre) {
  EXPECT_FALSE(rows_shape(rows_of(kMatrix, "sum(x, dim=1)")).outer);
  EXPECT_TRUE(rows_shape(rows_of(kMatrix, "sum(x, dim=0)")).outer);
  const Rows group = rows_of("input x: f32[2, 32, 8, 8]\n", "group_norm(x, 4)");
  EXPECT_EQ(rows_shape(group).rows, Shape{8});  // no weights: samples and groups merge, and so do elements
  EXPECT_EQ(rows_shape(group).columns, Shape{512});
  const Rows batch = rows_of("input x: f32[4, 32, 8, 8]\n", "batch_norm(x)");
  EXPECT_EQ(rows_shape(batch).rows, Shape{32});
  EXPECT_EQ(rows_shape(batch).columns, (Shape{4, 64}));
  EXPECT_FALSE(rows_shape(batch).outer);
  EXPECT_TRUE(rows_shape(rows_of("input x: f32[4, 32, 8, 8] @nhwc\n", "batch_norm(x)")).outer);
}

TEST(RowsShape, VectorsAreAsWideAsAddressesAllow) {
  const auto widest = [](const std::string& declarations, const std::string& step) {
    const Rows rows = rows_of(declarations, step);
    return rows_vector(rows, rows_shape(rows), 0);
  };
  EXPECT_EQ(widest("input x: f32[64, 4096]\n", "softmax(x)"), 4);
  EXPECT_EQ(widest("input x: f16[64, 4096]\n", "softmax(x)"), 8);
  EXPECT_EQ(widest("input x: f32[64, 4095]\n", "softmax(x)"), 1);
  EXPECT_EQ(widest("input x: f32[64, 4094]\n", "softmax(x)"), 2);
  EXPECT_EQ(widest("input x: f32[64, 4095]\n", "softmax(x, dim=0)"), 1);
}

TEST(RowsShape, ARowOfAClusterIsHeldByAllItsThreads) {
  const Rows rows = rows_of("input x: f32[16, 393216]\n", "softmax(x)");
  const RowsShape shape = rows_shape(rows);
  const RowsLayout layout = rows_layout(rows, shape, {.passes = 1, .threads = 256, .cluster = 8});
  EXPECT_EQ(layout.items, 48);  // 393216 / (8 blocks x 256 threads x 4)
  EXPECT_EQ(held_registers(rows, shape, layout), 192);
  EXPECT_LE(held_registers(rows, shape, layout), free_registers(256));
}

TEST(RowsShape, ScratchHoldsWhatTheStagesOfAllPartsHaveSeen) {
  const Rows rows = rows_of("input x: f32[4, 1048576]\n", "softmax(x)");
  const RowsShape shape = rows_shape(rows);
  const RowsLayout layout = rows_layout(rows, shape, {.passes = 2, .split = 32});
  EXPECT_EQ(rows_scratch(rows, shape, layout), 4 * 32 * 16);  // two numbers, rounded up to 16 bytes
  EXPECT_EQ(rows_scratch(rows, shape, rows_layout(rows, shape, {.passes = 2})), 0);
}

TEST(RowsPhases, AMeanOverRowsIsASecondRow) {
  const Rows rows = rows_of("input x: f32[40, 24]\ninput t: f32[40, 24]\n", "cosine(x, t)");
  const auto phases = rows_phases(rows, {});
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_TRUE(rows_phases_suffice(rows));
  EXPECT_EQ(phases[0].shape.count(), 40);
  EXPECT_EQ(phases[1].shape.count(), 1);
  EXPECT_EQ(phases[1].shape.length(), 40);
  EXPECT_EQ(phases[1].rows.body.effects.size(), 1U);
  EXPECT_EQ(rows_scratch(phases), 40 * 16);
}

TEST(Varying, KnowsWhatIsTheSameAllAlongARow) {
  const Rows rows = rows_of("input x: f32[8, 6]\ninput w: f32[6]\n", "sum(triu(x) * w, dim=1)");
  const auto differs = varying(rows.body, rows.domain, {1});
  const auto others = varying(rows.body, rows.domain, {0});
  for (size_t i = 0; i < differs.size(); ++i) {
    const Node& node = rows.body.nodes[i];
    // A row's number, or a place along it.
    const bool one = node.kind == Node::Kind::coordinate;
    EXPECT_TRUE(!one || differs[i] != others[i]);
    EXPECT_TRUE(node.kind != Node::Kind::across || !differs[i]);
  }
}

}  // namespace
}  // namespace uc
