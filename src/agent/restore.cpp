#include "agent/restore.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/records.h"
#include "store/exchanges.h"

namespace uc {
namespace {

Cause parse_cause(const std::string& text) {
  for (const Cause each : {Cause::precision, Cause::prepack, Cause::algebra, Cause::kernel}) {
    if (name(each) == text) return each;
  }
  return Cause::kernel;
}

// Authors of such a run wrote CUDA; the first program is the import all the same.
bool writes_cuda(const RunRecord& run) {
  const auto options = nlohmann::json::parse(run.options, nullptr, false);
  return options.is_object() && options.value("raw", false);
}

Outcome outcome_of(const Catalog& catalog, const DeviceSpec& device, const AttemptRecord& record) {
  Outcome out;
  out.number = record.number;
  out.parent = record.parent;
  out.candidate = std::make_shared<const Candidate>(make_candidate(catalog, record.program, device));
  out.rewrite = record.rewrite;
  out.what = record.hypothesis;
  out.cause = parse_cause(record.cause);
  out.expected_speedup = record.expected_speedup;
  out.judgement = judgement_of(record);
  out.build_log = record.build_log;
  out.started = record.started;
  out.ended = record.ended;
  out.replayed = true;
  return out;
}

}  // namespace

Result<RunResult> restore(const Catalog& catalog, const DeviceSpec& device, Store& store,
                          const RunRecord& run, Precision precision) {
  auto attempts = store.attempts(run.id);
  if (!attempts) return tl::unexpected(attempts.error());
  RunResult out;
  if (auto baselines = parse_baselines(run.baselines)) out.baselines = std::move(*baselines);
  out.interrupted = run.state == RunState::interrupted;
  const bool raw = writes_cuda(run);
  for (const AttemptRecord& each : *attempts) {
    out.outcomes.push_back(outcome_of(catalog, device, each));
    if (raw && each.number > 1)
      out.outcomes.back().candidate = std::make_shared<const Candidate>(
          make_raw_candidate(out.outcomes.front().candidate->program, each.program));
  }
  for (size_t i = 0; i < out.outcomes.size(); ++i) {
    if (out.outcomes[i].rewrite == "confirm") out.confirmed = i;
    if (out.outcomes[i].rewrite == "without-prepack") out.without_prepack = i;
  }
  auto exchanges = exchanges_of(store, run.id);
  if (!exchanges) return tl::unexpected(exchanges.error());
  for (const ExchangeRecord& each : *exchanges) {
    const Spent spent = spent_on(each);
    out.spent += spent;
    const auto outcome = std::ranges::find(out.outcomes, each.attempt, &Outcome::number);
    if (outcome != out.outcomes.end()) outcome->spent += spent;
  }
  out.best = best_of(out.outcomes);
  if (!out.outcomes.empty())
    out.bounds = bounds_of(catalog, out.outcomes.front().candidate->program, device, precision);
  return out;
}

}  // namespace uc
