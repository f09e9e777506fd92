#pragma once
// Why: a cap on tokens or money has to hold before a request is sent, not be noticed after it; so each
// request reserves the most that it can cost, and its answer is limited to what is left.
#include <cstdint>
#include <optional>
#include <string>

#include "agent/chat/endpoint.h"
#include "agent/spent.h"

namespace uc {

struct Caps {
  int64_t tokens = 0;  ///< of the run, prompts and answers together; 0: no cap
  double usd = 0;      ///< of the run; 0: no cap
};

/// Answers shorter than this are of no use, so none is asked for.
inline constexpr int64_t kLeastAnswer = 256;

/// What a request may cost.
struct Reservation {
  int64_t answer_tokens = 0;  ///< what the request allows the answer; 0: nothing may be sent
  std::string refusal;        ///< why nothing may be sent
};

/// Money for tokens; 0 where no price is known.
double cost(const std::optional<Price>& price, int64_t prompt_tokens, int64_t answer_tokens);

/// `prompt_tokens`: the most that the prompt can be.
Reservation reserve(const Caps& caps, const Endpoint& endpoint, const Spent& spent, int64_t prompt_tokens);

/// Errors: a cap on money for an endpoint without a price.
Result<> usable(const Caps& caps, const Endpoint& endpoint);

}  // namespace uc
