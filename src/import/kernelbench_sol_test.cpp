// KernelBench's 250 problems against PyTorch's times of them on one H200 (data/pytorch_h200.jsonl): no time
// lies below the certified bound of the precision that it multiplied in, and the bound is near where PyTorch
// is known to be good.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catalog/builtin.h"
#include "import/importer.h"
#include "sol/sol.h"

namespace uc {
namespace {

using Key = std::pair<int64_t, int64_t>;  // level, id

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

struct Case {
  std::string name;
  CapturedProblem problem;
  nlohmann::json times;
};

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::map<Key, Case> load() {
  std::map<Key, Case> out;
  const std::string data = std::string(UC_SOURCE_DIR) + "/data/";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data + "kernelbench")) {
    if (entry.path().extension() != ".json") continue;
    auto problem = read_problem(text_of(entry.path()), ReadProblem::graph);
    if (!problem) {
      ADD_FAILURE() << entry.path() << ": " << problem.error().message;
      continue;
    }
    const Key key{problem->source.level.value_or(0), problem->source.id.value_or(0)};
    out[key] = {fmt::format("L{}/{}", key.first, key.second), std::move(*problem), {}};
  }
  std::ifstream times(data + "pytorch_h200.jsonl");
  for (std::string line; std::getline(times, line);) {
    const auto row = nlohmann::json::parse(line);
    out[{row["level"], row["id"]}].times = row;
  }
  return out;
}

const std::map<Key, Case>& cases() {
  static const std::map<Key, Case> all = load();
  return all;
}

// What `model.half()` and half inputs make of a problem: conversions that it asks for stay.
CapturedProblem halved(CapturedProblem problem) {
  for (GraphTensor& tensor : problem.graph.tensors) {
    if (tensor.role != TensorRole::value && tensor.dtype == DType::f32) tensor.dtype = DType::f16;
    if (tensor.data) tensor.data->dtype = tensor.dtype;
  }
  return problem;
}

Program program_of(const CapturedProblem& problem) {
  Imported imported = import_for_bounds(catalog(), problem);
  EXPECT_TRUE(imported.ok()) << problem.name;
  return std::move(imported.program);
}

SolReport bounds(const Program& program, Precision precision) {
  SolOptions options;
  options.precision = precision;
  return speed_of_light(catalog(), program, *catalog().device("h200"), options);
}
SolReport bounds(const CapturedProblem& problem, Precision precision) {
  return bounds(program_of(problem), precision);
}

// Under autocast a product's result is f16, and so is what the problem returns unless it asks for f32.
Program with_half_results(Program program) {
  for (const ValueId id : program.results) {
    Value& root = program[program[id].root];
    if (root.dtype == DType::f32) root.dtype = DType::f16;
  }
  return program;
}

double f32_bound_us(const SolReport& report) {
  return std::ranges::find(report.what_if, "f32", &SolWhatIf::math)->certified.total_us;
}

// `columns` of the times in ms, none of which may be below `bound_us`.
void expect_above(const Case& one, double bound_us, std::initializer_list<const char*> columns) {
  for (const char* column : columns) {
    if (!one.times.contains(column)) continue;
    const double us = one.times[column].get<double>() * 1000;
    EXPECT_GE(us, bound_us) << one.name << ' ' << column << " is " << us / bound_us << " x its bound";
  }
}

TEST(KernelBenchSol, HasATimeOfEveryProblem) {
  ASSERT_EQ(cases().size(), 250U);
  for (const auto& [key, one] : cases()) {
    EXPECT_EQ(one.problem.source.suite, "KernelBench") << one.name;
    EXPECT_TRUE(one.times.contains("eager_tf32_ms")) << one.name;
  }
}

