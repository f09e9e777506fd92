#pragma once
// Why: the client of language models is tried with an endpoint on this machine that says what a test says.
#include <deque>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>

#include "agent/chat/chat_author.h"
#include "platform/fake_server.h"
#include "platform/files.h"

namespace uc::chat_testing {

using testing_http::FakeServer;
using testing_http::Received;
using testing_http::reply;
using testing_http::Reply;

inline constexpr std::string_view kKey = "sk-secret-1234567890";

inline std::string completion(std::string_view content,
                              std::string_view usage = R"({"prompt_tokens":11,"completion_tokens":7})",
                              std::string_view finish = "stop") {
  return fmt::format(
      R"({{"id":"1","object":"chat.completion","choices":[{{"index":0,"finish_reason":"{}","message":{{"role":"assistant","content":"{}"}}}}]{}}})",
      finish, content, usage.empty() ? "" : fmt::format(R"(,"usage":{})", usage));
}

struct Folder {
  Folder() = default;
  ~Folder() { (void)real_files().remove(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path = real_files().make_temporary_folder("uc-chat-").value();
};

/// An endpoint that says what the test says, in order, the last again and again; and what asks it.
struct World {
  explicit World(std::deque<Reply> script)
      : answers(std::move(script)), server([this](const Received&) {
          Reply next = answers.front();
          if (answers.size() > 1) answers.pop_front();
          return next;
        }) {
    EXPECT_TRUE(server.usable());
    store = Store::open(folder.path + "/runs.db", clock).value();
    run = store->begin_run({}).value();
    endpoint.base_url = server.url() + "/v1";
    endpoint.model = "tester";
    endpoint.tries = 4;
    artefacts = std::make_unique<Artefacts>(real_files(), folder.path + "/run", [](const std::string&) {});
  }
  ChatWorld world() {
    return {real_http(),
            clock,
            *store,
            run.id,
            std::string(kKey),
            [this](const std::string& line) { lines.push_back(line); },
            {},
            artefacts.get()};
  }
  Result<std::optional<AuthorAnswer>> ask(const std::string& text = "write it") {
    if (author == nullptr) author = std::make_unique<ChatAuthor>(world(), endpoint, caps, tools);
    return author->ask({Question::write, 2, {{Role::system, "you write"}, {Role::user, text}}});
  }
  void restart() { author.reset(); }
  std::string answer() {
    auto got = ask();
    if (!got) return "error: " + got.error().message;
    return *got ? (*got)->text : "nothing";
  }
  size_t requests() { return server.received().size(); }
  std::vector<ExchangeRecord> exchanges() { return exchanges_of(*store, run.id).value(); }

  Folder folder;
  std::deque<Reply> answers;
  FakeServer server;
  FakeClock clock;
  std::unique_ptr<Store> store;
  RunRecord run;
  Endpoint endpoint;
  Caps caps;
  ChatTools tools;
  std::unique_ptr<Artefacts> artefacts;
  std::unique_ptr<ChatAuthor> author;
  std::vector<std::string> lines;
};

}  // namespace uc::chat_testing
