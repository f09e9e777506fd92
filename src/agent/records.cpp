#include "agent/records.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "agent/json_rows.h"
#include "diag/render.h"

namespace uc {
namespace {

using Json = nlohmann::ordered_json;

TimeKind parse_kind(const std::string& text) {
  return text == "measured" ? TimeKind::measured : text == "modelled" ? TimeKind::modelled : TimeKind::none;
}

// Text of another JSON value inside ours: as a value when it is one, so that the whole can be read.
Json embedded(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(nullptr) : value;
}

}  // namespace

std::string baselines_json(const Baselines& baselines) {
  Json all = Json::array();
  for (const Baseline& each : baselines.all) {
    all.push_back({{"name", each.name},
                   {"us", each.us},
                   {"kind", name(each.kind)},
                   {"own_io", each.own_io},
                   {"passed", each.passed},
                   {"note", each.note}});
  }
  return Json{{"schema", "ucutlass.baselines/1"},
              {"device", baselines.device},
              {"best", baselines.best},
              {"baselines", std::move(all)},
              {"problem", embedded(baselines.problem_json)}}
      .dump();
}

std::optional<Baselines> parse_baselines(const std::string& json) {
  const Json from = Json::parse(json, nullptr, false);
  if (!from.is_object() || !from.contains("baselines") || !from["baselines"].is_array()) return std::nullopt;
  Baselines out;
  out.device = from.value("device", "");
  out.best = from.value("best", "");
  if (from.contains("problem") && !from["problem"].is_null()) out.problem_json = from["problem"].dump();
  for (const Json& each : from["baselines"]) {
    if (!each.is_object()) return std::nullopt;
    out.all.push_back({each.value("name", ""), each.value("us", 0.0), parse_kind(each.value("kind", "")),
                       each.value("own_io", true), each.value("passed", true), each.value("note", "")});
  }
  return out;
}

std::string judgement_json(const Judgement& judgement) {
  Json speedups = speedup_rows(judgement.speedups);
  return Json{{"kind", name(judgement.kind)},    {"us", judgement.time_us},
              {"spread", judgement.spread},      {"prepack_us", judgement.prepack_us},
              {"speedups", std::move(speedups)}, {"record", embedded(judgement.timing)}}
      .dump();
}

Judgement judgement_of(const AttemptRecord& record) {
  Judgement out;
  out.label = record.label;
  out.reason = record.reason;
  out.message = record.message;
  out.kind = record.time_kind;
  out.time_us = record.time_us;
  out.correctness = record.correctness;
  const Json timing = Json::parse(record.timing, nullptr, false);
  if (!timing.is_object()) return out;
  out.spread = timing.value("spread", 0.0);
  out.prepack_us = timing.value("prepack_us", 0.0);
  if (timing.contains("record")) out.timing = timing["record"].dump();
  for (const Json& each : timing.value("speedups", Json::array())) {
    out.speedups.push_back({each.value("baseline", ""), each.value("baseline_us", 0.0),
                            each.value("candidate_us", 0.0), each.value("speedup", 0.0),
                            each.value("low", 0.0), each.value("high", 0.0), each.value("verdict", "")});
  }
  return out;
}

Spent spent_on(const ExchangeRecord& exchange) {
  return {1, exchange.prompt_tokens, exchange.answer_tokens, exchange.usd, exchange.estimated};
}

bool is_final(std::string_view rewrite) { return rewrite == "confirm" || rewrite == "without-prepack"; }

AttemptRecord record_of(const Outcome& outcome, const std::string& run, std::string_view proposer) {
  AttemptRecord out;
  out.run = run;
  out.number = outcome.number;
  out.parent = outcome.parent;
  out.proposer = proposer;
  out.rewrite = outcome.rewrite;
  out.hypothesis = outcome.what;
  out.cause = name(outcome.cause);
  out.expected_speedup = std::isfinite(outcome.expected_speedup) ? outcome.expected_speedup : 0;
  out.program = outcome.candidate->source;
  out.program_hash = outcome.candidate->ok() ? outcome.candidate->hash() : "";
  out.kernel_hashes = Json(outcome.kernel_hashes).dump();
  if (outcome.candidate->compiled != nullptr) {
    out.diagnostics = render_json(outcome.candidate->compiled->diags.sorted(), outcome.candidate->source,
                                  "attempt-" + std::to_string(outcome.number) + ".uc");
  }
  out.build_log = outcome.build_log;
  out.label = outcome.judgement.label;
  out.reason = outcome.judgement.reason;
  out.message = outcome.judgement.message;
  out.correctness = outcome.judgement.correctness;
  out.time_kind = outcome.judgement.kind;
  out.time_us = outcome.judgement.time_us;
  out.timing = judgement_json(outcome.judgement);
  out.started = outcome.started;
  out.ended = outcome.ended;
  return out;
}

}  // namespace uc
