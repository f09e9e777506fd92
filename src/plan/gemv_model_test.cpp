// What is asked of the ranking of contractions with few rows: memory decides, and slices come in where lines
// are few. No number here is a measurement.
#include "plan/gemv_model.h"

#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/choose.h"
#include "plan/gemv_shape.h"
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
};

Lowered lowered(const std::string& body) {
  DiagSink diags;
  Program program = resolve(catalog(), parse("target sm_90a\n" + body + "\nreturn y\n", diags), diags);
  const std::vector<Launch> launches = lower(catalog(), program, diags);
  EXPECT_EQ(launches.size(), 1U) << body;
  return {std::move(program), launches.at(0)};
}

const Contraction& kernel(const Lowered& given) { return std::get<Contraction>(given.launch.kernel); }

GemvShape shape(const std::string& body) { return GemvShape(kernel(lowered(body))); }

RankedConfig best(const std::string& body) {
  const Lowered given = lowered(body);
  return rank_configs(catalog(), given.program, given.launch, *catalog().device("h200"), 1).at(0);
}

TEST(GemvShape, IsReadAsItLies) {
  const GemvShape weights = shape("input x: f16[3, 4096]\ninput w: f16[1000, 4096]\ny = linear(x, w)");
  EXPECT_FALSE(weights.long_is_a);
  EXPECT_TRUE(weights.along_k);
  EXPECT_TRUE(weights.short_vector);
  EXPECT_EQ(weights.lines, 1000);
  EXPECT_EQ(weights.vector, 8);
  EXPECT_EQ(weights.thread_shorts, 4);
  const GemvShape columns = shape("input x: f16[8, 640]\ninput w: f16[640, 1000]\ny = gemm(x, w)");
  EXPECT_FALSE(columns.along_k);
  EXPECT_EQ(columns.thread_lines, 8);
  const GemvShape vector = shape("input a: f32[2048, 1002]\ninput x: f32[1002, 1]\ny = gemm(a, x)");
  EXPECT_TRUE(vector.long_is_a);
  EXPECT_EQ(vector.vector, 2);  // rows start at multiples of 8 bytes
}

TEST(GemvShape, CountsBlocks) {
  const Lowered rows = lowered("input x: f16[1, 4096]\ninput w: f16[1000, 4096]\ny = linear(x, w)");
  // 512 vectors for 256 lanes: four lines a block.
  EXPECT_EQ(GemvShape(kernel(rows)).blocks(kernel(rows), 1), 250);
  // 64 vectors of a slice for 64 lanes: sixteen lines a block, eight slices.
  EXPECT_EQ(GemvShape(kernel(rows)).blocks(kernel(rows), 8), 63 * 8);
  const Lowered columns = lowered("input x: f16[1, 4096]\ninput w: f16[4096, 1000]\ny = gemm(x, w)");
  EXPECT_EQ(GemvShape(kernel(columns)).blocks(kernel(columns), 3), 16 * 3);  // 64 lines a block
}

TEST(GemvModel, OneRowIsAsFastAsMemory) {
  const RankedConfig one = best("input x: f16[1, 8192]\ninput w: f16[8192, 8192]\ny = linear(x, w)");
  EXPECT_EQ(one.backend->id, "cuda.gemv");
  const double least = 2.0 * 8192 * 8192 / (catalog().device("h200")->dram_bytes_per_second() / 1e6);
  EXPECT_GT(one.estimate.total_us, least);
  EXPECT_LT(one.estimate.total_us, 1.5 * least);
  const RankedConfig many = best("input x: f16[64, 8192]\ninput w: f16[8192, 8192]\ny = linear(x, w)");
  EXPECT_NE(many.backend->id, "cuda.gemv");
}

TEST(GemvModel, FewLinesAreCutAlongK) {
  const auto config = [](const std::string& body) { return std::get<ContractionConfig>(best(body).config); };
  EXPECT_GT(config("input a: f32[16, 1048576]\ninput x: f32[1048576, 1]\ny = gemm(a, x)").split, 8);
  EXPECT_EQ(config("input a: f32[16384, 1024]\ninput x: f32[1024, 1]\ny = gemm(a, x)").split, 1);
}

TEST(GemvModel, KeepsWhatIsGiven) {
  const std::string head = "input x: f16[2, 4096]\ninput w: f16[512, 4096]\ny = linear(x, w).backend(cuda)";
  const auto config = [&head](const std::string& knobs) {
    return std::get<ContractionConfig>(best(head + knobs).config);
  };
  EXPECT_EQ(config(".split(5)").split, 5);
  EXPECT_EQ(config(".split(1)").split, 1);
  EXPECT_GT(config(".scheduler(split_k)").split, 0);
}

}  // namespace
}  // namespace uc
