// What is said and what it costs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "agent/chat/testing.h"

namespace uc {
namespace {

using namespace chat_testing;
using testing::HasSubstr;
using testing::Not;

std::string with_calls(const std::string& calls) {
  return R"({"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[)" +
         calls + R"(]}}],"usage":{"prompt_tokens":1,"completion_tokens":1}})";
}
std::string call(const std::string& name, const std::string& arguments) {
  return fmt::format(R"({{"id":"c1","type":"function","function":{{"name":"{}","arguments":"{}"}}}})", name,
                     arguments);
}

TEST(Chat, AsksAsTheProtocolSays) {
  World world({reply(200, completion("hello"))});
  EXPECT_EQ(world.answer(), "hello");
  const Received seen = world.server.received().at(0);
  EXPECT_THAT(seen.head, HasSubstr("POST /v1/chat/completions HTTP/1.1"));
  EXPECT_THAT(seen.head, HasSubstr("Authorization: Bearer " + std::string(kKey)));
  EXPECT_THAT(seen.head, HasSubstr("Content-Type: application/json"));
  EXPECT_EQ(seen.body, R"({"model":"tester","messages":[{"role":"system","content":"you write"},)"
                       R"({"role":"user","content":"write it"}],"max_tokens":16384})");
  EXPECT_EQ(world.author->spent().tokens(), 18);
  EXPECT_FALSE(world.author->spent().estimated);
}

TEST(Chat, LearnsWhatAModelCallsTheLimit) {
  World world(
      {reply(
           400,
           R"({"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}})"),
       reply(400, R"({"error":{"message":"Unsupported value: 'temperature'"}})"),
       reply(200, completion("fine"))});
  world.endpoint.temperature = 0.5;
  EXPECT_EQ(world.answer(), "fine");
  const auto received = world.server.received();
  EXPECT_THAT(received[0].body, HasSubstr("\"max_tokens\""));
  EXPECT_THAT(received[2].body, HasSubstr("\"max_completion_tokens\""));
  EXPECT_THAT(received[2].body, Not(HasSubstr("temperature")));
  EXPECT_EQ(world.clock.now().count(), 0);
}

TEST(Chat, ReadsAnswersOfManyForms) {
  EXPECT_EQ(parse_answer(completion("caf\xC3\xA9 \xff\xfe"))->text, "café \xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(
      parse_answer(
          R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]})")
          ->text,
      "ab");
  EXPECT_TRUE(parse_answer(completion("a", R"({"prompt_tokens":-1,"completion_tokens":2})"))->usage ==
              std::nullopt);
  EXPECT_TRUE(parse_answer(completion("a", R"({"prompt_tokens":"9","completion_tokens":2})"))->usage ==
              std::nullopt);
  EXPECT_TRUE(parse_answer(completion("a", R"({"prompt_tokens":0,"completion_tokens":0})"))->usage ==
              std::nullopt);
  EXPECT_TRUE(parse_answer(completion("a", "null"))->usage == std::nullopt);
  EXPECT_FALSE(parse_answer(std::string(1'000'000, '[')));
}

