#include "agent/chat/protocol.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/proposers/answers.h"
#include "base/text.h"
#include "syntax/unicode.h"

namespace uc {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostAnswer = size_t{1} << 20U;  // bytes of an answer's text
constexpr size_t kMostCalls = 16;
constexpr size_t kMostLine = 300;

// Invalid UTF-8 in what we send (names of problems) must not be an exception.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json call_json(const ToolCall& call) {
  if (call.custom)
    return {
        {"id", call.id}, {"type", "custom"}, {"custom", {{"name", call.name}, {"input", call.arguments}}}};
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

Json message_json(const ChatMessage& message) {
  Json out{{"role", message.role}, {"content", message.text}};
  if (!message.call_id.empty()) out["tool_call_id"] = message.call_id;
  for (const ToolCall& call : message.calls) out["tool_calls"].push_back(call_json(call));
  return out;
}

Json function_json(std::string_view name, std::string_view description) {
  return {
      {"type", "function"},
      {"function",
       {{"name", name},
        {"description", description},
        {"parameters",
         {{"type", "object"},
          {"properties", {{"program", {{"type", "string"}, {"description", "the text of a whole program"}}}}},
          {"required", Json::array({"program"})},
          {"additionalProperties", false}}}}}};
}

Json tools_json() {
  return Json::array({function_json("check_program", "Checks a program and gives its diagnostics. Free."),
                      function_json("submit_program", "Hands in a program to be judged and timed.")});
}

Json custom_tool(const std::string& grammar) {
  return {{"type", "custom"},
          {"custom",
           {{"name", "submit_program"},
            {"description", "Hands in a program to be judged and timed."},
            {"format", {{"type", "grammar"}, {"grammar", {{"syntax", "lark"}, {"definition", grammar}}}}}}}};
}

void constrain(Json& body, Constraint how, const std::string& grammar) {
  switch (how) {
    case Constraint::none: return;
    case Constraint::llama_cpp: body["grammar"] = grammar; return;
    case Constraint::vllm: body["structured_outputs"] = {{"grammar", grammar}}; return;
    case Constraint::openai:
      body["tools"] = Json::array({custom_tool(grammar)});
      body["tool_choice"] = "required";
      return;
  }
}

std::string text_at(const Json& from, const char* key) {
  return from.is_object() && from.contains(key) && from[key].is_string() ? from[key].get<std::string>()
                                                                         : std::string();
}

// A string, or the texts of a list of parts.
std::string content_of(const Json& message) {
  if (!message.contains("content")) return {};
  const Json& content = message["content"];
  if (content.is_string()) return content.get<std::string>();
  std::string out;
  if (content.is_array()) {
    for (const Json& part : content) out += text_at(part, "text");
  }
  return out;
}

std::vector<ToolCall> calls_of(const Json& message) {
  std::vector<ToolCall> out;
  if (!message.contains("tool_calls") || !message["tool_calls"].is_array()) return out;
  for (const Json& each : message["tool_calls"]) {
    if (out.size() == kMostCalls || !each.is_object()) continue;
    const bool custom = each.contains("custom");
    const Json inner = each.value(custom ? "custom" : "function", Json::object());
    out.push_back({text_at(each, "id"), text_at(inner, "name"),
                   text_at(inner, custom ? "input" : "arguments"), custom});
  }
  return out;
}

std::optional<Usage> usage_of(const Json& body) {
  if (!body.contains("usage") || !body["usage"].is_object()) return std::nullopt;
  const auto count = [&](const char* key) -> int64_t {
    const Json& usage = body["usage"];
    if (!usage.contains(key) || !usage[key].is_number_integer()) return -1;
    const auto value = usage[key].get<int64_t>();
    return value > int64_t{1} << 40 ? -1 : value;
  };
  const Usage out{count("prompt_tokens"), count("completion_tokens")};
  // No request is free of a prompt: zeros are a server that does not count.
  return out.prompt > 0 && out.answer >= 0 ? std::optional(out) : std::nullopt;
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size();) {
    const syntax::CodePoint point = syntax::decode(bytes, at);
    if (point.valid) {
      out.append(bytes.substr(at, point.length));
    } else {
      out += "\xEF\xBF\xBD";
    }
    at += std::max<size_t>(point.length, 1);
  }
  return out;
}

std::string chat_body(const Endpoint& endpoint, const ChatRequest& request, const Dialect& dialect) {
  Json body{{"model", endpoint.model}, {"messages", Json::array()}};
  for (const ChatMessage& message : request.messages) body["messages"].push_back(message_json(message));
  body[dialect.completion_limit ? "max_completion_tokens" : "max_tokens"] = request.answer_tokens;
  if (endpoint.temperature && dialect.temperature) body["temperature"] = *endpoint.temperature;
  if (request.tools) body["tools"] = tools_json();
  if (!request.grammar.empty()) constrain(body, endpoint.grammar, request.grammar);
  if (!endpoint.extra.empty()) {
    const Json extra = Json::parse(endpoint.extra, nullptr, false);
    if (extra.is_object()) body.update(extra);
  }
  return dump(body);
}

int64_t most_prompt_tokens(const ChatRequest& request) {
  Json read{{"messages", Json::array()}};
  for (const ChatMessage& message : request.messages) read["messages"].push_back(message_json(message));
  if (request.tools) read["tools"] = tools_json();
  return static_cast<int64_t>(dump(read).size());
}

tl::expected<ChatAnswer, std::string> parse_answer(std::string_view body) {
  const std::string text = valid_utf8(body);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    const std::string start = one_line(text, 80);
    return tl::unexpected(start.empty() ? std::string("the answer is empty")
                                        : fmt::format("the answer is no JSON: {}", start));
  }
  if (!json.is_object() || !json.contains("choices") || !json["choices"].is_array())
    return tl::unexpected(fmt::format("the answer is no chat completion: {}", one_line(text, 80)));
  ChatAnswer out;
  out.usage = usage_of(json);
  if (json["choices"].empty() || !json["choices"][0].is_object()) return out;
  const Json& choice = json["choices"][0];
  out.finish = text_at(choice, "finish_reason");
  if (!choice.contains("message") || !choice["message"].is_object()) return out;
  out.text = content_of(choice["message"]);
  out.calls = calls_of(choice["message"]);
  if (out.text.size() > kMostAnswer) {
    out.text = valid_utf8(out.text.substr(0, kMostAnswer));
    out.finish = "length";
  }
  return out;
}

Complaint parse_complaint(std::string_view body) {
  const Json json = Json::parse(valid_utf8(body), nullptr, false);
  if (!json.is_object()) return {};
  const Json error = json.contains("error") ? json["error"] : json;
  if (error.is_string()) return {one_line(error.get<std::string>(), kMostLine), {}, {}};
  std::string message = text_at(error, "message");
  if (message.empty()) message = text_at(error, "detail");
  return {one_line(message, kMostLine), text_at(error, "code"), text_at(error, "param")};
}

}  // namespace uc
