// What is gathered of an epilogue's rows, what accumulators hold meanwhile, and what the epilogue is left
// with.
#include "plan/epilogue_rows.h"

#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "catalog/scalar_fn.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/epilogue_leaves.h"
#include "plan/smem_model.h"
#include "syntax/parser.h"

namespace uc {
namespace {

Launch launch(const std::string& chain, const std::string& left = "y") {
  static const Catalog catalog = builtin_catalog();
  const std::string source =
      "target sm_90a\nprecision f16\ninput a: f16[96, 64]\nparam w: f16[512, 64]\nparam c: f32[512]\nparam "
      "g: "
      "f32[512]\ninput x: f32[96, 512]\ninput v: f32[96]\n" +
      left + " = linear(a, w) >> " + chain + "\nreturn " + left + "\n";
  DiagSink diags;
  const Program program = resolve(catalog, parse(source, diags), diags);
  std::vector<Launch> launches = lower(catalog, program, diags);
  return std::move(launches.at(0));
}

Contraction product(const std::string& chain, const std::string& left = "y") {
  const Launch made = launch(chain, left);
  EXPECT_TRUE(made.emitted) << chain;
  return std::get<Contraction>(made.kernel);
}

std::string held(const Contraction& kernel, size_t stage) {
  const Node& node = kernel.epilogue.nodes[epilogue_rows(kernel.epilogue).held.at(stage).index()];
  if (node.kind == Node::Kind::call) return std::string(node.fn->name);
  return node.kind == Node::Kind::running ? "running" : node.kind == Node::Kind::cast ? "cast" : "other";
}

// The sum with the bias, its exponential, and that over the total: nothing is computed twice.
TEST(EpilogueRows, AccumulatorsHoldWhatAllThatFollowsIsMadeOf) {
  const Contraction kernel = product("bias(c) >> softmax() >> to(f32)");
  const EpilogueRows rows = epilogue_rows(kernel.epilogue);
  ASSERT_EQ(rows.stages.size(), 2U);
  EXPECT_EQ(kernel.epilogue.nodes[rows.stages[0][0].index()].combine, Combine::max);
  EXPECT_EQ(kernel.epilogue.nodes[rows.stages[1][0].index()].combine, Combine::sum);
  EXPECT_EQ(held(kernel, 0), "add");
  EXPECT_EQ(held(kernel, 1), "exp");
  EXPECT_EQ(held(kernel, 2), "mul");
  EXPECT_EQ(kernel.meet, 512);
  EXPECT_TRUE(rows.early.empty());
  EXPECT_EQ(rows.late.size(), 1U);
}

// The tree reads weights by its own nodes, and no longer the bias, which the first stage has added.
TEST(EpilogueRows, TheRestIsAnOrdinaryEpilogue) {
  const Contraction kernel = product("bias(c) >> group_norm(16, g) >> silu() >> to(f32)");
  EXPECT_EQ(kernel.meet, 32);
  const Contraction rest = without_rows(kernel);
  EXPECT_EQ(rest.meet, 0);
  EXPECT_FALSE(has_rows(rest.epilogue));
  const EpilogueParts parts = epilogue_parts(kernel.epilogue);
  ASSERT_EQ(parts.loads.size(), 1U);
  EXPECT_EQ(parts.loads, epilogue_parts(rest.epilogue).loads);
  EXPECT_EQ(parts.result, 0U);
}

// What is stored before the row meets is not made of what is held at last.
TEST(EpilogueRows, WhatIsStoredBeforeIsStoredByHand) {
  const Contraction kernel =
      product("bias(c) >> residual(x) >> store(f32) >> rms_norm(g) >> to(f16)", "s, y");
  const EpilogueRows rows = epilogue_rows(kernel.epilogue);
  EXPECT_EQ(rows.early, std::vector<size_t>{0});
  EXPECT_EQ(rows.late, std::vector<size_t>{1});
  EXPECT_EQ(epilogue_parts(kernel.epilogue).result, 1U);
  EXPECT_EQ(held(kernel, 0), "add");
}

TEST(EpilogueRows, OneElementARowLeavesNothingToStore) {
  const Contraction kernel = product("bias(c) >> logsumexp(dim=1) >> relu() >> to(f32)");
  const EpilogueRows rows = epilogue_rows(kernel.epilogue);
  EXPECT_EQ(rows.once, std::vector<size_t>{0});
  EXPECT_TRUE(rows.early.empty());
  EXPECT_TRUE(rows.late.empty());
  EXPECT_TRUE(without_rows(kernel).epilogue.effects.empty());
  EXPECT_TRUE(once_a_row(kernel.epilogue, kernel.epilogue.effects[0]));
}

TEST(EpilogueRows, OneNumberARowGoesOn) {
  const Contraction last = product("logsumexp(dim=1, keepdim=true) >> mul(2.0) >> relu() >> to(f16)");
  EXPECT_EQ(epilogue_rows(last.epilogue).once.size(), 1U);
  const Contraction back = product("map(it - logsumexp(it, dim=1, keepdim=true)) >> to(f32)");
  EXPECT_TRUE(epilogue_rows(back.epilogue).once.empty());
  EXPECT_EQ(epilogue_rows(back.epilogue).late.size(), 1U);
  // A vector would be read along the columns, where the program means rows.
  EXPECT_FALSE(launch("logsumexp(dim=1) >> add(v)").emitted);
  EXPECT_FALSE(launch("argmax(dim=1)").emitted);
  EXPECT_FALSE(launch("softmax(dim=0) >> to(f32)").emitted);
}

TEST(EpilogueRows, AResultByColumnsIsStoredByHandToo) {
  const Contraction kernel = product("softmax() >> to(f32, col)");
  EXPECT_FALSE(kernel.transposed);
  EXPECT_EQ(epilogue_rows(kernel.epilogue).early, std::vector<size_t>{0});
  EXPECT_TRUE(epilogue_rows(kernel.epilogue).late.empty());
}

// Statistics that are given are tensors like others.
TEST(EpilogueRows, NothingMeetsByGivenStatistics) {
  const Contraction kernel = product("batch_norm(mean=c, var=g) >> to(f32)");
  EXPECT_EQ(kernel.meet, 0);
  EXPECT_FALSE(has_rows(kernel.epilogue));
}

TEST(EpilogueRows, BlocksOfAClusterMeetInSharedMemory) {
  const Contraction kernel = product("softmax() >> to(f32)");
  ContractionConfig config;
  config.tile_m = 128;
  config.tile_n = 256;
  config.tile_k = 64;
  config.cluster_m = 1;
  config.cluster_n = 2;
  config.schedule = ContractionConfig::Schedule::cooperative;
  EXPECT_EQ(blocks_of_row(kernel, config), 2);
  // Two buffers; in each eight warps with a barrier, and from each of two blocks a float of each of 16 rows.
  EXPECT_EQ(meeting_bytes(kernel, config), 2 * 8 * (8 + 2 * 16 * 4));
  const int64_t beside = kernel_shared_bytes(kernel, config);
  config.tile_n = 512;
  EXPECT_EQ(meeting_bytes(kernel, config), 0);
  config.tile_n = 256;
  EXPECT_EQ(kernel_shared_bytes(without_rows(kernel), config) < beside, true);
}

TEST(EpilogueRows, RefusesWhatIsNotGatheredInF32) {
  EXPECT_EQ(epilogue_rows_refuses(product("softmax() >> to(f32)")), "");
  Contraction sums = product("softmax() >> to(f32)");
  sums.accumulate = DType::i32;
  EXPECT_NE(epilogue_rows_refuses(sums), "");
  Contraction places = product("softmax() >> to(f32)");
  for (Node& node : places.epilogue.nodes) node.combine = Combine::argmax;
  EXPECT_NE(epilogue_rows_refuses(places), "");
}

}  // namespace
}  // namespace uc
