// What attention becomes: the kernel's views and expressions, its tile over warps and memory, and what its
// model prefers. No number here is a measurement.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/attention_model.h"
#include "plan/attention_tiles.h"
#include "plan/choose.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

struct Lowered {
  Program program;
  Launch launch;
  const Attention& kernel() const { return std::get<Attention>(launch.kernel); }
};

Lowered lowered(const std::string& body, std::string_view header = "") {
  DiagSink diags;
  Program program =
      resolve(catalog(), parse(fmt::format("target sm_90a\n{}{}\nreturn o\n", header, body), diags), diags);
  const std::vector<Launch> launches = lower(catalog(), program, diags);
  EXPECT_EQ(launches.size(), 1U) << body;
  return {std::move(program), launches.at(0)};
}

std::string operands(int64_t queries, int64_t keys, int64_t features, std::string_view type = "f16") {
  return fmt::format(
      "input q: {3}[2, 4, {0}, {2}]\ninput k: {3}[2, 4, {1}, {2}]\ninput v: {3}[2, 4, {1}, {2}]\n", queries,
      keys, features, type);
}

AttentionTiles tiles(const Lowered& given, int64_t m, int64_t n, int64_t stages = 1) {
  return attention_tiles(given.kernel(), {m, n, stages});
}

TEST(AttentionLowering, SeesPositionsBeforeHeadsThroughStrides) {
  const Lowered given = lowered(
      "input qkv: f16[2, 200, 576]\nq, k, v = unbind(reshape(qkv, [2, 200, 3, 2, 96]), dim=2)\n"
      "o = attention(q, k, v, layout=bshd, causal=true)");
  const Attention& kernel = given.kernel();
  EXPECT_EQ(kernel.k.shape, (Shape{2, 2, 200, 96}));
  EXPECT_EQ(kernel.k.stride, (Strides{200 * 576, 96, 576, 1}));
  EXPECT_EQ(kernel.v.offset, 384);
  EXPECT_TRUE(kernel.causal);
  EXPECT_TRUE(kernel.softmax);
  ASSERT_EQ(kernel.epilogue.effects.size(), 1U);
  const View& out = kernel.epilogue.views[kernel.epilogue.effects[0].view];
  EXPECT_EQ(out.shape, (Shape{2, 2, 200, 96}));
  EXPECT_EQ(out.stride, (Strides{200 * 192, 96, 192, 1}));
}

TEST(AttentionLowering, KeepsMaskApartFromScore) {
  const Lowered given = lowered(operands(64, 96, 32) +
                                "input seen: bool[2, 1, 1, 96]\ninput c: f32[4, 1, 1]\n"
                                "o = attention(q, k, v, mask=seen, scale=1, norm=none, score=relu(it) * c) "
                                ">> to(f32)");
  const Attention& kernel = given.kernel();
  EXPECT_FALSE(kernel.softmax);
  EXPECT_EQ(kernel.scale, 1.0);
  ASSERT_TRUE(kernel.seen);
  EXPECT_EQ(kernel.score.nodes[kernel.seen.index()].kind, Node::Kind::tensor);
  EXPECT_EQ(kernel.score.nodes[kernel.weight.index()].kind, Node::Kind::call);
  EXPECT_EQ(kernel.score.views.size(), 2U);
}

TEST(AttentionTiles, CopiesAsWideAsRowsAreAligned) {
  EXPECT_EQ(tiles(lowered(operands(64, 64, 64) + "o = attention(q, k, v)"), 64, 64).k_bytes, 16);
  EXPECT_EQ(tiles(lowered(operands(64, 64, 20) + "o = attention(q, k, v)"), 64, 64).k_bytes, 8);
  EXPECT_EQ(tiles(lowered(operands(64, 64, 37) + "o = attention(q, k, v)"), 64, 64).k_bytes, 0);
  const Lowered columns = lowered(
      "input q: f16[2, 2, 64, 64]\ninput kt: f16[2, 2, 64, 96]\ninput v: f16[2, 2, 96, 64]\n"
      "o = attention(q, transpose(kt), v)");
  EXPECT_EQ(tiles(columns, 64, 64).q_bytes, 16);
  EXPECT_EQ(tiles(columns, 64, 64).k_bytes, 0);
}