// Multiplied as f32 by the FMA units, as tf32, and as f16 with f32 inputs.
TEST(KernelBenchSol, NoTimeOfF32DataIsBelowItsBound) {
  for (const auto& [key, one] : cases()) {
    const SolReport tf32 = bounds(one.problem, Precision::tf32);
    EXPECT_GT(tf32.promised.total_us + tf32.minimum.write_bytes, 0) << one.name;
    expect_above(one, f32_bound_us(tf32), {"eager_fp32_ms"});
    expect_above(one, tf32.certified.total_us, {"eager_tf32_ms", "compile_tf32_ms"});
    if (!one.times.contains("autocast_f16_ms")) continue;
    const SolReport autocast = bounds(with_half_results(program_of(one.problem)), Precision::f16);
    expect_above(one, autocast.certified.total_us, {"autocast_f16_ms", "compile_autocast_f16_ms"});
  }
}

TEST(KernelBenchSol, NoTimeOfHalfDataIsBelowItsBound) {
  for (const auto& [key, one] : cases()) {
    if (!one.times.contains("eager_f16_ms")) continue;
    const SolReport half = bounds(halved(one.problem), Precision::f16);
    expect_above(one, half.certified.total_us, {"eager_f16_ms", "compile_f16_ms"});
  }
}

// A bound of zero is never violated: where PyTorch is good, the best of its times is near.
TEST(KernelBenchSol, BoundIsTightWherePyTorchIsGood) {
  for (const int64_t id : {1, 2, 5, 13, 17, 18, 19, 21, 22, 26, 28, 32, 47, 48}) {
    const Case& one = cases().at({1, id});
    double best = one.times["eager_tf32_ms"];
    for (const char* column : {"eager_fp32_ms", "compile_tf32_ms"}) {
      if (one.times.contains(column)) best = std::min(best, one.times[column].get<double>());
    }
    EXPECT_LE(best * 1000, 1.4 * bounds(one.problem, Precision::tf32).certified.total_us) << one.name;
  }
}

// Figures that were worked out from the problems' texts.
TEST(KernelBenchSol, FiguresByHand) {
  // L1/14: upper times upper triangular, of 4096: row i of the result sums k from i to j: n (n + 1) (n + 2) /
  // 6 multiply-adds. Only the data says so.
  const SolReport triangular = bounds(cases().at({1, 14}).problem, Precision::tf32);
  EXPECT_EQ(triangular.work.dense_flops, 2.0 * 4096 * 4096 * 4096);
  EXPECT_NEAR(triangular.minimum.minimum_flops, 2.0 * 4096 * 4097 * 4098 / 6, 1);
  EXPECT_GT(triangular.promised.total_us, 2 * triangular.certified.total_us);
  // Of any inputs triu takes the upper triangle of the product: n (n + 1) / 2 sums of n, at 4096 / 4 x 2
  // FLOP a clock and SM.
  EXPECT_NEAR(triangular.promised.tensor_us, 4096.0 * 4097 * 4096 / (132 * 2048 * 1980e6) * 1e6, 0.01);
  // L2/14: sum((x W') / 2, dim=1) * 1.5 of x[1024, 8192] is x times the sum of W's rows: 8192 multiply-adds a
  // row. W's sum is made at load, so 33.6 MB of x, 32 KB of it, and 4 KB are moved.
  const SolReport vector = bounds(cases().at({2, 14}).problem, Precision::tf32);
  EXPECT_EQ(vector.work.dense_flops, 2.0 * 1024 * 8192 * 8192);
  EXPECT_LE(vector.minimum.minimum_flops, 2.0 * 1024 * 8192 * 1.01);
  EXPECT_NEAR(vector.promised.total_us, (1024.0 * 8192 + 8192) * 4 / 4.916736e12 * 1e6, 0.1);
}

bool leans_on(const SolReport& report, std::string_view rule) {
  return std::ranges::find(report.rules, rule, &SolRule::id) != report.rules.end();
}

