#include "agent/chat/endpoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace uc {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<Constraint, std::string_view>, 4> kConstraints{
    {{Constraint::none, "none"},
     {Constraint::llama_cpp, "llama.cpp"},
     {Constraint::vllm, "vllm"},
     {Constraint::openai, "openai"}}};

constexpr std::array<std::string_view, 12> kFields{"schema", "base_url",      "model", "key_env",
                                                   "price",  "answer_tokens", "tools", "grammar",
                                                   "tries",  "deadline_s",    "extra", "temperature"};

tl::unexpected<Error> wrong(std::string_view field, std::string_view help) {
  return fail(fmt::format("`{}` of the language model's settings is wrong", field), std::string(help), 2);
}

Result<> read_text(const Json& from, const char* field, std::string& to) {
  if (!from.contains(field)) return {};
  if (!from[field].is_string()) return wrong(field, "write it in quotes");
  to = from[field].get<std::string>();
  return {};
}

Result<> read_count(const Json& from, const char* field, int64_t low, int64_t high, int64_t& to) {
  if (!from.contains(field)) return {};
  if (!from[field].is_number_integer() || from[field] < low || from[field] > high)
    return wrong(field, fmt::format("a whole number from {} to {}", low, high));
  to = from[field].get<int64_t>();
  return {};
}

bool is_amount(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0;
}

Result<> read_price(const Json& from, Endpoint& to) {
  if (!from.contains("price")) return {};
  const Json& price = from["price"];
  if (!price.is_object() || price.size() != 2 || !price.contains("prompt") || !price.contains("answer") ||
      !is_amount(price["prompt"]) || !is_amount(price["answer"]))
    return wrong("price", R"(dollars a million tokens: {"prompt": 1.25, "answer": 10})");
  to.price = Price{price["prompt"].get<double>(), price["answer"].get<double>()};
  return {};
}

Result<> read_rest(const Json& from, Endpoint& to) {
  if (from.contains("temperature")) {
    if (!is_amount(from["temperature"]) || from["temperature"] > 2)
      return wrong("temperature", "a number from 0 to 2");
    to.temperature = from["temperature"].get<double>();
  }
  if (from.contains("tools")) {
    if (!from["tools"].is_boolean()) return wrong("tools", "true or false");
    to.tools = from["tools"].get<bool>();
  }
  if (from.contains("grammar")) {
    const auto parsed =
        from["grammar"].is_string() ? parse_constraint(from["grammar"].get<std::string>()) : std::nullopt;
    if (!parsed) return wrong("grammar", "none, llama.cpp, vllm or openai");
    to.grammar = *parsed;
  }
  if (from.contains("extra")) {
    if (!from["extra"].is_object()) return wrong("extra", "an object: fields to add to each request");
    to.extra = from["extra"].dump();
  }
  return {};
}

// The field that is meant by one that is unknown; a key has no place here at all.
tl::unexpected<Error> unknown(const std::string& field) {
  if (field.find("key") != std::string::npos || field == "token" || field == "authorization")
    return fail("the language model's settings hold a key, and they are stored with the run",
                "put the key into an environment variable and name that: \"key_env\": \"NAME\"", 2);
  const std::string_view near = nearest(field, kFields);
  return fail(
      fmt::format("the language model's settings have no `{}`", printable(field)),
      near.empty() ? fmt::format("they have: {}", fmt::join(kFields, ", ")) : fmt::format("`{}`?", near), 2);
}

}  // namespace

std::string_view name(Constraint constraint) {
  return std::ranges::find(kConstraints, constraint, &std::pair<Constraint, std::string_view>::first)->second;
}

std::optional<Constraint> parse_constraint(std::string_view text) {
  const auto* found = std::ranges::find(kConstraints, text, &std::pair<Constraint, std::string_view>::second);
  return found == kConstraints.end() ? std::nullopt : std::optional(found->first);
}

std::string endpoint_json(const Endpoint& endpoint) {
  const Endpoint usual;
  Json out{{"base_url", endpoint.base_url}, {"model", endpoint.model}};
  if (!endpoint.key_env.empty()) out["key_env"] = endpoint.key_env;
  if (endpoint.price) out["price"] = {{"prompt", endpoint.price->prompt}, {"answer", endpoint.price->answer}};
  if (endpoint.answer_tokens != usual.answer_tokens) out["answer_tokens"] = endpoint.answer_tokens;
  if (endpoint.temperature) out["temperature"] = *endpoint.temperature;
  if (endpoint.tools) out["tools"] = true;
  if (endpoint.grammar != Constraint::none) out["grammar"] = name(endpoint.grammar);
  if (endpoint.deadline_s != usual.deadline_s) out["deadline_s"] = endpoint.deadline_s;
  if (endpoint.tries != usual.tries) out["tries"] = endpoint.tries;
  if (!endpoint.extra.empty()) out["extra"] = Json::parse(endpoint.extra, nullptr, false);
  return out.dump();
}

Result<Endpoint> parse_endpoint(const std::string& json) {
  const Json from = Json::parse(json, nullptr, false);
  if (!from.is_object())
    return fail("the language model's settings are no JSON object",
                R"(write {"base_url": "https://host/v1", "model": "NAME", "key_env": "VARIABLE"})", 2);
  for (const auto& [field, value] : from.items()) {
    if (std::ranges::find(kFields, field) == kFields.end()) return unknown(field);
  }
  Endpoint out;
  Result<> done = read_text(from, "base_url", out.base_url);
  if (done) done = read_text(from, "model", out.model);
  if (done) done = read_text(from, "key_env", out.key_env);
  if (done) done = read_count(from, "answer_tokens", 256, 1'000'000, out.answer_tokens);
  if (done) done = read_count(from, "deadline_s", 1, 7200, out.deadline_s);
  if (done) done = read_count(from, "tries", 1, 100, out.tries);
  if (done) done = read_price(from, out);
  if (done) done = read_rest(from, out);
  if (!done) return tl::unexpected(done.error());
  while (out.base_url.ends_with('/')) out.base_url.pop_back();
  return out;
}

Result<> usable(const Endpoint& endpoint) {
  const std::string& url = endpoint.base_url;
  if (url.empty() || endpoint.model.empty())
    return fail(url.empty() ? "no endpoint is named" : "no model is named",
                "say both: --base-url https://host/v1 --model NAME, or --llm FILE", 2);
  const size_t at = starts_with(url, "https://") ? 8 : starts_with(url, "http://") ? 7 : 0;
  if (at == 0 || url.size() == at || url.find_first_of(" ?#\r\n\t") != std::string::npos)
    return fail(fmt::format("`{}` is no address of an endpoint", printable(url)),
                "like https://host/v1 or http://127.0.0.1:8080/v1", 2);
  if (url.substr(at, url.find('/', at) - at).find('@') != std::string::npos)
    return fail("the endpoint's address holds a password, and it is stored with the run",
                "put the key into an environment variable and name that with --key-env", 2);
  return {};
}

std::optional<Price> parse_price(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto number = [](const std::string& part) -> std::optional<double> {
    char* end = nullptr;
    const double value = std::strtod(part.c_str(), &end);
    const bool whole = !part.empty() && end == part.c_str() + part.size();
    return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
  };
  const auto prompt = number(std::string(text.substr(0, colon)));
  const auto answer = number(std::string(text.substr(colon + 1)));
  return prompt && answer ? std::optional(Price{*prompt, *answer}) : std::nullopt;
}

}  // namespace uc