TEST(Chat, WithoutUsageTheMostIsCounted) {
  World world({reply(200, completion("hello", ""))});
  world.endpoint.answer_tokens = 1000;
  world.endpoint.price = Price{1, 10};
  EXPECT_EQ(world.answer(), "hello");
  const Spent spent = world.author->spent();
  EXPECT_TRUE(spent.estimated);
  EXPECT_EQ(spent.answer_tokens, 1000);
  EXPECT_GE(spent.prompt_tokens, 17);  // bytes of what was said
  EXPECT_NEAR(spent.usd, (static_cast<double>(spent.prompt_tokens) + 10'000) / 1e6, 1e-12);
}

TEST(Chat, ACapOnTokensHoldsBeforeARequestIsSent) {
  World world({reply(200, completion("hello", R"({"prompt_tokens":100,"completion_tokens":300})"))});
  world.caps.tokens = 1500;
  EXPECT_EQ(world.answer(), "hello");
  EXPECT_EQ(world.answer(), "hello");
  const auto received = world.server.received();
  EXPECT_EQ(world.answer(), "hello");
  EXPECT_EQ(world.answer(), "nothing");  // 300 left: less than a prompt and a short answer can take
  EXPECT_EQ(world.requests(), 3U);
  EXPECT_LE(world.author->spent().tokens(), 1500);
  EXPECT_THAT(world.lines.back(), HasSubstr("cap of 1500 tokens"));
  for (const Received& each : received) {
    const auto body = each.body;
    const size_t at = body.find("\"max_tokens\":");
    ASSERT_NE(at, std::string::npos);
    EXPECT_LE(std::stol(body.substr(at + 13)), 1500);
  }
}

TEST(Chat, ACapOnMoneyHoldsBeforeARequestIsSent) {
  // An endpoint that always bills all that it may.
  int64_t billed = 0;
  FakeServer greedy([&](const Received& request) {
    const size_t at = request.body.find("\"max_tokens\":");
    const int64_t limit = std::stol(request.body.substr(at + 13));
    ++billed;
    return reply(200, completion("x", fmt::format(R"({{"prompt_tokens":{},"completion_tokens":{}}})",
                                                  request.body.size() / 2, limit)));
  });
  World world({reply(500, "")});
  world.endpoint.base_url = greedy.url();
  world.endpoint.price = Price{1.25, 10};
  world.caps.usd = 0.25;
  for (int i = 0; i < 50 && world.answer() != "nothing"; ++i) {
  }
  EXPECT_GE(billed, 2);
  EXPECT_LE(world.author->spent().usd, 0.25);
  EXPECT_GE(world.author->spent().usd, 0.2);
}

TEST(Chat, FailuresThatMayHaveBeenServedCountAgainstTheCap) {
  World world({reply(200, "not json")});
  world.endpoint.answer_tokens = 1000;
  world.endpoint.tries = 100;
  world.caps.tokens = 5000;
  EXPECT_EQ(world.answer(), "nothing");
  EXPECT_LE(world.author->spent().tokens(), 5000);
  World refused({reply(500, "")});
  refused.endpoint.tries = 3;
  refused.caps.tokens = 5000;
  EXPECT_THAT(refused.answer(), HasSubstr("does not answer"));
  EXPECT_EQ(refused.author->spent().tokens(), 0);
}

TEST(Chat, MoneyNeedsAPrice) {
  Endpoint endpoint;
  endpoint.model = "m";
  EXPECT_FALSE(usable(Caps{0, 1}, endpoint));
  EXPECT_TRUE(usable(Caps{100, 0}, endpoint));
  endpoint.price = Price{0, 0};
  EXPECT_TRUE(usable(Caps{0, 1}, endpoint));
}

TEST(Chat, AKeyIsNowhereButInTheHeader) {
  const std::string key(kKey);
  World world({reply(500, "your key is " + key), reply(200, completion("I know your key: " + key)),
               reply(401, R"({"error":{"message":"bad key )" + key + "\"}}")});
  EXPECT_THAT(world.answer(), HasSubstr("I know your key"));
  (void)world.ask("again");
  std::string everything;
  const auto exchanges = world.exchanges();
  for (const ExchangeRecord& each : exchanges)
    everything += each.request + each.response + each.failure + each.model;
  for (const std::string& line : world.lines) everything += line;
  const std::string folder = world.folder.path + "/run/exchanges";
  const auto files = real_files().list(folder).value();
  for (const std::string& file : files) everything += real_files().read(folder + "/" + file).value();
  EXPECT_EQ(everything.find(key), std::string::npos);
  EXPECT_THAT(everything, HasSubstr("[key]"));
  world.store.reset();
  EXPECT_EQ(real_files().read(world.folder.path + "/runs.db").value().find(key), std::string::npos);
}

TEST(Chat, ARunThatIsResumedPaysForNothingTwice) {
  World world({reply(500, ""), reply(200, completion("first")), reply(200, completion("second"))});
  EXPECT_EQ((*world.ask("a"))->text, "first");
  const Spent before = world.author->spent();
  world.restart();
  EXPECT_EQ((*world.ask("a"))->text, "first");
  EXPECT_EQ(world.requests(), 2U);
  EXPECT_EQ(world.author->spent().tokens(), before.tokens());
  EXPECT_EQ((*world.ask("b"))->text, "second");
  EXPECT_EQ(world.requests(), 3U);
  // Another question than the one that is stored is asked anew.
  world.restart();
  EXPECT_EQ((*world.ask("c"))->text, "second");
  EXPECT_EQ(world.requests(), 4U);
  EXPECT_EQ(world.author->spent().tokens(), 54);
  EXPECT_EQ(world.exchanges().size(), 4U);
}

TEST(Chat, ToolsCheckAndSubmit) {
  World world({reply(200, with_calls(call("check_program", R"({\"program\": \"p1\"})"))),
               reply(200, with_calls(call("search_web", "{}"))),
               reply(200, with_calls(call("submit_program", R"({\"program\": \"p2\"})")))});
  world.endpoint.tools = true;
  std::string checked;
  world.tools.check = [&](const std::string& program) {
    checked = program;
    return std::string("UC1234");
  };
  EXPECT_EQ(world.answer(), "```uc\np2\n```\n");
  EXPECT_EQ(checked, "p1");
  const auto received = world.server.received();
  EXPECT_THAT(received[0].body, HasSubstr("check_program"));
  EXPECT_THAT(received[1].body, HasSubstr(R"({"role":"tool","content":"UC1234","tool_call_id":"c1"})"));
  EXPECT_THAT(received[2].body, HasSubstr("the arguments are wrong"));
}

TEST(Chat, ToolsHaveAnEnd) {
  World world({reply(200, with_calls(call("check_program", R"({\"program\": \"p1\"})")))});
  world.endpoint.tools = true;
  world.tools.check = [](const std::string&) { return std::string("fine"); };
  EXPECT_EQ(world.answer(), "");
  EXPECT_EQ(world.requests(), 6U);
  EXPECT_THAT(world.server.received().back().body, HasSubstr("no more checks"));
}

TEST(Chat, GrammarsGoWhereTheEndpointTakesThem) {
  const auto body = [](Constraint how, const std::string& answer) {
    World world({reply(200, answer)});
    world.endpoint.grammar = how;
    world.tools.gbnf = "root ::= program";
    world.tools.lark = "start: program";
    EXPECT_THAT(world.answer(), HasSubstr("return y"));
    return world.server.received().at(0).body;
  };
  EXPECT_THAT(body(Constraint::llama_cpp, completion("return y")),
              HasSubstr(R"("grammar":"root ::= program")"));
  EXPECT_THAT(body(Constraint::vllm, completion("return y")),
              HasSubstr(R"("structured_outputs":{"grammar":"root ::= program"})"));
  const std::string custom =
      with_calls(R"({"id":"c1","type":"custom","custom":{"name":"submit_program","input":"return y"}})");
  EXPECT_THAT(body(Constraint::openai, custom),
              HasSubstr(R"("grammar":{"syntax":"lark","definition":"start: program"})"));
  EXPECT_THAT(body(Constraint::none, completion("return y")), Not(HasSubstr("program")));
}

TEST(Endpoint, SettingsAreReadAndRefused) {
  const auto read = parse_endpoint(
      R"({"base_url":"https://h/v1/","model":"m","key_env":"K","price":{"prompt":1,"answer":2},"grammar":"vllm","extra":{"top_k":1}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->base_url, "https://h/v1");
  EXPECT_EQ(endpoint_json(*parse_endpoint(endpoint_json(*read))), endpoint_json(*read));
  const struct {
    const char* json;
    const char* says;
  } wrong[] = {{"[]", "no JSON object"},
               {R"({"api_key":"sk-1"})", "hold a key"},
               {R"({"modle":"m"})", "no `modle`"},
               {R"({"model":3})", "`model`"},
               {R"({"answer_tokens":1})", "`answer_tokens`"},
               {R"({"price":{"prompt":-1,"answer":1}})", "`price`"},
               {R"({"grammar":"bnf"})", "`grammar`"},
               {R"({"extra":[]})", "`extra`"}};
  for (const auto& each : wrong) {
    const auto got = parse_endpoint(each.json);
    ASSERT_FALSE(got) << each.json;
    EXPECT_THAT(got.error().message, HasSubstr(each.says));
    EXPECT_EQ(got.error().exit_code, 2);
  }
  Endpoint endpoint;
  endpoint.model = "m";
  for (const char* url :
       {"", "host/v1", "ftp://h", "https://", "https://user:pass@h/v1", "https://h/v1?key=1"}) {
    endpoint.base_url = url;
    EXPECT_FALSE(usable(endpoint)) << url;
  }
  endpoint.base_url = "http://127.0.0.1:8080/v1";
  EXPECT_TRUE(usable(endpoint));
  EXPECT_FALSE(parse_price("1"));
  EXPECT_FALSE(parse_price("1:x"));
  EXPECT_FALSE(parse_price("-1:2"));
  EXPECT_EQ(parse_price("1.25:10")->answer, 10);
}

}  // namespace
}  // namespace uc
