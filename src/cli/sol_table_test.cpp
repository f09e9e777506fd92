// `ucutlass sol` of several problems: a row each, held against measured times.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catalog/builtin.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;

struct Shell : TestWorld {
  Shell() { catalog = builtin_catalog(); }
};

const std::string kData = std::string(UC_SOURCE_DIR) + "/data/";
const std::string kMatmul = kData + "kernelbench/level1/1_Square_matrix_multiplication_.json";
const std::string kRelu = kData + "kernelbench/level1/19_ReLU.json";

struct Folder {
  Folder() : path(real_files().make_temporary_folder("ucutlass-sol").value()) {}
  ~Folder() { (void)real_files().remove(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path + "/" + name) << text;
    return path + "/" + name;
  }
  std::string path;
};

std::vector<nlohmann::json> lines(const std::string& text) {
  std::vector<nlohmann::json> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

TEST(SolTable, ARowAProblem) {
  Shell shell;
  EXPECT_EQ(shell.run({"sol", kMatmul, kRelu, "--json"}), kDone) << shell.err.str();
  const auto rows = lines(shell.out.str());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["schema"], "ucutlass.sol-row/1");
  EXPECT_EQ(rows[0]["precision"], "tf32");
  EXPECT_EQ(rows[0]["dense_flops"], 2.0 * 4096 * 4096 * 4096);
  EXPECT_EQ(rows[0]["level"], 1);
  EXPECT_EQ(rows[1]["by"], "memory");
  EXPECT_FALSE(rows[0].contains("times_us"));
}

TEST(SolTable, HoldsMeasuredTimesAgainstTheirBounds) {
  Shell shell;
  EXPECT_EQ(shell.run({"sol", kMatmul, kRelu, "--against", kData + "pytorch_h200.jsonl"}), kDone)
      << shell.err.str();
  EXPECT_THAT(shell.out.str(), HasSubstr("tightest"));
  EXPECT_THAT(shell.out.str(), HasSubstr("1.33"));  // 342.37 us over 256.77
  // 0.2 ms in tf32 is below 256.8 us.
  const Folder folder;
  const std::string times =
      folder.write("times.jsonl", "{\"level\": 1, \"id\": 1, \"eager_tf32_ms\": 0.2}\n");
  Shell faster;
  EXPECT_EQ(faster.run({"sol", kMatmul, "--against", times, "--json"}), kRejected);
  EXPECT_THAT(faster.err.str(), HasSubstr("eager_tf32_ms lies below its bound"));
  EXPECT_EQ(lines(faster.out.str()).at(0)["below_bound"], nlohmann::json::array({"eager_tf32_ms"}));
}

TEST(SolTable, ABadFileIsALineAndNoEnd) {
  const Folder folder;
  std::filesystem::copy_file(kRelu, folder.path + "/a.json");
  folder.write("b.json", "{\"schema\": \"ucutlass.problem/1\"");
  folder.write("c.json", "");
  Shell shell;
  EXPECT_EQ(shell.run({"sol", folder.path, "--json"}), kFindings);
  const auto rows = lines(shell.out.str());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(rows[0].contains("certified_us"));
  EXPECT_TRUE(rows[1].contains("error"));
  EXPECT_TRUE(rows[2].contains("error"));
  Shell text;
  EXPECT_EQ(text.run({"sol", folder.path}), kFindings);
  EXPECT_THAT(text.out.str(), HasSubstr("error:"));
}

TEST(SolTable, SaysWhatIsWrongWithTheCommandLine) {
  Shell shell;
  EXPECT_EQ(shell.run({"sol", kMatmul, kRelu, "--time", "1"}), kUsage);
  EXPECT_THAT(shell.err.str(), HasSubstr("--against"));
  const Folder folder;
  Shell bad;
  EXPECT_NE(bad.run({"sol", kMatmul, "--against", folder.write("t.jsonl", "no json\n")}), kDone);
  EXPECT_THAT(bad.err.str(), HasSubstr("t.jsonl:1"));
  Shell missing;
  EXPECT_NE(missing.run({"sol", kMatmul, "--against", folder.path + "/none.jsonl"}), kDone);
}

// What no program says still has a bound, which --strict refuses.
TEST(SolTable, StrictWantsEveryOperatorCounted) {
  const Folder folder;
  std::ostringstream text;
  text << std::ifstream(kRelu).rdbuf();
  auto problem = nlohmann::json::parse(text.str());
  problem["graph"]["ops"][0]["target"] = "aten.never_heard_of.default";
  const std::string path = folder.write("unknown.json", problem.dump());
  Shell shell;
  EXPECT_EQ(shell.run({"sol", path, "--json"}), kDone);
  const auto report = nlohmann::json::parse(shell.out.str());
  EXPECT_EQ(report["coverage"], 0.0);
  EXPECT_EQ(report["uncovered"], nlohmann::json::array({"aten.never_heard_of.default"}));
  Shell strict;
  EXPECT_EQ(strict.run({"sol", path, "--strict"}), kFindings);
  EXPECT_THAT(strict.out.str(), HasSubstr("`aten.never_heard_of.default` counts its bytes only"));
}

}  // namespace
}  // namespace uc::cli
