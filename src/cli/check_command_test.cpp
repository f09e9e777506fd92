// `ucutlass check --fix`, `--diff` and SARIF as a user meets them; the file is never lost.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "catalog/builtin.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kHead = "target sm_90a\ninput x: f32[64]\n";
const std::string kBroken = kHead + "y = reluu(x) >> mul(.5)\nreturn y\n";
const std::string kMended = kHead + "y = relu(x) >> mul(0.5)\nreturn y\n";

struct World : TestWorld {
  explicit World(std::string input = {}) : TestWorld(std::move(input)) { catalog = builtin_catalog(); }
};

class CheckFix : public testing::Test {
 protected:
  void SetUp() override {
    folder = real_files().make_temporary_folder("uc-check").value();
    file = folder + "/a.uc";
    write(kBroken);
  }
  void TearDown() override { EXPECT_TRUE(real_files().remove(folder)); }
  void write(const std::string& text) { ASSERT_TRUE(real_files().write(file, text)); }
  std::string text() const { return real_files().read(file).value(); }

  std::string folder;
  std::string file;
};

TEST_F(CheckFix, WritesTheMendedFileAndKeepsItsMode) {
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  World world;
  EXPECT_EQ(world.run({"check", "--fix", file}), kDone);
  EXPECT_EQ(text(), kMended);
  EXPECT_THAT(world.err.str(), HasSubstr("2 findings mended"));
  struct stat info{};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_EQ(real_files().list(folder)->size(), 1U) << "nothing else is left there";
  World again;
  EXPECT_EQ(again.run({"check", "--fix", file}), kDone);
  EXPECT_THAT(again.err.str(), IsEmpty());
}

TEST_F(CheckFix, FollowsALinkAndLeavesIt) {
  const std::string link = folder + "/b.uc";
  std::filesystem::create_symlink("a.uc", link);
  World world;
  EXPECT_EQ(world.run({"check", "--fix", link}), kDone);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(text(), kMended);
}

TEST_F(CheckFix, KeepsWhatNothingIsKnownAgainst) {
  write(kHead + "y = qqqqqqqq(x) >> mul(.5)\nreturn y\n");
  World world;
  EXPECT_EQ(world.run({"check", "--fix", file}), kFindings);
  EXPECT_EQ(text(), kHead + "y = qqqqqqqq(x) >> mul(0.5)\nreturn y\n");
  EXPECT_THAT(world.err.str(), HasSubstr("qqqqqqqq"));
}

/// Another program writes the file while it is checked.
class Edited final : public Files {
 public:
  Result<std::string> read(const std::string& path) override {
    return reads++ == 0 ? real_files().read(path) : Result<std::string>("# edited\n");
  }
  Result<> write(const std::string&, std::string_view, int) override { return fail("is not called"); }
  Result<> replace(const std::string&, std::string_view) override { return fail("is not called"); }
  bool exists(const std::string& path) override { return real_files().exists(path); }
  Result<> make_folder(const std::string& path) override { return real_files().make_folder(path); }
  Result<std::string> make_temporary_folder(std::string_view prefix) override {
    return real_files().make_temporary_folder(prefix);
  }
  Result<> remove(const std::string& path) override { return real_files().remove(path); }
  Result<std::vector<std::string>> list(const std::string& path) override { return real_files().list(path); }
  int reads = 0;
};

TEST_F(CheckFix, DoesNotWriteOverAnEditMadeMeanwhile) {
  World world;
  Edited files;
  const Context context{world.catalog,     world.in, world.out,        world.err,
                        world.environment, files,    real_processes(), world.clock};
  const std::vector<std::string> args = {"check", "--fix", file};
  EXPECT_EQ(run(context, builtin_commands(), args), kFindings);
  EXPECT_THAT(world.err.str(), HasSubstr("changed while it was checked"));
  EXPECT_EQ(text(), kBroken);
}

TEST_F(CheckFix, ShowsTheDiffAndWritesNothing) {
  World world;
  EXPECT_EQ(world.run({"check", "--diff", file}), kFindings);
  EXPECT_EQ(world.out.str(), "--- " + file + "\n+++ " + file +
                                 "\n@@ -1,4 +1,4 @@\n target sm_90a\n input x: f32[64]\n"
                                 "-y = reluu(x) >> mul(.5)\n+y = relu(x) >> mul(0.5)\n return y\n");
  EXPECT_EQ(text(), kBroken);
  write(kMended);
  World clean;
  EXPECT_EQ(clean.run({"check", "--diff", file}), kDone);
  EXPECT_THAT(clean.out.str(), IsEmpty());
}

TEST(CheckFixOfStandardInput, PrintsTheMendedProgram) {
  World world(kBroken);
  EXPECT_EQ(world.run({"check", "--fix", "-"}), kDone);
  EXPECT_EQ(world.out.str(), kMended);
  World both(kBroken);
  EXPECT_EQ(both.run({"check", "--fix", "-", "--format", "json"}), kUsage);
}

TEST(CheckSarif, NamesTheRuleAndItsPlace) {
  World world(kHead + "y = reluu(x)\nz = geluu(x)\nreturn y, z\n");
  EXPECT_EQ(world.run({"check", "--format", "sarif", "-"}), kFindings);
  const auto log = nlohmann::json::parse(world.out.str());
  const auto& run = log["runs"][0];
  ASSERT_EQ(run["results"].size(), 2U);
  for (const auto& result : run["results"]) {
    const auto& rule = run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()];
    EXPECT_EQ(rule["id"], result["ruleId"]);
    EXPECT_THAT(rule["shortDescription"]["text"].get<std::string>(), Not(IsEmpty()));
    EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startColumn"], 5);
  }
}

}  // namespace
}  // namespace uc::cli
