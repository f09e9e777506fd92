#pragma once
// Why: the words of OpenAI's chat completions, as values: everything else speaks of messages and answers.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "agent/chat/endpoint.h"

namespace uc {

struct ToolCall {
  std::string id, name;
  std::string arguments;  ///< JSON of a function's arguments; the text itself of a custom tool
  bool custom = false;
};

struct ChatMessage {
  std::string role;  ///< system, user, assistant, tool
  std::string text;
  std::vector<ToolCall> calls = {};  ///< of an assistant
  std::string call_id = {};          ///< of a tool's answer: what it answers
};

/// One request, whatever the endpoint's own settings are.
struct ChatRequest {
  std::vector<ChatMessage> messages;
  bool tools = false;        ///< offer check_program and submit_program
  std::string grammar = {};  ///< GBNF or Lark, as the endpoint takes it; empty: answers are free
  int64_t answer_tokens = 0;
};

/// What an endpoint takes, as it turns out.
struct Dialect {
  bool completion_limit = false;  ///< "max_completion_tokens", not "max_tokens"
  bool temperature = true;        ///< takes one at all
};

/// The body to send.
std::string chat_body(const Endpoint& endpoint, const ChatRequest& request, const Dialect& dialect);
/// Bytes of everything in it that a model reads: no tokenizer makes more tokens of them, since each stands
/// for a byte at least, and the words around messages are more than the marks that stand for them.
int64_t most_prompt_tokens(const ChatRequest& request);

struct Usage {
  int64_t prompt = 0, answer = 0;
};

struct ChatAnswer {
  std::string text;
  std::string finish;  ///< stop, length, tool_calls, content_filter, ...
  std::vector<ToolCall> calls;
  std::optional<Usage> usage;
  bool empty() const { return text.empty() && calls.empty(); }
};

/// Reads a body of status 200. Bytes that are no UTF-8 become U+FFFD. An answer without choices is empty. The
/// error is a line: what it is instead.
tl::expected<ChatAnswer, std::string> parse_answer(std::string_view body);

/// What a body of another status says, as one line; empty: nothing that can be read.
struct Complaint {
  std::string message, code, parameter;
};
Complaint parse_complaint(std::string_view body);

/// The text with U+FFFD in place of bytes that are no UTF-8.
std::string valid_utf8(std::string_view bytes);

}  // namespace uc
