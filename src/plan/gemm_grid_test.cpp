// The model against a grid of kernels measured on one H200 (bench/results/h200_gemm_grid_f16.json): what its
// choices cost. Most constants were fitted to every other size and held against the rest; those of boxes
// outside of operands, of clusters' meeting and of short runs were chosen among three to five values each
// over all sizes, and the choice for each size is the same when that size is left out.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/gemm_choices.h"
#include "plan/gemm_model.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

const nlohmann::json& grid() {
  static const nlohmann::json all =
      nlohmann::json::parse(std::ifstream(UC_SOURCE_DIR "/bench/results/h200_gemm_grid_f16.json"));
  return all;
}

// The kernel of `linear` at the shape with the knobs.
Launch launch(const nlohmann::json& shape, const std::string& knobs) {
  const auto extent = [&](const char* name) { return std::to_string(shape[name].get<int64_t>()); };
  const std::string source = "target sm_90a\ninput x: f16[" + extent("m") + ", " + extent("k") +
                             "]\ninput W: f16[" + extent("n") + ", " + extent("k") + "]\ny = linear(x, W)" +
                             knobs + "\nreturn y\n";
  DiagSink diags;
  const Program program = resolve(catalog(), parse(source, diags), diags);
  return lower(catalog(), program, diags).at(0);
}

struct Member {
  size_t kernel;
  std::string tile;  // and schedule
  double us;         // measured
  double modelled;
};

std::vector<Member> members(const nlohmann::json& shape) {
  std::vector<Launch> kernels;
  for (const nlohmann::json& knobs : grid()["kernels"]) kernels.push_back(launch(shape, knobs));
  std::vector<Member> out;
  for (const nlohmann::json& row : shape["grid"]) {
    if (row[3].get<double>() <= 0) continue;
    Launch each = kernels.at(row[0].get<size_t>());
    auto& config = std::get<ContractionConfig>(each.config);
    config.raster = static_cast<ContractionConfig::Raster>(row[1].get<int>());
    config.swizzle = row[2].get<int64_t>();
    out.push_back({.kernel = row[0].get<size_t>(),
                   .tile = std::to_string(config.tile_m) + "x" + std::to_string(config.tile_n) +
                           std::string(name(config.schedule)),
                   .us = row[3].get<double>(),
                   .modelled = gemm_model(each, *catalog().device("h200")).total_us});
  }
  std::ranges::stable_sort(out, {}, &Member::modelled);
  return out;
}

/// The best of the grid over what is reached by measuring the model's first `count` kernels.
double reached(const std::vector<Member>& ranked, size_t count) {
  double best = ranked.front().us;
  double tried = best;
  std::vector<size_t> kernels;
  std::vector<std::string> tiles;
  for (const Member& each : ranked) {
    best = std::min(best, each.us);
    if (kernels.size() == count || std::ranges::find(kernels, each.kernel) != kernels.end()) continue;
    if (std::cmp_equal(std::ranges::count(tiles, each.tile), gemm_choices::kClustersPerTile)) continue;
    kernels.push_back(each.kernel);
    tiles.push_back(each.tile);
    tried = std::min(tried, each.us);
  }
  return best / tried;
}

/// Of the members within 1.5 times the best: how far the model is from the time, but for one factor a shape
/// (how hot the GPU ran).
double error(const std::vector<Member>& ranked) {
  const double best = std::ranges::min(ranked, {}, &Member::us).us;
  std::vector<double> logs;
  for (const Member& each : ranked) {
    if (each.us < 1.5 * best) logs.push_back(std::log(each.modelled / each.us));
  }
  std::ranges::sort(logs);
  const double middle = logs[logs.size() / 2];
  double sum = 0;
  for (const double each : logs) sum += std::abs(each - middle);
  return sum / static_cast<double>(logs.size());
}

struct Quality {
  double one = 0, eight = 0, error = 0;  // means
  double least = 1;                      // of eight
  size_t good = 0, count = 0;
};

// Of every other shape.
Quality quality(size_t first) {
  Quality out;
  const nlohmann::json& shapes = grid()["shapes"];
  for (size_t i = first; i < shapes.size(); i += 2) {
    const std::vector<Member> ranked = members(shapes[i]);
    const double eight = reached(ranked, 8);
    out.one += reached(ranked, 1);
    out.eight += eight;
    out.error += error(ranked);
    out.least = std::min(out.least, eight);
    out.good += eight >= 0.95 ? 1 : 0;
    ++out.count;
  }
  const auto count = static_cast<double>(out.count);
  out.one /= count;
  out.eight /= count;
  out.error /= count;
  std::printf(
      "  first choice %.3f of the best, best of eight %.3f (least %.3f, %zu of %zu at 0.95), error %.1f %%\n",
      out.one, out.eight, out.least, out.good, out.count, 100 * out.error);
  return out;
}

TEST(GemmGrid, EightChoicesHoldTheBestOfSizesThatItWasFittedTo) {
  const Quality found = quality(0);
  EXPECT_GT(found.one, 0.94);
  EXPECT_GT(found.eight, 0.98);
  EXPECT_GT(found.least, 0.95);
  EXPECT_LT(found.error, 0.10);
}

TEST(GemmGrid, EightChoicesHoldTheBestOfHeldOutSizes) {
  const Quality found = quality(1);
  ASSERT_EQ(found.count, 19U);
  EXPECT_GT(found.one, 0.93);
  EXPECT_GT(found.eight, 0.975);
  EXPECT_GT(found.least, 0.92);
  EXPECT_LT(found.error, 0.11);
}

// Over all sizes, as geometric means: what a program gets that lets the model choose, and what a search that
// measures eight gets.
TEST(GemmGrid, FirstChoicesAreNearTheBest) {
  double one = 0;
  double eight = 0;
  const nlohmann::json& shapes = grid()["shapes"];
  for (const nlohmann::json& shape : shapes) {
    const std::vector<Member> ranked = members(shape);
    one += std::log(reached(ranked, 1));
    eight += std::log(reached(ranked, 8));
  }
  const auto count = static_cast<double>(shapes.size());
  std::printf("  first choice %.3f of the best, best of eight %.3f\n", std::exp(one / count),
              std::exp(eight / count));
  EXPECT_GE(std::exp(one / count), 0.95);
  EXPECT_GE(std::exp(eight / count), 0.97);
}

// A few tokens at a time: rows that fill a quarter or half of the lowest tile.
TEST(GemmGrid, FirstChoicesOfFewRowsAreNearTheBest) {
  size_t count = 0;
  for (const nlohmann::json& shape : grid()["shapes"]) {
    if (shape["m"].get<int64_t>() > 64) continue;
    EXPECT_GT(reached(members(shape), 1), 0.82) << shape["m"] << "x" << shape["n"] << "x" << shape["k"];
    ++count;
  }
  EXPECT_EQ(count, 5U);
}

}  // namespace
}  // namespace uc
