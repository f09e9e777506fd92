#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalog/builtin.h"
#include "cli/mcp/server.h"
#include "cli/testing.h"

namespace uc::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::string_view kHello =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})";
constexpr std::string_view kRelu = "target sm_90a\ninput x: f16[128, 64]\ny = relu(x)\nreturn y\n";

class McpTest : public ::testing::Test {
 protected:
  McpTest() { world_.catalog = builtin_catalog(); }

  // A server of its own, greeted, gets these messages; its answers.
  std::vector<json> told(const std::vector<std::string>& messages, bool greeted = true) {
    world_.in.clear();
    world_.in.str((greeted ? std::string(kHello) + "\n" : "") + join(messages, "\n") + "\n");
    world_.out.str("");
    EXPECT_EQ(world_.run({"mcp"}), kDone);
    const std::string said = world_.out.str();
    std::vector<json> out;
    for (const auto line : split(trim(said), '\n')) {
      if (!line.empty()) out.push_back(json::parse(line));
    }
    if (greeted) out.erase(out.begin());
    return out;
  }
  json call(const std::string& name, json arguments) {
    const json message{{"jsonrpc", "2.0"},
                       {"id", "c"},
                       {"method", "tools/call"},
                       {"params", {{"name", name}, {"arguments", std::move(arguments)}}}};
    return told({message.dump()}).at(0);
  }

  TestWorld world_;
};

TEST_F(McpTest, ItSaysWhoItIsAndWhatItHas) {
  const auto answers = told({std::string(kHello), R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                             R"({"jsonrpc":"2.0","id":"two","method":"tools/list"})",
                             R"({"jsonrpc":"2.0","id":3,"method":"ping"})"},
                            false);
  ASSERT_EQ(answers.size(), 3U);  // a notification has no answer
  EXPECT_EQ(answers[0]["result"]["protocolVersion"], "2025-03-26");
  EXPECT_EQ(answers[0]["result"]["serverInfo"]["name"], "ucutlass");
  EXPECT_EQ(answers[1]["id"], "two");
  std::vector<std::string> names;
  for (const auto& tool : answers[1]["result"]["tools"]) names.push_back(tool["name"]);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"check", "explain", "sol", "language", "evaluate"}));
  EXPECT_EQ(answers[2], json::parse(R"({"jsonrpc":"2.0","id":3,"result":{}})"));
  // A version that is not known gets the newest that is.
  EXPECT_EQ(told({replace_all(std::string(kHello), "2025-03-26", "1999-01-01")},
                 false)[0]["result"]["protocolVersion"],
            "2025-06-18");
}

TEST_F(McpTest, ToolsAnswerAsTheCommandsDo) {
  const json fine = call("check", {{"program", kRelu}});
  EXPECT_EQ(fine["result"]["isError"], false) << fine.dump();
  const json wrong = call("check", {{"program", "target sm_90a\nreturn y\n"}});
  EXPECT_EQ(wrong["result"]["isError"], false) << "findings are the answer";
  EXPECT_THAT(wrong["result"]["content"][0]["text"], HasSubstr("UC"));
  const json sol = call("sol", {{"program", kRelu}, {"device", "h100"}});
  EXPECT_EQ(sol["result"]["structuredContent"]["schema"], "ucutlass.sol/1") << sol.dump();
  EXPECT_THAT(call("explain", {{"topic", "relu"}})["result"]["content"][0]["text"], HasSubstr("relu"));
  EXPECT_THAT(call("language", json::object())["result"]["content"][0]["text"], HasSubstr("target"));
  EXPECT_THAT(call("language", {{"format", "gbnf"}})["result"]["content"][0]["text"], HasSubstr("::="));
  TestWorld other;
  other.catalog = builtin_catalog();
  const std::string problem = std::string(UC_SOURCE_DIR) + "/data/kernelbench/level1/19_ReLU.json";
  ASSERT_EQ(other.run({"import", problem}), kDone);
  const json judged = call("evaluate", {{"problem", problem}, {"program", other.out.str()}});
  EXPECT_EQ(judged["result"]["structuredContent"]["kind"], "modelled") << judged.dump();
  EXPECT_EQ(judged["result"]["structuredContent"]["label"], "ok");
}

TEST_F(McpTest, WrongCallsSayWhatIsWrong) {
  EXPECT_EQ(call("shell", json::object())["error"]["code"], -32602);
  const auto refused = [&](const std::string& name, json arguments) {
    const json answer = call(name, std::move(arguments));
    EXPECT_EQ(answer["result"]["isError"], true) << answer.dump();
    return answer["result"]["content"][0]["text"].get<std::string>();
  };
  EXPECT_THAT(refused("check", json::object()), HasSubstr("`program` is missing"));
  EXPECT_THAT(refused("check", {{"program", 3}}), HasSubstr("`program` is no string"));
  EXPECT_THAT(refused("check", {{"program", kRelu}, {"emit", "yes"}}), HasSubstr("`emit` is no boolean"));
  EXPECT_THAT(refused("check", {{"program", kRelu}, {"fix", true}}), HasSubstr("check takes no `fix`"));
  EXPECT_THAT(refused("check", {{"program", kRelu}, {"device", "z80"}}), HasSubstr("z80"));
  EXPECT_THAT(refused("explain", {{"topic", "--help"}}), HasSubstr("begins like an option"));
  EXPECT_THAT(refused("evaluate", {{"problem", "/nowhere.json"}, {"program", kRelu}}), HasSubstr("nowhere"));
}

TEST_F(McpTest, WhatIsNoRequestIsToldAndTheServerGoesOn) {
  const std::vector<std::pair<std::string, int>> cases{
      {"{", -32700},
      {"\xff\xfe", -32700},
      {"[]", -32600},
      {"3", -32600},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600},
      {R"({"id":1,"method":"ping"})", -32600},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1})", -32600},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", -32600},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]})", -32602},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})", -32602},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check","arguments":[]}})", -32602},
      {R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})", -32601},
      {std::string(100000, '['), -32600},
      {R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(McpServer::kMostMessage, 'x') + "\"}", -32600},
  };
  for (const auto& [message, code] : cases) {
    const auto answers = told({message, R"({"jsonrpc":"2.0","id":"after","method":"ping"})"});
    ASSERT_EQ(answers.size(), 2U) << message.substr(0, 80);
    EXPECT_EQ(answers[0]["error"]["code"], code) << message.substr(0, 80);
    EXPECT_EQ(answers[1]["id"], "after");
  }
  EXPECT_TRUE(
      told({R"({"jsonrpc":"2.0","id":9,"result":{}})", R"({"jsonrpc":"2.0","method":"x"})", ""}).empty());
  EXPECT_EQ(told({R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"}, false)[0]["error"]["code"], -32600);
}

}  // namespace
}  // namespace uc::cli
