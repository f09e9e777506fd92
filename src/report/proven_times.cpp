// What stored runs have proven, for the light-speed picture.
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/light_speed.h"

namespace uc {
namespace {

using Json = nlohmann::json;

std::string text_in(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string()
             ? object[key].get<std::string>()
             : std::string();
}

// The result that the run itself reports: the best program, measured once more.
std::optional<ProvenTime> reported(const RunRecord& run) {
  const Json summary = Json::parse(run.summary, nullptr, false);
  if (!summary.is_object() || !summary.contains("best") || !summary["best"].is_object()) return {};
  const Json& best = summary["best"];
  if (text_in(best, "label") != "ok" || !best.contains("us") || !best["us"].is_number()) return {};
  ProvenTime out;
  out.time_us = best["us"].get<double>();
  out.modelled = text_in(best, "kind") != name(TimeKind::measured);
  const int64_t attempt =
      best.contains("attempt") && best["attempt"].is_number_integer() ? best["attempt"].get<int64_t>() : 0;
  out.what = fmt::format("attempt {} of run {}", attempt, run.id);
  return out.time_us > 0 ? std::optional(out) : std::nullopt;
}

bool better(const ProvenTime& a, const ProvenTime& b) {
  return std::pair(a.modelled, a.time_us) < std::pair(b.modelled, b.time_us);
}

// Of a run that has not come to its end: its fastest attempt that passed.
Result<std::optional<ProvenTime>> fastest(Store& store, const RunRecord& run) {
  const auto attempts = store.attempts(run.id);
  if (!attempts) return tl::unexpected(attempts.error());
  std::optional<ProvenTime> out;
  for (const AttemptRecord& each : *attempts) {
    if (each.label != "ok" || each.time_kind == TimeKind::none || !(each.time_us > 0)) continue;
    ProvenTime time;
    time.time_us = each.time_us;
    time.modelled = each.time_kind == TimeKind::modelled;
    time.what = fmt::format("attempt {} of run {}, which has not ended", each.number, run.id);
    if (!out || better(time, *out)) out = std::move(time);
  }
  return out;
}

Precision precision_of(const RunRecord& run) {
  const Json options = Json::parse(run.options, nullptr, false);
  return parse_precision(text_in(options, "precision")).value_or(Precision::strict);
}

}  // namespace

Result<std::vector<ProvenTime>> proven_times(Store& store, std::string_view device) {
  const auto runs = store.runs(SIZE_MAX / 2);
  if (!runs) return tl::unexpected(runs.error());
  std::map<std::pair<std::string, Precision>, ProvenTime> best;
  for (const RunRecord& run : *runs) {
    if (!run.imported.empty()) continue;  // proven elsewhere, if at all
    if (run.device != device) continue;
    std::optional<ProvenTime> time = reported(run);
    if (!time) {
      auto found = fastest(store, run);
      if (!found) return tl::unexpected(found.error());
      time = std::move(*found);
    }
    if (!time) continue;
    time->problem = run.problem;
    time->problem_hash = run.problem_hash;
    time->precision = precision_of(run);
    const auto [kept, first] = best.try_emplace({run.problem_hash, time->precision}, *time);
    if (!first && better(*time, kept->second)) kept->second = std::move(*time);
  }
  std::vector<ProvenTime> out;
  for (auto& [key, time] : best) out.push_back(std::move(time));
  return out;
}

}  // namespace uc
