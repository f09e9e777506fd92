// The models of convolutions against layers measured on one H200 (bench/results/h200_conv_layers.json): the
// back end that they choose, and how near their times are.
#include <algorithm>
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "catalog/builtin.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "plan/choose.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

const nlohmann::json& measured() {
  static const nlohmann::json all =
      nlohmann::json::parse(std::ifstream(UC_SOURCE_DIR "/bench/results/h200_conv_layers.json"));
  return all["layers"];
}

struct Chosen {
  std::string backend;  // id of its row
  double us = 0;        // modelled
};

// The convolution of a program alone, as it is served; nothing where it is another kernel.
std::optional<Chosen> chosen(const std::string& source) {
  DiagSink diags;
  const Program program = resolve(catalog(), parse(source, diags), diags);
  const DeviceSpec& h200 = *catalog().device("h200");
  for (const Launch& launch : lower(catalog(), program, diags)) {
    if (!std::holds_alternative<Convolution>(launch.kernel)) continue;
    const auto ranked = rank_configs(catalog(), program, launch, h200, 1);
    if (ranked.empty()) return std::nullopt;
    return Chosen{std::string(ranked.front().backend->id), ranked.front().estimate.total_us};
  }
  return std::nullopt;
}

// Every layer whose channels last was measured on that back end, by its name.
std::map<std::string, nlohmann::json> layers_on(const std::string& backend) {
  std::map<std::string, nlohmann::json> out;
  for (const nlohmann::json& row : measured()) {
    if (row["form"] == "nhwc" && row.value("ran", "") == backend) out[row["layer"]] = row;
  }
  return out;
}

TEST(ConvLayers, TheFastestBackEndIsChosen) {
  const auto second = layers_on("cutlass2.convolution");
  size_t compared = 0;
  for (const auto& [name, third] : layers_on("cutlass3.convolution")) {
    if (!second.contains(name)) continue;
    const nlohmann::json& other = second.at(name);
    const bool faster = third["us"].get<double>() < other["us"].get<double>();
    const auto got = chosen(other["program"]);
    ASSERT_TRUE(got) << name;
    EXPECT_EQ(got->backend, faster ? "cutlass3.convolution" : "cutlass2.convolution") << name;
    ++compared;
  }
  EXPECT_GE(compared, 11U);
}

TEST(ConvLayers, TimesOfCutlass3AreNear) {
  const auto rows = layers_on("cutlass3.convolution");
  ASSERT_GE(rows.size(), 11U);
  for (const auto& [name, row] : rows) {
    const auto got = chosen(row["program"]);
    ASSERT_TRUE(got) << name;
    EXPECT_NEAR(got->us / row["us"].get<double>(), 1, 0.12) << name;
  }
}

// Those with whole vectors of channels.
TEST(ConvLayers, TimesOfCutlass2AreNear) {
  size_t compared = 0;
  for (auto& [name, row] : layers_on("cutlass2.convolution")) {
    const bool narrow = std::ranges::any_of(
        std::array{"stem", "vit", "groups"},
        [&name = name](const char* part) { return name.find(part) != std::string::npos; });
    if (narrow) continue;
    std::string program = row["program"];
    program.insert(program.find(")\nreturn") + 1, ".backend(cutlass2)");
    const auto got = chosen(program);
    ASSERT_TRUE(got) << name;
    EXPECT_EQ(got->backend, "cutlass2.convolution") << name;
    EXPECT_NEAR(got->us / row["us"].get<double>(), 1, 0.3) << name;
    ++compared;
  }
  EXPECT_GE(compared, 15U);
}

}  // namespace
}  // namespace uc
