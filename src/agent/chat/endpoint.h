#pragma once
// Why: which model is asked, where, and what it may cost. Stored with the run as it is, so it never holds a
// key: it names the environment variable that does.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace uc {

/// US dollars a million tokens.
struct Price {
  double prompt = 0, answer = 0;
};

/// How an endpoint is told to answer in the language's grammar.
enum class Constraint : uint8_t {
  none,
  llama_cpp,  ///< "grammar": GBNF
  vllm,       ///< "structured_outputs": {"grammar": GBNF}
  openai      ///< a custom tool with a Lark grammar
};
std::string_view name(Constraint constraint);
std::optional<Constraint> parse_constraint(std::string_view text);

/// An endpoint that speaks OpenAI's chat completions.
struct Endpoint {
  std::string base_url;  ///< "https://host/v1", without a slash at the end
  std::string model;
  std::string key_env;                ///< variable that holds the key; empty: none is sent
  std::optional<Price> price;         ///< unknown: money is not counted
  int64_t answer_tokens = 16384;      ///< of one answer, thoughts included
  std::optional<double> temperature;  ///< not sent unless given
  bool tools = false;                 ///< offer tools to check and to submit a program
  Constraint grammar = Constraint::none;
  int64_t deadline_s = 600;  ///< of one exchange
  int64_t tries = 6;         ///< of one request, before the run ends
  std::string extra;         ///< JSON object: further fields of the request; may be empty
};

/// Schema ucutlass.llm/1, keys sorted, without what is at its default.
std::string endpoint_json(const Endpoint& endpoint);
/// Errors: no JSON, a field that is unknown or of the wrong type, with what to write instead; what looks like
/// a key.
Result<Endpoint> parse_endpoint(const std::string& json);
/// Errors: no base_url or model, a URL that is none or that holds a password.
Result<> usable(const Endpoint& endpoint);

/// "IN:OUT" in dollars a million tokens.
std::optional<Price> parse_price(std::string_view text);

}  // namespace uc
