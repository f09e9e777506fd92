// `ucutlass sol` and `ucutlass explain` as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "catalog/builtin.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kProgram =
    "target sm_90a\nprecision tf32\ninput a: f32[4096, 4096]\ninput b: f32[4096, 4096]\nc = gemm(a, "
    "b)\nreturn c\n";

struct Shell : TestWorld {
  explicit Shell(std::string input = {}) : TestWorld(std::move(input)) { catalog = builtin_catalog(); }
};

std::string problem(const std::string& path) {
  return std::string(UC_SOURCE_DIR) + "/data/kernelbench/" + path;
}

TEST(SolCommand, BoundsAProgram) {
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-"}), kDone);
  EXPECT_THAT(shell.out.str(), HasSubstr("certified      256.8 us"));
  EXPECT_EQ(shell.err.str(), "");
}

TEST(SolCommand, BoundsACapturedProblemAsTf32) {
  Shell shell;
  EXPECT_EQ(shell.run({"sol", problem("level2/86_Matmul_Divide_GELU.json"), "--json", "--time", "0.38483",
                       "--base", "0.38483"}),
            kDone);
  const auto json = nlohmann::json::parse(shell.out.str());
  EXPECT_EQ(json["precision"], "tf32");
  EXPECT_EQ(json["work"]["dense_flops"], 2.0 * 1024 * 8192 * 8192);
  EXPECT_EQ(json["coverage"], 1.0);
  EXPECT_EQ(json["verdict"]["word"], "plausible");
  EXPECT_DOUBLE_EQ(json["verdict"]["score"], 0.5);
}

TEST(SolCommand, FindsTheProblemOfAFolder) {
  Shell shell;
  EXPECT_EQ(shell.run({"sol", std::string(UC_SOURCE_DIR) + "/examples/mlp_gelu"}), kDone) << shell.err.str();
  EXPECT_THAT(shell.out.str(), HasSubstr("precision   tf32"));
  Shell missing;
  EXPECT_EQ(missing.run({"sol", "/nowhere/problem.py", "--json"}), kUsage);
  EXPECT_EQ(nlohmann::json::parse(missing.out.str())["schema"], "ucutlass.error/1");
}

TEST(SolCommand, SeveralDevicesHaveARowEach) {
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-", "--device", "h200,b200,h200", "--json"}), kDone) << shell.err.str();
  const auto json = nlohmann::json::parse(shell.out.str());
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["device"]["name"], "h200");
  EXPECT_EQ(json[1]["device"]["name"], "b200");
  EXPECT_LT(json[1]["certified"]["us"], json[0]["certified"]["us"]);
  Shell all(kProgram);
  EXPECT_EQ(all.run({"sol", "-", "--device", "all"}), kDone) << all.err.str();
  for (const DeviceSpec* row : all.catalog.devices())
    EXPECT_THAT(all.out.str(), HasSubstr("\n" + std::string(row->name) + " "));
}

TEST(SolCommand, ATimeIsRejectedWhenNoDeviceOfSeveralAllowsIt) {
  Shell some(kProgram);
  EXPECT_EQ(some.run({"sol", "-", "--device", "a100,h200", "--time", "0.35"}), kDone);
  EXPECT_THAT(some.out.str(), HasSubstr("impossible"));
  Shell none(kProgram);
  EXPECT_EQ(none.run({"sol", "-", "--device", "a100,h200", "--time", "0.01"}), kRejected);
}

TEST(SolCommand, AUnitThatADeviceLacksIsAnErrorThatNamesThoseThatHaveIt) {
  constexpr const char* kF8 =
      "target sm_90a\ninput a: f8e4m3[256, 256]\ninput b: f8e4m3[256, 256]\nc = gemm(a, transpose(b)) >> "
      "to(f32)\nreturn c\n";
  Shell shell(kF8);
  EXPECT_EQ(shell.run({"sol", "-", "--device", "a100"}), kUsage);
  EXPECT_THAT(shell.err.str(), HasSubstr("no unit that multiplies f8"));
  EXPECT_THAT(shell.err.str(), HasSubstr("h200"));
  EXPECT_EQ(shell.out.str(), "");
  Shell all(kF8);
  EXPECT_EQ(all.run({"sol", "-", "--device", "a100,h200", "--json"}), kDone) << all.err.str();
  const auto json = nlohmann::json::parse(all.out.str());
  EXPECT_EQ(json[0]["device"], "a100");
  EXPECT_THAT(json[0]["missing"].get<std::string>(), HasSubstr("f8"));
  EXPECT_EQ(json[1]["device"]["name"], "h200");
}

