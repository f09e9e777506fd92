#pragma once
// Why: a language model behind an endpoint as an author: with tools it may check programs before it hands one
// in, with a grammar it can only say programs.
#include <functional>
#include <string>

#include "agent/author.h"
#include "agent/chat/client.h"

namespace uc {

/// What the endpoint's settings need of the language.
struct ChatTools {
  std::function<std::string(const std::string&)> check;  ///< diagnostics of a program, for its author
  std::string gbnf, lark;                                ///< the grammar
};

class ChatAuthor final : public Author {
 public:
  ChatAuthor(const ChatWorld& world, const Endpoint& endpoint, const Caps& caps, ChatTools tools)
      : client_(world, endpoint, caps), tools_(std::move(tools)) {}

  std::string_view name() const override { return "llm"; }
  Result<std::optional<AuthorAnswer>> ask(const AuthorRequest& request) override;
  Spent spent() const override { return client_.spent(); }

 private:
  ChatRequest first(const AuthorRequest& request) const;
  /// Answers the calls of `answer` in the conversation; the program, once one is handed in.
  std::optional<std::string> serve(const ChatAnswer& answer, ChatRequest& conversation) const;

  ChatClient client_;
  ChatTools tools_;
};

}  // namespace uc
