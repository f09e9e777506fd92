#include "cli/mcp/server.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <streambuf>

#include "base/text.h"
#include "cli/mcp_tools.h"
#include "cli/version.h"

namespace uc::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// JSON-RPC 2.0, section 5.1.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kNoMethod = -32601, kInvalidParams = -32602;

// Newest first: what a client gets that asks for one that is not here.
constexpr std::array<std::string_view, 3> kVersions{"2025-06-18", "2025-03-26", "2024-11-05"};

std::string text_of(const ordered_json& message) {
  return message.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string error(const json& id, int code, const std::string& what) {
  return text_of({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", what}}}});
}

std::string result(const json& id, ordered_json value) {
  return text_of({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(value)}});
}

// How deep brackets go, those in strings apart; what is no JSON is told by the parser.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return deepest;
}

struct Said {
  int code = 0;
  std::string out, err;
};

// A command within this process, on streams of its own.
Said called(const Context& context, const ToolCall& call) {
  std::istringstream in(call.input);
  std::ostringstream out, err;
  const Context inner{context.catalog,   in,           out, err, context.environment, context.files,
                      context.processes, context.clock};
  const auto commands = builtin_commands();
  Said said;
  said.code = run(inner, commands, call.args);
  said.out = out.str();
  said.err = err.str();
  return said;
}

ordered_json content(const std::string& text) {
  ordered_json block{{"type", "text"}, {"text", text}};
  return ordered_json::array({std::move(block)});
}

ordered_json failed(const std::string& what) { return {{"content", content(what)}, {"isError", true}}; }

// Findings and wrong results are answers; a wrong call, a missing tool or a failure is an error.
ordered_json answer_of(const Said& said) {
  if (said.out.size() + said.err.size() > McpServer::kMostAnswer)
    return failed(fmt::format("the answer is larger than {} MB", McpServer::kMostAnswer >> 20U));
  const ordered_json object = ordered_json::parse(said.out, nullptr, false);
  const bool error = object.is_object() && object.value("schema", "") == "ucutlass.error/1";
  const bool data = object.is_object() || object.is_array();
  ordered_json out{{"content", content(data ? said.out : said.out + said.err)},
                   {"isError", error || said.code == kUsage || said.code == kMissing ||
                                   said.code == kInterrupted || (said.code != kDone && said.out.empty())}};
  if (object.is_object()) out["structuredContent"] = object;
  return out;
}

ordered_json greeting(const json& params) {
  std::string_view version = kVersions.front();
  for (const std::string_view each : kVersions) {
    if (params.contains("protocolVersion") && params["protocolVersion"] == each) version = each;
  }
  return {
      {"protocolVersion", version},
      {"capabilities", {{"tools", {{"listChanged", false}}}}},
      {"serverInfo", {{"name", "ucutlass"}, {"version", kVersion}}},
      {"instructions",
       "Call `language` first: it is the card to learn the language from. `check` a program until nothing is "
       "found, ask `sol` for its limit, and `evaluate` it for a problem."}};
}

std::string call_tool(const Context& context, const json& id, const json& params) {
  if (!params.contains("name") || !params["name"].is_string())
    return error(id, kInvalidParams, "tools/call needs the `name` of a tool");
  const std::string name = params["name"];
  if (!is_tool(name)) return error(id, kInvalidParams, fmt::format("no tool is named `{}`", printable(name)));
  const json arguments = params.value("arguments", json::object());
  if (!arguments.is_object()) return error(id, kInvalidParams, "`arguments` is no object");
  const auto call = tool_call(context, name, arguments);
  if (!call) return result(id, failed(fmt::format("{}; {}", call.error().message, call.error().help)));
  return result(id, answer_of(called(context, *call)));
}

// A line without its end; the rest of one that is too long is read and dropped. False: there is none.
bool read_line(std::istream& in, std::string& line, bool& whole) {
  line.clear();
  whole = true;
  std::streambuf& from = *in.rdbuf();
  using Traits = std::char_traits<char>;
  for (auto c = from.sbumpc(); !Traits::eq_int_type(c, Traits::eof()); c = from.sbumpc()) {
    if (Traits::to_char_type(c) == '\n') return true;
    if (line.size() == McpServer::kMostMessage)
      whole = false;
    else
      line += Traits::to_char_type(c);
  }
  return !line.empty();
}

std::string too_long() {
  return error(nullptr, kInvalidRequest,
               fmt::format("a message is larger than {} MB", McpServer::kMostMessage >> 20U));
}

// What is wrong with a message whatever its method.
std::optional<std::string> fault(const json& message, const json& id) {
  if (!message.is_object()) return error(nullptr, kInvalidRequest, "a message is one JSON object");
  if (message.contains("id") && id.is_null())
    return error(nullptr, kInvalidRequest, "`id` is a string or a whole number");
  if (message.value("jsonrpc", json()) != "2.0")
    return error(id, kInvalidRequest, "`jsonrpc` is not \"2.0\"");
  if (!message.contains("method") || !message["method"].is_string())
    return error(id, kInvalidRequest, "`method` is no string");
  if (message.contains("params") && !message["params"].is_object())
    return error(id, kInvalidParams, "`params` is no object");
  return std::nullopt;
}

}  // namespace

std::optional<std::string> McpServer::answer(std::string_view text) {
  if (text.size() > kMostMessage) return too_long();
  if (depth_of(text) > kDeepest) return error(nullptr, kInvalidRequest, "a message is nested too deeply");
  const json message = json::parse(text, nullptr, false);
  if (message.is_discarded()) return error(nullptr, kParseError, "this is no JSON");
  json id;
  if (message.is_object() && message.contains("id") &&
      (message["id"].is_string() || message["id"].is_number_integer()))
    id = message["id"];
  const bool response = message.is_object() && !message.contains("method") &&
                        (message.contains("result") || message.contains("error"));
  if (response) return std::nullopt;  // to a question that was not asked
  if (auto wrong = fault(message, id)) return wrong;
  if (id.is_null()) return std::nullopt;  // a notification
  const std::string method = message["method"];
  const json params = message.value("params", json::object());
  if (method == "ping") return result(id, ordered_json::object());
  if (method == "initialize") {
    initialized_ = true;
    return result(id, greeting(params));
  }
  if (!initialized_) return error(id, kInvalidRequest, "the first request is `initialize`");
  if (method == "tools/list") return result(id, {{"tools", ordered_json::parse(mcp_tools(context_))}});
  if (method == "tools/call") return call_tool(context_, id, params);
  return error(id, kNoMethod, fmt::format("there is no method `{}`", printable(method)));
}

int McpServer::serve() {
  std::string line;
  bool whole = true;
  while (read_line(context_.in, line, whole)) {
    if (whole && trim(line).empty()) continue;
    const auto said = whole ? answer(line) : too_long();
    if (!said) continue;
    context_.out << *said << "\n" << std::flush;
    if (!context_.out.good()) return kFindings;  // nobody listens any more
  }
  return kDone;
}

}  // namespace uc::cli