// Rows of 64 f16 features are 128 bytes and 16 to part them: 128 queries, and 64 keys and values a stage.
TEST(AttentionTiles, CountMemoryAndRegisters) {
  const Lowered given = lowered(operands(512, 512, 64) + "o = attention(q, k, v)");
  const AttentionTiles two = tiles(given, 128, 64, 2);
  EXPECT_EQ(two.shared(), 128 * 144 + 2 * 2 * 64 * 144);
  EXPECT_EQ(two.row_tiles, 2);
  EXPECT_EQ(two.threads(), 128);
  EXPECT_EQ(two.held(), 2 * (64 + 64) / 2);  // of 32 queries, by 32 lanes
  EXPECT_EQ(tiles(given, 64, 64).threads(), 128);
}

TEST(AttentionTiles, ShareWideValues) {
  const Lowered wide = lowered(operands(64, 64, 1024) + "o = attention(q, k, v)");
  EXPECT_EQ(tiles(wide, 64, 32).slices, 4);
  EXPECT_EQ(tiles(wide, 64, 32).value, 256);
  EXPECT_EQ(tiles(wide, 64, 32).dim, 1024);
  const Lowered uneven = lowered(operands(64, 64, 521) + "o = attention(q, k, v)");  // a prime
  EXPECT_EQ(tiles(uneven, 64, 32).slices, 0);
  std::string why;
  EXPECT_EQ(backend_for(catalog(), uneven.launch, *catalog().device("h200"), &why), nullptr);
  EXPECT_NE(why.find("521"), std::string::npos) << why;
}

std::vector<RankedConfig> ranked(const Lowered& given) {
  return rank_configs(catalog(), given.program, given.launch, *catalog().device("h200"), 100);
}

TEST(AttentionModel, HasChoicesForAllFeatures) {
  for (const int64_t features : {16, 37, 64, 96, 128, 192, 256, 320, 512, 1024}) {
    EXPECT_FALSE(ranked(lowered(operands(512, 512, features) + "o = attention(q, k, v)")).empty())
        << features;
    const Lowered single =
        lowered(operands(512, 512, features, "f32") + "o = attention(q, k, v)", "precision tf32\n");
    EXPECT_EQ(single.kernel().math, Math::tf32);
    EXPECT_FALSE(ranked(single).empty()) << features;
  }
}

TEST(AttentionModel, HalvesWhatIsCausal) {
  const auto time = [](std::string_view causal) {
    const Lowered given = lowered(operands(8192, 8192, 64) + fmt::format("o = attention(q, k, v{})", causal));
    return ranked(given).at(0).estimate.total_us;
  };
  const double share = time(", causal=true") / time("");
  EXPECT_GT(share, 0.45);
  EXPECT_LT(share, 0.65);
}

TEST(AttentionModel, FillsTheDeviceWhereQueriesAreFew) {
  const auto best = ranked(lowered(operands(256, 256, 64) + "o = attention(q, k, v)")).at(0);
  EXPECT_LE(std::get<AttentionConfig>(best.config).tile_m, 64);
}

// f32 data that must lose nothing is three products.
TEST(AttentionModel, MultipliesStrictDataInThreeProducts) {
  Lowered given = lowered(operands(128, 128, 64, "f32") + "o = attention(q, k, v)");
  std::vector<Launch> launches{given.launch};
  choose_math(catalog(), given.program, launches, *catalog().device("h200"));
  EXPECT_EQ(std::get<Attention>(launches[0].kernel).math, Math::tf32x3);
}

}  // namespace
}  // namespace uc
