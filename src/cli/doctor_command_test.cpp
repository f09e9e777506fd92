#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/doctor/probe.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;

/// Doctor's own view of one tool, with a CUTLASS folder of the given version (or none).
struct DoctorTest : testing::Test {
  void SetUp() override { folder = real_files().make_temporary_folder("uc-doctor").value(); }
  void TearDown() override { EXPECT_TRUE(real_files().remove(folder)); }

  void cutlass(const std::string& defines) {
    ASSERT_TRUE(real_files().make_folder(folder + "/include/cutlass"));
    ASSERT_TRUE(real_files().write(folder + "/include/cutlass/version.h", defines));
    world.environment.values["UCUTLASS_CUTLASS_DIR"] = folder;
  }
  nlohmann::json tool(const std::string& name) {
    world.out.str("");
    world.run({"doctor", "--json"});
    const auto object = nlohmann::json::parse(world.out.str());
    for (const auto& tool : object["tools"]) {
      if (tool["name"] == name) return tool;
    }
    return {};
  }

  TestWorld world;
  std::string folder;
};

TEST_F(DoctorTest, KnowsAGoodCutlass) {
  cutlass("#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 5\n#define CUTLASS_PATCH 1\n");
  EXPECT_EQ(tool("cutlass")["version"], "4.5.1");
  EXPECT_EQ(tool("cutlass")["path"], folder);
}

TEST_F(DoctorTest, RefusesACutlassThatIsTooOldOrTooNewOrNone) {
  for (const char* minor : {"1", "8"}) {
    cutlass(std::string("#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR ") + minor +
            "\n#define CUTLASS_PATCH 0\n");
    EXPECT_EQ(tool("cutlass")["found"], false);
    EXPECT_THAT(std::string(tool("cutlass")["note"]), HasSubstr("but 4.2 to 4.7 is needed"));
  }
  world.environment.values["UCUTLASS_CUTLASS_DIR"] = folder + "/nothing";
  EXPECT_THAT(std::string(tool("cutlass")["note"]), HasSubstr("holds no CUTLASS"));
}

TEST_F(DoctorTest, ARequiredToolThatIsMissingExitsWith3) {
  world.environment.values["UCUTLASS_CUTLASS_DIR"] = folder;
  EXPECT_EQ(world.run({"doctor", "--require", "cutlass"}), kMissing);
  EXPECT_THAT(world.err.str(), HasSubstr("error: missing: cutlass"));
  cutlass("#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 0\n");
  EXPECT_EQ(world.run({"doctor", "--require", "cutlass"}), kDone);
}

TEST_F(DoctorTest, AMissingToolSaysWhatItCostsAndWhatToDo) {
  world.environment.values["UCUTLASS_NVCC"] = folder + "/no-nvcc";
  world.run({"doctor"});
  EXPECT_THAT(world.out.str(), HasSubstr("kernels are emitted but not compiled"));
  EXPECT_THAT(world.out.str(), HasSubstr("to get it: install the CUDA toolkit 13"));
  EXPECT_THAT(world.out.str(), HasSubstr("compile kernels (needs "));
}

TEST_F(DoctorTest, AnUnknownRequirementIsAUsageError) {
  EXPECT_EQ(world.run({"doctor", "--require", "cutlas"}), kUsage);
  EXPECT_THAT(world.err.str(), HasSubstr("did you mean `cutlass`?"));
}

TEST_F(DoctorTest, ATorchThatCannotBeAskedIsMissingNotACrash) {
  world.environment.values["UCUTLASS_PYTHON"] = "/bin/false";
  EXPECT_EQ(tool("torch")["found"], false);
  EXPECT_THAT(std::string(tool("torch")["note"]), HasSubstr("exit code 1"));
}

TEST(Doctor, AbilitiesNeedOnlyKnownTools) {
  std::vector<std::string_view> names;
  for (const Probe& probe : probes()) names.push_back(probe.name);
  for (const Ability& ability : abilities()) {
    for (const std::string_view need : ability.needs) EXPECT_THAT(names, testing::Contains(need));
  }
}

}  // namespace
}  // namespace uc::cli
