#include "agent/chat/chat_author.h"

#include <nlohmann/json.hpp>

#include "agent/proposers/template.h"

namespace uc {
namespace {

constexpr int kMostRounds = 6;  // of tools, for one answer

// The argument `program` of a function, or the whole input of a custom tool.
std::optional<std::string> program_of(const ToolCall& call) {
  if (call.custom) return call.arguments;
  const auto json = nlohmann::json::parse(call.arguments, nullptr, false);
  if (!json.is_object() || !json.contains("program") || !json["program"].is_string()) return std::nullopt;
  return json["program"].get<std::string>();
}

}  // namespace

ChatRequest ChatAuthor::first(const AuthorRequest& request) const {
  ChatRequest out;
  for (const Message& each : request.messages)
    out.messages.push_back({std::string(uc::name(each.role)), each.text});
  if (request.question != Question::write) return out;
  const Constraint how = client_.endpoint().grammar;
  if (how != Constraint::none) out.grammar = how == Constraint::openai ? tools_.lark : tools_.gbnf;
  out.tools = client_.endpoint().tools && how != Constraint::openai;
  return out;
}

std::optional<std::string> ChatAuthor::serve(const ChatAnswer& answer, ChatRequest& conversation) const {
  conversation.messages.push_back({"assistant", answer.text, answer.calls});
  for (const ToolCall& call : answer.calls) {
    const auto program = program_of(call);
    if (program && call.name == "submit_program") return program;
    std::string said;
    if (!program) {
      said = R"(the arguments are wrong: {"program": "..."})";
    } else if (call.name == "check_program") {
      said = tools_.check(*program);
    } else {
      said = "there is no such tool: check_program, submit_program";
    }
    conversation.messages.push_back({"tool", said, {}, call.id});
  }
  return std::nullopt;
}

Result<std::optional<AuthorAnswer>> ChatAuthor::ask(const AuthorRequest& request) {
  ChatRequest conversation = first(request);
  for (int round = 1;; ++round) {
    auto got = client_.ask(conversation, {request.question, request.attempt});
    if (!got) return tl::unexpected(got.error());
    if (!*got) return std::nullopt;
    const ChatAnswer& answer = **got;
    const bool cut = answer.finish == "length";
    if (answer.calls.empty()) return AuthorAnswer{answer.text, cut};
    if (auto program = serve(answer, conversation)) return AuthorAnswer{fenced("uc", *program), cut};
    if (round == kMostRounds) return AuthorAnswer{answer.text, cut};
    // The last round has to end with a program.
    if (round == kMostRounds - 1)
      conversation.messages.push_back({"user", "Hand in a program now: no more checks."});
  }
}

}  // namespace uc
