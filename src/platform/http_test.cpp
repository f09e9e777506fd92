#include "platform/http.h"

#include <gtest/gtest.h>

#include "platform/fake_server.h"

namespace uc {
namespace {

using testing_http::FakeServer;
using testing_http::Received;
using testing_http::reply;
using testing_http::Reply;
using Failed = HttpFailure::Kind;

HttpRequest to(const FakeServer& server) {
  HttpRequest out;
  out.url = server.url() + "/v1/chat/completions";
  out.body = R"({"a":1})";
  return out;
}

Failed failure_of(const Reply& answer, const std::function<void(HttpRequest&)>& change = {}) {
  FakeServer server([&](const Received&) { return answer; });
  HttpRequest request = to(server);
  if (change) change(request);
  const auto got = real_http().post(request);
  EXPECT_FALSE(got);
  return got ? Failed::unavailable : got.error().kind;
}

TEST(Http, SendsWhatItIsGivenAndReadsTheAnswer) {
  FakeServer server(
      [](const Received&) { return reply(201, "{\"b\":2}", "Retry-After: 7\r\nX-A: 1\r\nx-a: 2\r\n"); });
  ASSERT_TRUE(server.usable());
  HttpRequest request = to(server);
  request.headers = {{"Authorization", "Bearer abc"}};
  request.body = std::string(300'000, 'x');
  const auto got = real_http().post(request);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->status, 201);
  EXPECT_EQ(got->body, "{\"b\":2}");
  EXPECT_EQ(got->header("retry-after"), "7");
  EXPECT_EQ(got->header("x-a"), "2");
  EXPECT_EQ(got->header("missing"), std::nullopt);
  const Received seen = server.received().at(0);
  EXPECT_EQ(seen.body, request.body);
  EXPECT_NE(seen.head.find("POST /v1/chat/completions"), std::string::npos);
  EXPECT_NE(seen.head.find("Authorization: Bearer abc"), std::string::npos);
  EXPECT_EQ(seen.head.find("Expect"), std::string::npos);
}

TEST(Http, NeverFollowsARedirect) {
  FakeServer server(
      [](const Received&) { return reply(302, "", "Location: http://127.0.0.1:9/elsewhere\r\n"); });
  const auto got = real_http().post(to(server));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 302);
  EXPECT_EQ(server.received().size(), 1U);
}

TEST(Http, TellsApartHowAnExchangeFailed) {
  EXPECT_EQ(failure_of(reply(200, "{\"cut", "", "application/json", 1000)), Failed::cut);
  EXPECT_EQ(failure_of({"", false}), Failed::cut);
  EXPECT_EQ(failure_of({"no http at all\r\n\r\n", false}), Failed::cut);
  const auto soon = [](HttpRequest& request) { request.deadline = Millis(1500); };
  EXPECT_EQ(failure_of({"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", true}, soon), Failed::timed_out);
  EXPECT_EQ(failure_of({"", true}, soon), Failed::timed_out);
  const auto small = [](HttpRequest& request) { request.most_bytes = 1000; };
  EXPECT_EQ(failure_of(reply(200, std::string(100'000, 'x')), small), Failed::too_large);
  const auto given_up = [](HttpRequest& request) { request.cancelled = [] { return true; }; };
  EXPECT_EQ(failure_of({"", true}, given_up), Failed::cancelled);
}

TEST(Http, SaysWhenNothingListens) {
  // A port that is taken, so that nobody else can listen there meanwhile.
  const int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(taken, generic, size), 0);
  ASSERT_EQ(getsockname(taken, generic, &size), 0);
  HttpRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const auto got = real_http().post(request);
  close(taken);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, Failed::unreachable);
}

TEST(Http, SpeaksNothingButHttp) {
  for (const char* url : {"file:///etc/passwd", "gopher://127.0.0.1/", "", "http://"}) {
    HttpRequest request;
    request.url = url;
    const auto got = real_http().post(request);
    ASSERT_FALSE(got) << url;
    EXPECT_EQ(got.error().kind, Failed::bad_url) << url << ": " << got.error().message;
  }
}

}  // namespace
}  // namespace uc
