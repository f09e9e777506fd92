#include "agent/chat/caps.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace uc {
namespace {

constexpr double kMillion = 1e6;

// Tokens that an answer may have for the money that is left after the prompt.
int64_t affordable(const Caps& caps, const Price& price, const Spent& spent, int64_t prompt_tokens) {
  const double left = caps.usd - spent.usd - static_cast<double>(prompt_tokens) * price.prompt / kMillion;
  if (left < 0) return 0;
  if (price.answer <= 0) return INT64_MAX;
  return static_cast<int64_t>(std::min(std::floor(left * kMillion / price.answer), 9e15));
}

}  // namespace

double cost(const std::optional<Price>& price, int64_t prompt_tokens, int64_t answer_tokens) {
  if (!price) return 0;
  return (static_cast<double>(prompt_tokens) * price->prompt +
          static_cast<double>(answer_tokens) * price->answer) /
         kMillion;
}

Reservation reserve(const Caps& caps, const Endpoint& endpoint, const Spent& spent, int64_t prompt_tokens) {
  int64_t most = endpoint.answer_tokens;
  const int64_t least = std::min(kLeastAnswer, most);
  if (caps.tokens > 0) {
    most = std::min(most, caps.tokens - spent.tokens() - prompt_tokens);
    if (most < least)
      return {0,
              fmt::format("the cap of {} tokens is reached: {} are spent, and the next request may take {} "
                          "and its answer",
                          caps.tokens, spent.tokens(), prompt_tokens)};
  }
  if (caps.usd > 0 && endpoint.price) {
    most = std::min(most, affordable(caps, *endpoint.price, spent, prompt_tokens));
    if (most < least)
      return {0, fmt::format("the cap of {:.4g} USD is reached: {:.4g} are spent, and the next request may "
                             "take {:.4g} and its answer",
                             caps.usd, spent.usd, cost(endpoint.price, prompt_tokens, 0))};
  }
  return {most, {}};
}

Result<> usable(const Caps& caps, const Endpoint& endpoint) {
  if (caps.usd <= 0 || endpoint.price) return {};
  return fail(
      fmt::format("--max-usd cannot hold: the price of {} is not known", endpoint.model),
      "give it in dollars a million tokens: --price PROMPT:ANSWER, like --price 1.25:10 (0:0 for a model "
      "of your own)",
      2);
}

}  // namespace uc
