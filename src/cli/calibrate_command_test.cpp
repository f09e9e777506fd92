// `ucutlass calibrate` where there is no GPU, and what bounds make of calibrations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "catalog/builtin.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;

struct Shell : TestWorld {
  explicit Shell(std::string input = {}) : TestWorld(std::move(input)) { catalog = builtin_catalog(); }
};

TEST(CalibrateCommand, WithoutAGpuSaysWhatIsMissing) {
  if (real_files().exists("/dev/nvidiactl") || real_files().exists("/dev/nvidia0")) return;
  Shell shell;
  shell.environment.values["HOME"] = "/nowhere";
  EXPECT_EQ(shell.run({"calibrate"}), kMissing);
  EXPECT_THAT(shell.err.str(), HasSubstr("no NVIDIA GPU"));
  Shell json;
  json.environment.values["HOME"] = "/nowhere";
  EXPECT_EQ(json.run({"calibrate", "--json", "--quick"}), kMissing);
  EXPECT_EQ(nlohmann::json::parse(json.out.str())["schema"], "ucutlass.error/1");
}

TEST(CalibrateCommand, WithoutAPlaceForItsBenchmarksSaysSo) {
  Shell shell;
  EXPECT_EQ(shell.run({"calibrate", "--build"}), 1);
  EXPECT_THAT(shell.err.str(), HasSubstr("HOME"));
  Shell index;
  EXPECT_EQ(index.run({"calibrate", "--device-index", "-1"}), kUsage);
}

}  // namespace
}  // namespace uc::cli
