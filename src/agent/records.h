#pragma once
// Why: what the loop remembers and what the store keeps are the same facts; this is the one place that turns
// one into the other, so that a resumed run decides as the first one did.
#include <string>
#include <string_view>

#include "agent/evaluator.h"
#include "agent/hypothesis.h"
#include "store/exchanges.h"
#include "store/store.h"

namespace uc {

std::string baselines_json(const Baselines& baselines);
/// Nothing when the text is not what baselines_json wrote.
std::optional<Baselines> parse_baselines(const std::string& json);

std::string judgement_json(const Judgement& judgement);
/// The judgement of a stored attempt.
Judgement judgement_of(const AttemptRecord& record);

/// What one request to a language model cost.
Spent spent_on(const ExchangeRecord& exchange);

/// Measurements of what was found already, at the end of a run: no attempts of its budget.
bool is_final(std::string_view rewrite);

/// The record of an attempt that has ended. `diagnostics` is a JSON array.
AttemptRecord record_of(const Outcome& outcome, const std::string& run, std::string_view proposer);

}  // namespace uc
