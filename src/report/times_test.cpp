#include "report/times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/recorded_times.h"

namespace uc {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text) {
  const auto read = read_times(text, "t.jsonl");
  return read ? "no error" : read.error().message;
}

TEST(Times, ALineIsOneTime) {
  const auto read = read_times(
      R"({"problem": "level1/1_x", "time_ms": 0.5, "precision": "f16", "series": "mine", "what": "v2",
 "device": "h100", "date": "2026-03-01", "kind": "modelled", "own_io": false})"
      "\n\n"
      R"({"problem": "y", "time_us": 7})",
      "t.jsonl");
  ASSERT_FALSE(read);  // an object over two lines
  const auto good = read_times(
      R"({"problem": "level1/1_x", "time_ms": 0.5, "precision": "f16", "series": "mine", "what": "v2", "device": "h100", "date": "2026-03-01", "kind": "modelled", "own_io": false})"
      "\n\n"
      R"({"problem": "y", "time_us": 7})",
      "t.jsonl");
  ASSERT_TRUE(good) << good.error().message;
  ASSERT_EQ(good->size(), 2u);
  const ProblemTime& first = good->front();
  EXPECT_DOUBLE_EQ(first.time_us, 500);
  EXPECT_EQ(first.precision, Precision::f16);
  EXPECT_EQ(first.series, "mine");
  EXPECT_EQ(first.device, "h100");
  EXPECT_EQ(first.date, "2026-03-01");
  EXPECT_TRUE(first.modelled);
  EXPECT_FALSE(first.own_io);
  const ProblemTime& second = good->back();
  EXPECT_DOUBLE_EQ(second.time_us, 7);
  EXPECT_EQ(second.series, "PyTorch");
  EXPECT_EQ(second.precision, Precision::tf32);
  EXPECT_FALSE(second.modelled);
  EXPECT_TRUE(second.own_io);
}

TEST(Times, EachMistakeIsNamedWithItsLine) {
  EXPECT_THAT(error_of(""), HasSubstr("t.jsonl holds no time"));
  EXPECT_THAT(error_of("\n[1]"), HasSubstr("t.jsonl:2: this is no JSON object"));
  EXPECT_THAT(error_of("{"), HasSubstr("t.jsonl:1: this is no JSON object"));
  EXPECT_THAT(error_of(R"({"time_ms": 1})"), HasSubstr("no `problem`"));
  EXPECT_THAT(error_of(R"({"problem": 3, "time_ms": 1})"), HasSubstr("`problem` is no text"));
  EXPECT_THAT(error_of(R"({"problem": "", "time_ms": 1})"), HasSubstr("`problem` is empty"));
  EXPECT_THAT(error_of(R"({"problem": "x"})"), HasSubstr("either `time_ms` or `time_us`"));
  EXPECT_THAT(error_of(R"({"problem": "x", "time_ms": 1, "time_us": 1})"), HasSubstr("either"));
  EXPECT_THAT(error_of(R"({"problem": "x", "time_ms": 0})"), HasSubstr("no number from 1e-06 to 1e+09"));
  EXPECT_THAT(error_of(R"({"problem": "x", "time_ms": -1})"), HasSubstr("no number from 1e-06 to 1e+09"));
  EXPECT_THAT(error_of(R"({"problem": "x", "time_ms": "1"})"), HasSubstr("no number from 1e-06 to 1e+09"));
  EXPECT_THAT(error_of(R"({"problem": "x", "time_ms": 1, "precision": "f12"})"), HasSubstr("`precision`"));
  EXPECT_THAT(error_of(R"({"problem": "x", "time_ms": 1, "kind": "guessed"})"), HasSubstr("`kind`"));
  EXPECT_THAT(error_of(R"({"name": "x", "level": "1"})"), HasSubstr("`level` is no number"));
  EXPECT_THAT(error_of(R"({"name": "x", "level": 1})"), HasSubstr("there is no time"));
}

TEST(Times, ARecordedRowHasATimeAColumn) {
  const auto read = read_times(
      R"({"level": 2, "id": 76, "name": "76_Gemm", "eager_fp32_ms": 2.8, "compile_f16_ms": 0.2, "eager_f16_ms": null})",
      "t.jsonl");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->front().problem, "level2/76_Gemm");
  EXPECT_EQ(read->front().what, "eager");
  EXPECT_EQ(read->front().precision, Precision::strict);
  EXPECT_EQ(read->front().device, "h200");
  EXPECT_EQ(read->back().what, "compile_whole_16");
  EXPECT_FALSE(read->back().own_io);
}

// torch.matmul of f32 tensors under autocast gives f16: KernelBench L1/7 writes 2.1 GB then, not 4.3.
TEST(Times, AutocastDoesNotKeepTheTypesOfResults) {
  const auto read =
      read_times(R"({"level": 1, "name": "7_x", "eager_tf32_ms": 2, "autocast_f16_ms": 0.78})", "t.jsonl");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->front().own_io);
  EXPECT_EQ(read->back().what, "eager_autocast");
  EXPECT_FALSE(read->back().own_io);
}

TEST(Times, WhatShipsIsRead) {
  const auto read = read_times(recorded_times(), kRecordedSource);
  ASSERT_TRUE(read) << read.error().message;
  // 250 problems have both eager columns.
  size_t tf32 = 0;
  for (const ProblemTime& each : *read) tf32 += each.what == "eager_tf32" ? 1 : 0;
  EXPECT_EQ(tf32, 250u);
}

TEST(Times, ALicenceAllowsWhatIsMoreAccurate) {
  EXPECT_TRUE(within_licence(Precision::strict, Precision::tf32));
  EXPECT_TRUE(within_licence(Precision::tf32, Precision::tf32));
  EXPECT_FALSE(within_licence(Precision::f16, Precision::tf32));
  EXPECT_FALSE(within_licence(Precision::f16, Precision::bf16));
  EXPECT_FALSE(within_licence(Precision::bf16, Precision::f16));
  EXPECT_TRUE(within_licence(Precision::tf32, Precision::bf16));
}

TEST(Times, ProblemsAreNamedWithOrWithoutFolders) {
  EXPECT_TRUE(names_problem("level1/1_x", "level1/1_x"));
  EXPECT_TRUE(names_problem("1_x", "level1/1_x"));
  EXPECT_TRUE(names_problem("level1/1_x", "1_x"));
  EXPECT_FALSE(names_problem("1_x", "level1/11_x"));
  EXPECT_FALSE(names_problem("level2/1_x", "level1/1_x"));
  EXPECT_FALSE(names_problem("", "level1/1_x"));
  EXPECT_FALSE(names_problem("level1/1_x", ""));
}

}  // namespace
}  // namespace uc
