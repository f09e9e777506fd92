// What endpoints do wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "agent/chat/testing.h"

namespace uc {
namespace {

using namespace chat_testing;
using testing::HasSubstr;
using testing::Not;

TEST(Chat, TriesAgainAfterWhatPasses) {
  const Reply fine = reply(200, completion("fine"));
  const Reply faults[] = {
      reply(429, R"({"error":{"message":"slow down"}})", "Retry-After: 3\r\n"),
      reply(429, "", "retry-after-ms: 1500\r\n"),
      reply(429, "", "Retry-After: Tue, 14 Nov 2023 22:14:00 GMT\r\n"),
      reply(500, "oops"),
      reply(502, "<html>bad gateway</html>", "", "text/html"),
      reply(503, R"({"error":"overloaded"})", "Retry-After: nonsense\r\n"),
      reply(408, ""),
      reply(200, "{\"choices\": [{\"mess", "", "application/json", 1000),  // cut
      {"", false},                                                         // hung up
      {"SSH-2.0-OpenSSH\r\n", false},
      reply(200, "not json"),
      reply(200, "<html>hello</html>", "", "text/html"),
      reply(200, R"({"choices": "none"})"),
      reply(200, R"([1, 2])"),
      reply(200, ""),
      reply(200, R"({"choices": []})"),
      reply(200, R"({"choices": [null]})"),
      reply(200, R"({"choices": [{"message": null}]})"),
      reply(200, R"({"choices": [{"message": {"content": null}}]})"),
      reply(200, completion("")),
  };
  for (const Reply& fault : faults) {
    World world({fault, fine});
    EXPECT_EQ(world.answer(), "fine") << fault.bytes;
    EXPECT_EQ(world.requests(), 2U) << fault.bytes;
    EXPECT_EQ(world.exchanges().size(), 2U) << fault.bytes;
    EXPECT_NE(world.exchanges()[0].failure, "") << fault.bytes;
    EXPECT_EQ(world.lines.size(), 1U) << fault.bytes;
    EXPECT_GT(world.clock.now().count(), 0) << fault.bytes;
  }
}

TEST(Chat, WaitsAsLongAsItIsAskedTo) {
  for (const auto& [header, ms] :
       {std::pair{"Retry-After: 30\r\n", 30'000}, std::pair{"retry-after-ms: 250\r\n", 250}}) {
    World world({reply(429, "", header), reply(200, completion("fine"))});
    EXPECT_EQ(world.answer(), "fine");
    EXPECT_EQ(world.clock.now(), Millis(ms));
  }
  World never({reply(429, "", "Retry-After: 86400\r\n")});
  EXPECT_THAT(never.answer(), HasSubstr("asks to wait 86400 seconds"));
  EXPECT_EQ(never.clock.now().count(), 0);
  HttpResponse response{429, {{"retry-after", "Fri, 31 Dec 1999 23:59:59 GMT"}}, ""};
  EXPECT_EQ(asked_pause(response, 946684799 - 20), Millis(20'000));
  EXPECT_EQ(asked_pause(response, 946684799 + 20), Millis(0));
}

TEST(Chat, PausesGrowAndEnd) {
  World world({reply(500, "")});
  EXPECT_THAT(world.answer(), HasSubstr("does not answer after 4 tries: status 500"));
  EXPECT_EQ(world.requests(), 4U);
  const double seconds = std::chrono::duration<double>(world.clock.now()).count();
  EXPECT_GE(seconds, 3.5);
  EXPECT_LE(seconds, 7.0);
}

TEST(Chat, ADripThatNeverEndsMeetsTheDeadline) {
  World world(
      {Reply{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", true}, reply(200, completion("fine"))});
  world.endpoint.deadline_s = 1;
  world.endpoint.tries = 30;  // a machine under load may be slow to answer, too
  EXPECT_EQ(world.answer(), "fine");
  EXPECT_TRUE(world.author->spent().estimated);  // it may have been served
}

TEST(Chat, WhatDoesNotPassEndsAtOnceAndSaysWhatToDo) {
  const struct {
    Reply answer;
    const char* message;
    const char* help;
  } cases[] = {
      {reply(401, R"({"error":{"message":"Incorrect API key provided: sk-secret-1234567890"}})"), "[key]",
       "--key-env"},
      {reply(403, ""), "refuses (403)", "--key-env"},
      {reply(404, R"({"error":{"message":"no such model"}})"), "no such model", "--model"},
      {reply(400, R"({"error":{"message":"tools are not supported"}})"), "tools are not supported",
       "settings"},
      {reply(422, R"({"detail":"bad"})"), "bad", "settings"},
      {reply(302, "", "Location: http://elsewhere/v1\r\n"), "http://elsewhere/v1", "--base-url"},
      {reply(429, R"({"error":{"code":"insufficient_quota","message":"pay"}})"), "account is empty", ""},
  };
  for (const auto& each : cases) {
    World world({each.answer});
    const auto got = world.ask();
    ASSERT_FALSE(got);
    EXPECT_THAT(got.error().message, HasSubstr(each.message));
    EXPECT_THAT(got.error().help, HasSubstr(each.help));
    EXPECT_THAT(got.error().message, Not(HasSubstr(std::string(kKey))));
    EXPECT_EQ(world.requests(), 1U);
  }
}

TEST(Chat, AHugeAnswerIsCutAndCounted) {
  World world({reply(200, completion(std::string(20 << 20, 'x')))});
  const auto got = world.ask();
  ASSERT_TRUE(got && *got);
  EXPECT_TRUE((*got)->cut);
  EXPECT_TRUE(world.author->spent().estimated);
  World large({reply(200, completion(std::string(3 << 20, 'x')))});
  const auto less = large.ask();
  ASSERT_TRUE(less && *less);
  EXPECT_TRUE((*less)->cut);
  EXPECT_LE((*less)->text.size(), size_t{1} << 20U);
}

}  // namespace
}  // namespace uc