TEST(SolCommand, StrictTakesTheUnitThatIsFastestOnTheDevice) {
  // 137.4 GFLOP on a GeForce's FP32 units (101.7 TFLOP/s at 3.1 GHz), not three FP16 products (67.8).
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-", "--device", "rtx_4090", "--precision", "strict", "--json"}), kDone);
  const auto json = nlohmann::json::parse(shell.out.str());
  EXPECT_NEAR(json["certified"]["us"].get<double>(), 2.0 * 4096 * 4096 * 4096 / (256.0 * 128 * 3105), 1);
}

TEST(SolCommand, AnUnknownDeviceGetsTheNearest) {
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-", "--device", "h20"}), kUsage);
  EXPECT_THAT(shell.err.str(), HasSubstr("h200"));
  Shell file(kProgram);
  EXPECT_EQ(file.run({"sol", "-", "--device", "h200,b200", "--calibration", "x.json"}), kUsage);
}

TEST(SolCommand, TellsWhatATimeWouldNeed) {
  // 137.4 GFLOP and 201 MB in 0.5 ms: 275 TFLOP/s and 403 GB/s; the certified bound on the H200 is 0.257 ms.
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-", "--reach", "0.5", "--json"}), kDone) << shell.err.str();
  const auto json = nlohmann::json::parse(shell.out.str());
  EXPECT_EQ(json["schema"], "ucutlass.sol-need/1");
  EXPECT_EQ(json["relative_to"], "h200");
  for (const auto& unit : json["units"]) {
    if (unit["unit"] == "memory") {
      EXPECT_NEAR(unit["needed_per_second"].get<double>(), 402.7e9, 0.1e9);
    }
    if (unit["unit"] == "tensor") {
      EXPECT_NEAR(unit["needed_per_second"].get<double>(), 274.9e12, 0.1e12);
      EXPECT_NEAR(unit["share"].get<double>(), 0.2568 / 0.5, 0.001);
    }
  }
  for (const auto& device : json["devices"]) {
    const std::string name = device["device"];
    const bool reaches =
        name == "h100" || name == "h100_pcie" || name == "h200" || name == "b200" || name == "b300";
    EXPECT_EQ(device["reaches"], reaches)
        << name;  // the A100 has 156 TF32 TFLOP/s, the RTX 4090 102 at 3.1 GHz
  }
  Shell text(kProgram);
  EXPECT_EQ(text.run({"sol", "-", "--reach", "0.5"}), kDone);
  EXPECT_THAT(text.out.str(), HasSubstr("lacks tensor 1.76x"));
}

TEST(SolCommand, RatesThatWereSeenAreTheCallersToChoose) {
  const std::string folder = *real_files().make_temporary_folder("ucutlass-sol");
  const std::string file = folder + "/mine.json";
  ASSERT_TRUE(real_files().write(
      file,
      R"({"schema": "ucutlass.calibration/1", "device": "h200", "products": [{"what": "tf32", "best": 200}]})"));
  const auto calibrated = [&](const std::string& choice) {
    Shell shell(kProgram);
    EXPECT_EQ(shell.run({"sol", "-", "--json", "--calibration", choice}), kDone) << shell.err.str();
    return nlohmann::json::parse(shell.out.str())["calibrated"]["us"].get<double>();
  };
  EXPECT_NEAR(calibrated(file), 2.0 * 4096 * 4096 * 4096 / 200e12 * 1e6, 0.01);
  EXPECT_NEAR(calibrated("none"), 256.8, 0.1);  // the theoretical rate
  Shell other(kProgram);
  EXPECT_EQ(other.run({"sol", "-", "--device", "b200", "--calibration", file}), 1);
  EXPECT_THAT(other.err.str(), HasSubstr("is of `h200`"));
  (void)real_files().remove(folder);
}

