// PyTorch's times on one H200 (PyTorch 2.11; milliseconds) for KernelBench problems: none may lie below the
// certified bound of the precision that it multiplied in. Times of `model.half()` are held against the
// problem with f16 data.
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "catalog/builtin.h"
#include "check/resolve.h"
#include "sol/sol.h"
#include "syntax/parser.h"

namespace uc {
namespace {

struct Measured {
  const char* problem;
  double flops;         ///< by hand, see the comment of each row
  const char* program;  ///< {t}: the type of its data
  double fp32, tf32, compiled_tf32, half, compiled_half, autocast, compiled_autocast;
};

constexpr std::array<Measured, 17> kMeasured{{
    // 2 x 4096^3 = 137.4 GFLOP
    {"L1/1", 137438953472.0, "input a: {t}[4096, 4096]\ninput b: {t}[4096, 4096]\nc = gemm(a, b)\nreturn c\n",
     2.75917, 0.35123, 0.34237, 0.1724, 0.17259, 0.21998, 0.35355},
    // 2 x 2048 x 8192 x 4096 = 137.4 GFLOP
    {"L1/2", 137438953472.0, "input a: {t}[2048, 8192]\ninput b: {t}[8192, 4096]\nc = gemm(a, b)\nreturn c\n",
     2.67302, 0.31986, 0.32019, 0.16805, 0.16842, 0.23885, 0.36389},
    // 128 x 2 x 512 x 1024 x 2048 = 274.9 GFLOP; f32: 268 + 1074 MB read, 537 written
    {"L1/3", 274877906944.0,
     "input a: {t}[128, 512, 1024]\ninput b: {t}[128, 1024, 2048]\nc = gemm(a, b)\nreturn c\n", 5.33147,
     0.81749, 0.87552, 0.38422, 0.47136, 0.8339, 0.94266},
    // 2 x 16384 x 2048 x 768 = 51.5 GFLOP; f32: 134 + 6 MB read, 50 written
    {"L1/10", 51539607552.0,
     "input a: {t}[16, 1024, 2048]\ninput b: {t}[2048, 768]\nc = gemm(a, b)\nreturn c\n", 1.0439, 0.15888,
     0.16064, 0.06942, 0.06941, 0.12254, 0.24222},
    // as L1/2, A transposed
    {"L1/16", 137438953472.0,
     "input a: {t}[8192, 2048]\ninput b: {t}[8192, 4096]\nc = gemm(transpose(a), b)\nreturn c\n", 2.61662,
     0.51597, 0.52475, 0.16846, 0.19584, 0.30978, 0.47427},
    // as L1/2, B transposed
    {"L1/17", 137438953472.0,
     "input a: {t}[2048, 8192]\ninput b: {t}[4096, 8192]\nc = gemm(a, transpose(b))\nreturn c\n", 2.68438,
     0.31523, 0.31643, 0.16928, 0.18453, 0.31688, 0.46848},
    // as L1/2, both transposed
    {"L1/18", 137438953472.0,
     "input a: {t}[8192, 2048]\ninput b: {t}[4096, 8192]\nc = gemm(transpose(a), transpose(b))\nreturn c\n",
     2.76794, 0.31942, 0.31978, 0.16858, 0.16837, 0.2384, 0.34213},
    // 2 x 1024 x 8192 x 8192 = 137.4 GFLOP; 268 MB of f32 weights
    {"L2/12", 137438953472.0,
     "input x: {t}[1024, 8192]\nparam W: {t}[8192, 8192]\nparam b: {t}[8192]\ny = linear(x, W) >> bias(b) >> "
     "mul(2.0) >> leaky_relu(0.1) >> to({t})\nreturn y\n",
     2.81155, 0.38958, 0.47576, 0.19422, 0.20266, 0.31045, 0.34085},
    // 2 x 1024 x 8192 x 8192 = 137.4 GFLOP; 268 MB of f32 weights
    {"L2/29", 137438953472.0,
     "input x: {t}[1024, 8192]\nparam W: {t}[8192, 8192]\nparam b: {t}[8192]\ny = linear(x, W) >> bias(b) >> "
     "mish() >> mish() >> to({t})\nreturn y\n",
     2.72389, 0.37616, 0.39387, 0.21136, 0.37182, 0.3164, 0.4499},
    // 2 x 16384 x 4096 x 4096 = 549.8 GFLOP
    {"L2/40", 549755813888.0,
     "input x: {t}[16384, 4096]\nparam W: {t}[4096, 4096]\nparam b: {t}[4096]\ny = linear(x, W) >> bias(b) "
     ">> map(it * 0.5 + it) >> to({t})\nreturn y\n",
     11.48795, 1.88899, 1.68909, 1.00848, 0.782, 1.07251, 1.00637},
    // 2 x 2048 x 8192 x 8192 = 274.9 GFLOP
    {"L2/53", 274877906944.0,
     "input x: {t}[2048, 8192]\nparam W: {t}[8192, 8192]\nparam b: {t}[8192]\ny = linear(x, W) >> bias(b) >> "
     "mul(0.5) >> clamp(-2.0, 2.0) >> gelu() >> to({t})\nreturn y\n",
     5.47816, 0.76984, 0.71312, 0.40672, 0.4721, 0.54818, 0.5857},
    // 2 x 1024 x 8192 x 8192 = 137.4 GFLOP; 268 MB of f32 weights
    {"L2/63", 137438953472.0,
     "input x: {t}[1024, 8192]\nparam W: {t}[8192, 8192]\nparam b: {t}[8192]\ny = linear(x, W) >> bias(b) >> "
     "relu() >> mul(0.5) >> to({t})\nreturn y\n",
     2.72035, 0.36536, 0.36754, 0.19275, 0.1959, 0.33349, 0.45494},
    // 2 x 1024 x 8192 x 8192 = 137.4 GFLOP; 268 MB of f32 weights
    {"L2/70", 137438953472.0,
     "input x: {t}[1024, 8192]\nparam W: {t}[8192, 8192]\nparam b: {t}[8192]\ny = linear(x, W) >> bias(b) >> "
     "map(it + 2.0 * sigmoid(it)) >> to({t})\nreturn y\n",
     2.85072, 0.40653, 0.43773, 0.20574, 0.2957, 0.31155, 0.32594},
    // 2 x 1024 x 8192 x 8192 = 137.4 GFLOP; 268 MB of f32 weights
    {"L2/76", 137438953472.0,
     "input x: {t}[1024, 8192]\nparam W: {t}[8192, 8192]\nparam b: {t}[8192]\ny = linear(x, W) >> bias(b) >> "
     "relu() >> to({t})\nreturn y\n",
     2.79869, 0.40578, 0.47782, 0.20549, 0.18819, 0.33136, 0.35898},
    // 2 x 1024 x 8192 x 8192 = 137.4 GFLOP; 268 MB of f32 weights
    {"L2/81", 137438953472.0,
     "input x: {t}[1024, 8192]\nparam W: {t}[8192, 8192]\nparam b: {t}[8192]\ny = linear(x, W) >> bias(b) >> "
     "silu() >> mul(0.5) >> clamp(-1.0, 1.0) >> tanh() >> clamp(-1.0, 1.0) >> to({t})\nreturn y\n",
     2.79814, 0.44397, 0.44328, 0.23011, 0.19766, 0.3433, 0.39558},
    // 2 x 1024 x 8192 x 8192 = 137.4 GFLOP; 268 MB of f32 weights
    {"L2/86", 137438953472.0,
     "input x: {t}[1024, 8192]\nparam W: {t}[8192, 8192]\nparam b: {t}[8192]\ny = linear(x, W) >> bias(b) >> "
     "mul(0.1) >> gelu() >> to({t})\nreturn y\n",
     2.74877, 0.38483, 0.47571, 0.20258, 0.29238, 0.30693, 0.38787},
    // 2 x 1024 x 8192 x 8192 = 137.4 GFLOP; 268 MB of f32 weights
    {"L2/95", 137438953472.0,
     "input x: {t}[1024, 8192]\nparam W: {t}[8192, 8192]\nparam b: {t}[8192]\nparam e: {t}[8192]\ny = "
     "linear(x, W) >> bias(b) >> add(e) >> silu() >> tanh() >> gelu() >> clamp(-1.0, 1.0) >> to({t})\nreturn "
     "y\n",
     2.80915, 0.45198, 0.52242, 0.26941, 0.23798, 0.43414, 0.4147},
}};

double certified_ms(const Measured& row, std::string_view type, std::string_view precision) {
  static const Catalog catalog = builtin_catalog();
  const std::string source =
      fmt::format("target sm_90a\nprecision {}\n", precision) + replace_all(row.program, "{t}", type);
  DiagSink diags;
  const Program program = resolve(catalog, parse(source, diags), diags);
  for (const Diag& diag : diags.diags())
    ADD_FAILURE() << row.problem << ' ' << diag.id << ": " << diag.message << "\n" << source;
  const SolReport report = speed_of_light(catalog, program, *catalog.device("h200"));
  EXPECT_EQ(report.work.dense_flops, row.flops) << row.problem;
  EXPECT_EQ(report.coverage, 1.0) << row.problem;
  EXPECT_LE(report.levels.at(0).theoretical_us, report.levels.at(1).theoretical_us) << row.problem;
  EXPECT_LE(report.levels.at(1).theoretical_us, report.levels.at(3).theoretical_us) << row.problem;
  return report.certified.total_us / 1000;
}

class SolMeasured : public ::testing::TestWithParam<Measured> {};

TEST_P(SolMeasured, NoTimeIsBelowTheCertifiedBound) {
  const Measured& row = GetParam();
  EXPECT_GE(row.fp32, certified_ms(row, "f32", "strict"));
  const double tf32 = certified_ms(row, "f32", "tf32");
  EXPECT_GE(row.tf32, tf32);
  EXPECT_GE(row.compiled_tf32, tf32);
  const double half = certified_ms(row, "f16", "f16");
  EXPECT_GE(row.half, half);
  EXPECT_GE(row.compiled_half, half);
  const double autocast = certified_ms(row, "f32", "f16");
  EXPECT_GE(row.autocast, autocast);
  EXPECT_GE(row.compiled_autocast, autocast);
}

// A bound of zero is never violated: where PyTorch is good, its best time is near.
TEST_P(SolMeasured, BoundIsTightWherePyTorchIsGood) {
  const Measured& row = GetParam();
  const std::string problem = row.problem;
  if (problem != "L1/1" && problem != "L1/2" && problem != "L1/17" && problem != "L1/18") return;
  EXPECT_LE(std::min(row.tf32, row.compiled_tf32), 1.4 * certified_ms(row, "f32", "tf32")) << problem;
  EXPECT_LE(std::min(row.half, row.compiled_half), 1.4 * certified_ms(row, "f16", "f16")) << problem;
}

INSTANTIATE_TEST_SUITE_P(KernelBench, SolMeasured, ::testing::ValuesIn(kMeasured),
                         [](const auto& test) { return replace_all(test.param.problem, "/", "_"); });

}  // namespace
}  // namespace uc