// L2/36 sums 128 numbers that GELU makes 0, and adds one bias: one number at full size, where 16 x 256 of
// them stay in L2, and not at reduced sizes. L2/58 is the other way round: clamp(-1, 1) reaches -1 at reduced
// sizes alone. L2/9 is 0 at both.
TEST(KernelBenchSol, ConstantsAreThoseOfTheFullSize) {
  for (const int64_t id : {36, 9}) {
    const SolReport report = bounds(cases().at({2, id}).problem, Precision::tf32);
    EXPECT_TRUE(leans_on(report, "observed-constant")) << id;
    EXPECT_EQ(report.minimum.minimum_flops, 0) << id;
    EXPECT_EQ(report.minimum.read_bytes, 0) << id;
    EXPECT_EQ(report.certified.total_us, 0) << id;
    EXPECT_GT(report.promised.total_us, 10) << id;
  }
  const SolReport other = bounds(cases().at({2, 58}).problem, Precision::tf32);
  EXPECT_FALSE(leans_on(other, "observed-constant"));
  EXPECT_EQ(other.certified.total_us, other.promised.total_us);
}

// L3/50: linear of 16384 rows, 768 to 2304; of the scores and of their product with the values the lower
// triangles of 16 x 12 matrices of 1024, 64 deep. 57.98 + 2 x 12.90 GFLOP / 535.265 TFLOP/s.
TEST(KernelBenchSol, OnlyTheTriangleOfMaskedScoresIsNeeded) {
  const SolReport report = bounds(cases().at({3, 50}).problem, Precision::tf32);
  const double triangle = 192.0 * (1024.0 * 1025 / 2) * 64 * 2;
  EXPECT_NEAR(report.minimum.minimum_flops, 2.0 * 16384 * 768 * 2304 + 2 * triangle, 1);
  EXPECT_NEAR(report.certified.total_us, 156.5, 0.1);
}

// L2/80: linear, its bias, max, mean, subtraction, GELU. That its result was one number everywhere takes no
// kernel out of what any inputs need.
TEST(KernelBenchSol, LevelsCountTheKernelsOfAnyInputs) {
  const SolReport report = bounds(cases().at({2, 80}).problem, Precision::tf32);
  const auto found = std::ranges::find(report.levels, "unfused", &SolLevel::name);
  ASSERT_NE(found, report.levels.end());
  EXPECT_EQ(found->kernels, 6U);
}

double level(const SolReport& report, std::string_view name) {
  const auto found = std::ranges::find(report.levels, name, &SolLevel::name);
  return found == report.levels.end() ? -1 : found->theoretical_us;
}

TEST(KernelBenchSol, LevelsAreInOrder) {
  constexpr double kRounding = 1 + 1e-12;
  for (const auto& [key, one] : cases()) {
    const SolReport report = bounds(one.problem, Precision::tf32);
    EXPECT_LE(report.certified.total_us, report.promised.total_us * kRounding) << one.name;
    EXPECT_LE(report.certified.total_us, report.calibrated.total_us * kRounding) << one.name;
    EXPECT_EQ(level(report, "fused"), report.certified.total_us) << one.name;
    EXPECT_LE(level(report, "fused"), level(report, "cached") * kRounding) << one.name;
    EXPECT_LE(level(report, "cached"), level(report, "unfused") * kRounding) << one.name;
    EXPECT_LE(level(report, "fused"), level(report, "grouped") * kRounding) << one.name;
    EXPECT_LE(level(report, "grouped"), level(report, "unfused") * kRounding) << one.name;
  }
}

// Bytes alone do not count as covered.
TEST(KernelBenchSol, NearlyEveryOperatorIsCounted) {
  const auto kb59 = nlohmann::json::parse(text_of(std::string(UC_SOURCE_DIR) + "/data/kb59.json"));
  double sum = 0;
  size_t of_kb59 = 0;
  for (const auto& [key, one] : cases()) {
    const double coverage = bounds(one.problem, Precision::tf32).coverage;
    sum += coverage;
    const auto ids = kb59["levels"][std::to_string(key.first)].get<std::vector<int64_t>>();
    if (std::ranges::find(ids, key.second) == ids.end()) continue;
    ++of_kb59;
    EXPECT_EQ(coverage, 1.0) << one.name;
  }
  EXPECT_EQ(of_kb59, 59U);
  EXPECT_GE(sum / static_cast<double>(cases().size()), 0.98);
}

}  // namespace
}  // namespace uc