TEST(SolCommand, AnImpossibleTimeIsRejected) {
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-", "--time", "0.2"}), kRejected);
  EXPECT_THAT(shell.out.str(), HasSubstr("impossible"));
}

TEST(SolCommand, AnotherDeviceAndPrecision) {
  Shell shell(kProgram);
  EXPECT_EQ(shell.run({"sol", "-", "--device", "h100", "--precision", "f16", "--json"}), kDone);
  const auto json = nlohmann::json::parse(shell.out.str());
  EXPECT_EQ(json["device"]["name"], "h100");
  EXPECT_EQ(json["precision"], "f16");
}

TEST(SolCommand, WrongInputSaysWhatToDo) {
  Shell negative(kProgram);
  EXPECT_EQ(negative.run({"sol", "-", "--time", "-3"}), kUsage);
  EXPECT_THAT(negative.err.str(), HasSubstr("--time needs a number from"));
  Shell device(kProgram);
  EXPECT_EQ(device.run({"sol", "-", "--device", "h20"}), kUsage);
  EXPECT_THAT(device.err.str(), HasSubstr("h200"));
  Shell broken("target sm_90a\ninput a: f16[8, 8]\nc = gem(a, a)\nreturn c\n");
  EXPECT_EQ(broken.run({"sol", "-"}), kFindings);
  EXPECT_THAT(broken.err.str(), HasSubstr("UC1102"));
  Shell json("{\"schema\": \"ucutlass.problem/1\"}");
  EXPECT_EQ(json.run({"sol", "-", "--json"}), kFindings);
  EXPECT_EQ(nlohmann::json::parse(json.out.str())["schema"], "ucutlass.error/1");
  Shell missing;
  EXPECT_EQ(missing.run({"sol", "/nowhere/prog.uc"}), kUsage);
  EXPECT_THAT(missing.err.str(), HasSubstr("error:"));
}

TEST(ExplainCommand, EveryRuleAndKnobAndOperatorIsExplained) {
  const Catalog rows = builtin_catalog();
  std::vector<std::string> names;
  for (const RuleSpec* rule : rows.rules())
    names.insert(names.end(), {std::string(rule->id), std::string(rule->slug)});
  for (const KnobSpec* knob : rows.knobs()) names.emplace_back(knob->name);
  for (const OpSpec* op : rows.ops()) {
    if (op->place != Place::inner) names.emplace_back(op->name);  // the others stand in no text
  }
  for (const std::string& name : names) {
    Shell shell;
    EXPECT_EQ(shell.run({"explain", name, "--json"}), kDone) << name;
    EXPECT_FALSE(nlohmann::json::parse(shell.out.str())["topics"].empty()) << name;
  }
}

TEST(ExplainCommand, ShowsBothExamplesOfARule) {
  Shell shell;
  EXPECT_EQ(shell.run({"explain", "UC2104"}), kDone);
  EXPECT_THAT(shell.out.str(), HasSubstr(".tile(64x256x64).schedule(cooperative)"));
  EXPECT_THAT(shell.out.str(), HasSubstr(".tile(128x256x64).schedule(cooperative)"));
}

TEST(ExplainCommand, DiagnosticsOfEveryPhaseAreKnown) {
  for (const char* id : {"UC1001", "UC1101", "UC1201", "UC1902"}) {
    Shell shell;
    EXPECT_EQ(shell.run({"explain", id}), kDone) << id;
    EXPECT_THAT(shell.out.str(), HasSubstr(id));
  }
}

TEST(ExplainCommand, UnknownNamesGetTheNearest) {
  Shell shell;
  EXPECT_EQ(shell.run({"explain", "schedul"}), kFindings);
  EXPECT_THAT(shell.err.str(), HasSubstr("did you mean `schedule`?"));
}

TEST(ExplainCommand, NothingListsEverything) {
  Shell shell;
  EXPECT_EQ(shell.run({"explain"}), kDone);
  for (const char* part :
       {"operators", "knobs", "diagnostics", "rules", "devices", "UC2001", "gelu", "h200"}) {
    EXPECT_THAT(shell.out.str(), HasSubstr(part));
  }
}

}  // namespace
}  // namespace uc::cli
