#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "catalog/builtin.h"
#include "cli/config/file.h"
#include "cli/options.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int64_t attempts = 0;
std::string word;
std::vector<std::string> names;

int run_probe(const Invocation& call) {
  attempts = 10;
  word = "none";
  names.clear();
  Options options(call);
  options.value("--attempts", attempts, "N", "how often", 1, 100);
  options.value("--word", word, "W", "which");
  options.list("--names", names, "N", "several");
  bool alone = false;
  options.flag("--alone", alone, "never of a file", Options::From::command_line);
  if (auto code = options.parse()) return *code;
  return alone ? kFindings : kDone;
}
constexpr CommandSpec kProbe{"probe", CommandGroup::machine, "for tests", "ucutlass probe", run_probe};

class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() : folder_(real_files().make_temporary_folder("config").value()) {
    world_.catalog = builtin_catalog();
    world_.environment.values["HOME"] = folder_;
    path_ = folder_ + "/.config/ucutlass/config.json";
    EXPECT_TRUE(real_files().make_folder(folder_ + "/.config/ucutlass"));
  }
  ~ConfigTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& text) { ASSERT_TRUE(real_files().write(path_, text)); }
  int probe(std::vector<std::string> more = {}) {
    more.insert(more.begin(), "probe");
    world_.err.str("");
    return world_.run({&kProbe}, more);
  }
  int config(std::vector<std::string> more = {}) {
    more.insert(more.begin(), "config");
    world_.out.str("");
    world_.err.str("");
    return world_.run(more);
  }

  TestWorld world_;
  std::string folder_, path_;
};

TEST_F(ConfigTest, TheFileCountsLessThanTheEnvironmentAndThatLessThanTheCommandLine) {
  write(R"({"attempts": 3, "word": "all", "names": ["a", "b"], "alone": true, "probe": {"word": "own"}})");
  ASSERT_EQ(probe(), kDone) << world_.err.str();
  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(word, "own");
  EXPECT_THAT(names, ::testing::ElementsAre("a", "b"));
  world_.environment.values["UCUTLASS_ATTEMPTS"] = "4";
  ASSERT_EQ(probe({"--word", "said"}), kDone);
  EXPECT_EQ(attempts, 4);
  EXPECT_EQ(word, "said");
  ASSERT_EQ(probe({"--attempts", "5"}), kDone);
  EXPECT_EQ(attempts, 5);
  world_.environment.values["XDG_CONFIG_HOME"] = folder_ + "/elsewhere";
  ASSERT_EQ(probe(), kDone);
  EXPECT_EQ(word, "none");
}

TEST_F(ConfigTest, AWrongFileIsToldByEveryCommand) {
  const auto fault = [&](const std::string& text) {
    write(text);
    EXPECT_EQ(probe(), kUsage) << text;
    EXPECT_EQ(probe({"--help"}), kDone) << "help is always there";
    EXPECT_NE(config(), kDone) << text;
    probe();
    return world_.err.str();
  };
  EXPECT_THAT(fault("{\"attempts\": "), HasSubstr("is no JSON object"));
  EXPECT_THAT(fault("[]"), HasSubstr("is no JSON object"));
  EXPECT_THAT(fault(R"({"word": "a", "word": "b"})"), HasSubstr("names `word` twice"));
  EXPECT_THAT(fault(R"({"word": null})"), HasSubstr("gives `word` no text"));
  EXPECT_THAT(fault(R"({"probe": {"names": [1]}})"), HasSubstr("gives `names` no text"));
  EXPECT_THAT(fault(R"({"--word": "a"})"), HasSubstr("without dashes"));
  EXPECT_THAT(fault(R"({"probe": {"wrod": "a"}})"), HasSubstr("did you mean `word`"));
  write(R"({"attempts": "many"})");
  EXPECT_EQ(probe(), kUsage);
  EXPECT_THAT(world_.err.str(), HasSubstr(path_));
  EXPECT_THAT(world_.err.str(), HasSubstr("attempts"));
  world_.environment.values["UCUTLASS_CONFIG"] = folder_ + "/none.json";
  EXPECT_EQ(probe(), kUsage);
  EXPECT_THAT(world_.err.str(), HasSubstr("UCUTLASS_CONFIG"));
}

TEST_F(ConfigTest, ValuesAreShownWithWhereTheyComeFrom) {
  EXPECT_EQ(config(), kDone);
  EXPECT_THAT(world_.out.str(), HasSubstr(path_ + " (not there)"));
  write(R"({"attempts": 7, "sweep": {"seed": 3}})");
  world_.environment.values["UCUTLASS_STORE"] = "/tmp/x.db";
  ASSERT_EQ(config({"sweep", "--json"}), kDone) << world_.err.str();
  const auto told = nlohmann::json::parse(world_.out.str());
  EXPECT_EQ(told["schema"], "ucutlass.settings/1");
  EXPECT_EQ(told["file"], path_);
  const auto of = [&](const std::string& option) {
    for (const auto& each : told["values"]) {
      if (each["option"] == option)
        return each["value"].get<std::string>() + " " + each["from"].get<std::string>();
    }
    return std::string("none");
  };
  EXPECT_EQ(of("attempts"), "7 file");
  EXPECT_EQ(of("seed"), "3 file");
  EXPECT_EQ(of("store"), "/tmp/x.db environment");
  EXPECT_EQ(of("shard"), "1/1 default");
  ASSERT_EQ(config(), kDone);
  EXPECT_THAT(world_.out.str(), HasSubstr("$UCUTLASS_STORE"));
  EXPECT_THAT(world_.out.str(), Not(HasSubstr("shard")));
  EXPECT_EQ(config({"swep"}), kUsage);
  EXPECT_THAT(world_.err.str(), HasSubstr("did you mean `sweep`"));
}

TEST_F(ConfigTest, WhatNoCommandHeedsIsTold) {
  write(R"({"atempts": 7, "nothing": {"seed": 3}})");
  EXPECT_EQ(config(), kFindings);
  EXPECT_THAT(world_.err.str(), HasSubstr("did you mean attempts?"));
  EXPECT_THAT(world_.err.str(), HasSubstr("nothing is no command"));
}

TEST_F(ConfigTest, SecretsAreNotShown) {
  write(
      R"({"base-url": "https://me:hunter2@host/v1?key=hunter2", "key-env": "sk-hunter2-abcdef", "api-key": "hunter2",
            "llm": "{\"base_url\": \"hunter2\"}"})");
  world_.environment.values["UCUTLASS_MODEL"] = "gpt";
  for (const char* how : {"--json", "optimize"}) {
    config({how});
    EXPECT_THAT(world_.out.str() + world_.err.str(), Not(HasSubstr("hunter2")));
    EXPECT_THAT(world_.out.str(), HasSubstr("https://(hidden)@host/v1"));
  }
  EXPECT_EQ(shown_value("key-env", "OPENAI_API_KEY"), "OPENAI_API_KEY");
  EXPECT_EQ(shown_value("max-tokens", "500"), "500");
  EXPECT_EQ(shown_value("api-key", "x"), "(hidden)");
}

}  // namespace
}  // namespace uc::cli
