// Input that no command can work with: one exit code for a file that is not there, and JSON where JSON was
// asked for.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "catalog/builtin.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Of this process alone: another build may leave its own at any fixed place.
const std::string kNoStore = fmt::format("{}/no-such-store-{}.db", testing::TempDir(), getpid());
constexpr const char* kNowhere = "/nowhere/at/all";

TEST(BadInput, AFileThatIsNotThereIsAMistakeOfTheCommandLine) {
  const std::string program = std::string(kNowhere) + ".uc";
  const std::string problem = std::string(kNowhere) + ".py";
  const std::string capture = std::string(kNowhere) + ".json";
  const std::vector<std::vector<std::string>> all = {
      {"check", program},
      {"check", "--fix", program},
      {"compile", program, "-o", "/tmp"},
      {"format", program},
      {"format", "-w", program},
      {"format", "--from-json", capture},
      {"expand", program},
      {"sol", program},
      {"sol", problem},
      {"import", problem},
      {"import", capture},
      {"import", "--all", kNowhere},
      {"import", "--all", UC_SOURCE_DIR "/examples", "--expect", capture},
      {"optimize", capture, "--store", kNoStore},
      {"capture", problem},
  };
  for (const auto& args : all) {
    TestWorld world;
    world.catalog = builtin_catalog();
    EXPECT_EQ(world.run(args), kUsage) << testing::PrintToString(args) << world.err.str();
    EXPECT_THAT(world.err.str(), HasSubstr(kNowhere)) << testing::PrintToString(args);
  }
}

/// What a command that speaks JSON says of `args`.
json said(const std::vector<std::string>& args, const std::string& input, int expected) {
  TestWorld world(input);
  world.catalog = builtin_catalog();
  EXPECT_EQ(world.run(args), expected) << testing::PrintToString(args);
  return json::parse(world.out.str(), nullptr, false);
}

TEST(BadInput, AFileThatIsNotThereIsJsonWhereJsonWasAskedFor) {
  const std::string program = std::string(kNowhere) + ".uc";
  const std::string capture = std::string(kNowhere) + ".json";
  const std::vector<std::vector<std::string>> all = {
      {"check", program, "--format", "json"},
      {"check", program, "--format", "sarif"},
      {"format", program, "--json"},
      {"expand", program, "--format", "json"},
      {"sol", program, "--json"},
      {"import", capture, "--json"},
      {"import", "--all", kNowhere, "--json"},
      {"capture", program, "--json"},
  };
  for (const auto& args : all) {
    const json object = said(args, {}, kUsage);
    ASSERT_TRUE(object.is_object()) << testing::PrintToString(args);
    EXPECT_EQ(object["schema"], "ucutlass.error/1");
    EXPECT_THAT(object["error"], HasSubstr(kNowhere));
  }
}

TEST(BadInput, FindingsAreJsonWhereJsonWasAskedFor) {
  const std::string broken = "target sm_90a\ninput x: f32[8\ny = relu(x)\nreturn y\n";
  for (const std::vector<std::string>& args : {std::vector<std::string>{"format", "--json", "-"},
                                               {"expand", "--format", "json", "-"},
                                               {"check", "--format", "json", "-"},
                                               {"sol", "--json", "-"}}) {
    const json findings = said(args, broken, kFindings);
    ASSERT_TRUE(findings.is_array() && !findings.empty()) << testing::PrintToString(args);
    EXPECT_EQ(findings[0]["severity"], "error");
    EXPECT_EQ(findings[0]["file"], "<stdin>");
    EXPECT_EQ(findings[0]["line"], 2);
  }
}

TEST(BadInput, ATreeThatIsNoneIsToldInJson) {
  const json object = said({"format", "--from-json", "--json", "-"}, "{", kFindings);
  ASSERT_TRUE(object.is_object());
  EXPECT_EQ(object["schema"], "ucutlass.error/1");
}

}  // namespace
}  // namespace uc::cli
