#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

#include "cli/testing.h"

namespace uc::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// What the test command was given.
struct Given {
  bool json = false;
  std::string format = "full";
  int64_t attempts = 10;
  double share = 0.5;
  std::optional<std::string> device;
  std::vector<std::string> names;
  std::string file;
  std::vector<std::string> more;
} given;

int run_probe(const Invocation& call) {
  given = {};
  Options options(call);
  options.positional("FILE", given.file, "a file, or - for standard input");
  options.positionals("MORE", given.more, "others", 0);
  options.flag("--json", given.json, "one object");
  options.choice("--format", given.format, {"full", "concise"}, "how findings look");
  options.value("-n,--attempts", given.attempts, "N", "how often", 1, 100);
  options.value("--share", given.share, "X", "a number");
  options.value("--device-name", given.device, "NAME", "which one");
  options.list("--names", given.names, "NAME,...", "several");
  if (auto code = options.parse()) return *code;
  return kDone;
}

constexpr CommandSpec kProbe{"probe", CommandGroup::machine, "for tests", "ucutlass probe a.uc  # an example",
                             run_probe};
constexpr CommandSpec kOther{"other", CommandGroup::machine, "for tests", "ucutlass other",
                             [](const Invocation&) -> int { throw std::runtime_error("broken"); }};

struct OptionsTest : testing::Test {
  int run(std::vector<std::string> args) { return world.run({&kProbe, &kOther}, std::move(args)); }
  TestWorld world;
};

TEST_F(OptionsTest, ReadsEveryKind) {
  ASSERT_EQ(run({"probe", "-", "x", "--json", "--format", "concise", "-n", "7", "--share=-0.25",
                 "--device-name", "h200", "--names", "a,b", "--names=c", "y"}),
            kDone)
      << world.err.str();
  EXPECT_TRUE(given.json);
  EXPECT_EQ(given.file, "-");
  EXPECT_THAT(given.more, ElementsAre("x", "y"));
  EXPECT_EQ(given.format, "concise");
  EXPECT_EQ(given.attempts, 7);
  EXPECT_EQ(given.share, -0.25);
  EXPECT_EQ(given.device, "h200");
  EXPECT_THAT(given.names, ElementsAre("a", "b", "c"));
}

TEST_F(OptionsTest, WhatIsNotGivenKeepsItsDefault) {
  ASSERT_EQ(run({"probe", "a.uc"}), kDone);
  EXPECT_FALSE(given.json);
  EXPECT_EQ(given.attempts, 10);
  EXPECT_FALSE(given.device.has_value());
}

TEST_F(OptionsTest, VariablesStandInForOptionsAndGiveWayToThem) {
  world.environment.values = {
      {"UCUTLASS_ATTEMPTS", "3"}, {"UCUTLASS_DEVICE_NAME", "b"}, {"UCUTLASS_JSON", "1"}};
  ASSERT_EQ(run({"probe", "a.uc", "--attempts", "4"}), kDone);
  EXPECT_EQ(given.attempts, 4);
  EXPECT_EQ(given.device, "b");
  EXPECT_TRUE(given.json);
}

TEST_F(OptionsTest, AWrongVariableIsNamed) {
  world.environment.values = {{"UCUTLASS_ATTEMPTS", "many"}};
  EXPECT_EQ(run({"probe", "a.uc"}), kUsage);
  EXPECT_THAT(world.err.str(), HasSubstr("UCUTLASS_ATTEMPTS needs a whole number, not `many`"));
}

TEST_F(OptionsTest, WrongCommandLinesExitWith2AndSayWhatToDo) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"probe"}, "FILE is missing"},
      {{"probe", "a", "--attempts", "0"}, "--attempts needs a number from 1 to 100, not 0"},
      {{"probe", "a", "--attempts", "7x"}, "--attempts needs a whole number, not `7x`"},
      {{"probe", "a", "--attempts", "99999999999999999999"}, "--attempts needs a whole number"},
      {{"probe", "a", "--attempts"}, "--attempts needs a value"},
      {{"probe", "a", "--share", "nan"}, "--share needs a finite number"},
      {{"probe", "a", "--format", "consise"}, "--format has no choice `consise`, did you mean `concise`?"},
      {{"probe", "a", "--atempts", "3"}, "did you mean `--attempts`?"},
      {{"probe", "a", "--helpp"}, "did you mean `--help`?"},
      {{"prob", "a"}, "did you mean `ucutlass probe`?"},
      {{"--versio"}, "no option `--versio`"},
  };
  for (const auto& [args, expected] : cases) {
    world.err.str("");
    EXPECT_EQ(run(args), kUsage) << expected;
    EXPECT_THAT(world.err.str(), HasSubstr(expected));
    EXPECT_THAT(world.err.str(), HasSubstr("help: "));
    EXPECT_EQ(world.out.str(), "") << "errors belong on stderr";
  }
}

TEST_F(OptionsTest, AReaderOfJsonGetsErrorsAsJson) {
  EXPECT_EQ(run({"probe", "--json"}), kUsage);
  EXPECT_THAT(world.out.str(), HasSubstr("\"schema\": \"ucutlass.error/1\""));
  EXPECT_THAT(world.out.str(), HasSubstr("FILE is missing"));
}

TEST_F(OptionsTest, HelpOpensWithExamplesAndNamesEveryOption) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"probe", "--help"}, {"probe", "-h"}, {"help", "probe"}}) {
    world.out.str("");
    EXPECT_EQ(run(args), kDone);
    EXPECT_THAT(world.out.str(), StartsWith("examples:\n  ucutlass probe a.uc  # an example\n"));
    EXPECT_THAT(world.out.str(), HasSubstr("usage: ucutlass probe FILE [MORE ...] [options]\n"));
    EXPECT_THAT(world.out.str(), HasSubstr("-n, --attempts N       how often [10] ($UCUTLASS_ATTEMPTS)\n"));
    EXPECT_THAT(world.out.str(), HasSubstr("--format full|concise"));
  }
}

TEST_F(OptionsTest, AnExceptionEndsInAnError) {
  EXPECT_EQ(run({"other"}), kFindings);
  EXPECT_THAT(world.err.str(), HasSubstr("error: internal fault in `ucutlass other`: broken"));
}

TEST_F(OptionsTest, AFullDiskIsReported) {
  world.out.setstate(std::ios::badbit);
  EXPECT_EQ(run({"--version"}), kFindings);
  EXPECT_THAT(world.err.str(), HasSubstr("cannot write to standard output"));
}

}  // namespace
}  // namespace uc::cli
