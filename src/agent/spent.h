#pragma once
// Why: what proposing costs is counted in one way for every proposer, so that runs can be compared.
#include <cstdint>

namespace uc {

/// Tokens and money of calls of a language model.
struct Spent {
  int64_t calls = 0;
  int64_t prompt_tokens = 0, answer_tokens = 0;
  double usd = 0;
  bool estimated = false;  ///< an endpoint did not say its usage: the most that it can have been is counted

  int64_t tokens() const { return prompt_tokens + answer_tokens; }
  Spent& operator+=(const Spent& other) {
    calls += other.calls;
    prompt_tokens += other.prompt_tokens;
    answer_tokens += other.answer_tokens;
    usd += other.usd;
    estimated = estimated || other.estimated;
    return *this;
  }
  /// What was added to `earlier` to get here.
  Spent since(const Spent& earlier) const {
    return {calls - earlier.calls, prompt_tokens - earlier.prompt_tokens,
            answer_tokens - earlier.answer_tokens, usd - earlier.usd, estimated};
  }
};

}  // namespace uc
