#include "cli/optimize/estimate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/chat/endpoint.h"
#include "agent/records.h"
#include "cli/optimize/setup.h"
#include "cli/output.h"
#include "metrics/metrics.h"
#include "store/place.h"

namespace uc::cli {
namespace {

using Json = nlohmann::ordered_json;

// Where the store knows nothing. Seconds: an SM90 file takes nvcc half a minute, several build side by side;
// a modelled attempt is a check and a run of the CPU executor. Tokens: the card, a report, a program.
constexpr double kMeasuredSeconds = 20, kModelledSeconds = 1;
constexpr double kPromptTokens = 8000, kAnswerTokens = 4000;
constexpr size_t kMostRuns = 400;  // that are looked at, newest first

std::string model_of(const std::string& llm) {
  const auto endpoint = llm.empty() ? Result<Endpoint>(Endpoint{}) : parse_endpoint(llm);
  return endpoint ? endpoint->model : std::string();
}

std::optional<Price> price_of(const OptimizeSettings& settings) {
  const auto endpoint = parse_endpoint(settings.llm);
  return endpoint ? endpoint->price : std::nullopt;
}

// The same kind of work: times of one kind, from the same proposer.
bool alike(const OptimizeSettings& past, const OptimizeSettings& settings, bool gpu,
           const std::vector<AttemptRecord>& attempts) {
  const auto measured = std::ranges::count(attempts, TimeKind::measured, &AttemptRecord::time_kind);
  return past.proposer == settings.proposer && past.raw == settings.raw && (measured > 0) == gpu &&
         model_of(past.llm) == model_of(settings.llm);
}

bool uses_model(const OptimizeSettings& settings) { return settings.proposer == "llm"; }

std::string count_text(double value) { return fmt::format("{:.0f}", value); }

}  // namespace

Result<AttemptCost> attempt_cost(Store* store, const OptimizeSettings& settings, bool gpu) {
  AttemptCost out;
  out.seconds = gpu ? kMeasuredSeconds : kModelledSeconds;
  if (uses_model(settings)) {
    out.prompt_tokens = kPromptTokens;
    out.answer_tokens = kAnswerTokens;
  }
  if (store == nullptr) return out;
  const auto runs = store->runs(kMostRuns);
  if (!runs) return tl::unexpected(runs.error());
  std::vector<double> seconds;
  double attempts_all = 0, prompt = 0, answer = 0;
  for (const RunRecord& run : *runs) {
    const auto past = parse_settings(run.options);
    if (run.state != RunState::done || !run.imported.empty() || run.ended <= run.started || !past) continue;
    const auto attempts = store->attempts(run.id);
    if (!attempts) return tl::unexpected(attempts.error());
    if (attempts->empty() || !alike(*past, settings, gpu, *attempts)) continue;
    const auto count = static_cast<double>(attempts->size());
    seconds.push_back((run.ended - run.started) / count);
    const auto exchanges = exchanges_of(*store, run.id);
    if (!exchanges) return tl::unexpected(exchanges.error());
    attempts_all += count;
    for (const ExchangeRecord& each : *exchanges) {
      prompt += static_cast<double>(each.prompt_tokens);
      answer += static_cast<double>(each.answer_tokens);
    }
  }
  if (seconds.empty()) return out;
  out.runs = seconds.size();
  out.seconds = metrics::median(seconds);
  if (uses_model(settings)) {
    out.prompt_tokens = prompt / attempts_all;
    out.answer_tokens = answer / attempts_all;
  }
  return out;
}

Estimate estimate(const OptimizeSettings& settings, bool gpu, const std::vector<Standing>& problems,
                  const AttemptCost& each) {
  Estimate out;
  out.problems = problems.size();
  out.each = each;
  out.gpu = gpu;
  const auto price = price_of(settings);
  double usd = 0;
  for (const Standing& problem : problems) {
    if (problem.finished) {
      ++out.finished;
      continue;
    }
    const int64_t left = std::max<int64_t>(0, settings.attempts - problem.made);
    out.attempts += left;
    // Caps are those of a problem's run.
    double share = 1;
    const double tokens = static_cast<double>(left) * (each.prompt_tokens + each.answer_tokens);
    if (settings.max_tokens > 0 && tokens > static_cast<double>(settings.max_tokens))
      share = static_cast<double>(settings.max_tokens) / tokens;
    const double asked =
        static_cast<double>(left) *
        (price ? each.prompt_tokens * price->prompt + each.answer_tokens * price->answer : 0) / 1e6;
    if (settings.max_usd > 0 && asked * share > settings.max_usd) share = settings.max_usd / asked;
    out.capped = out.capped || share < 1;
    out.prompt_tokens += share * static_cast<double>(left) * each.prompt_tokens;
    out.answer_tokens += share * static_cast<double>(left) * each.answer_tokens;
    usd += share * asked;
  }
  out.minutes = static_cast<double>(out.attempts) * each.seconds / 60;
  if (price || !uses_model(settings)) out.usd = usd;
  return out;
}

std::string estimate_text(const Estimate& e, const OptimizeSettings& settings) {
  const std::string source = e.each.runs > 0 ? fmt::format("of {} stored runs like it", e.each.runs)
                                             : std::string("assumed: no run like it is stored");
  std::string out = "Nothing was tried; this is what it would take at most.\n";
  out += fmt::format("problems  {}{}\n", e.problems,
                     e.finished > 0 ? fmt::format(", {} of them finished before", e.finished) : "");
  out += fmt::format("attempts  {} ({} a problem), {}, and up to 2 final measurements a problem\n",
                     e.attempts, settings.attempts, e.gpu ? "measured" : "modelled");
  out += fmt::format("minutes   {:.1f} at {:.2f} s an attempt, {}\n", e.minutes, e.each.seconds, source);
  if (!uses_model(settings)) return out + "tokens    none: no language model is asked\nmoney     none\n";
  out += fmt::format("tokens    {} of prompts, {} of answers{}, {}\n", count_text(e.prompt_tokens),
                     count_text(e.answer_tokens), e.capped ? " (a cap ends it there)" : "", source);
  return out + (e.usd ? fmt::format("money     {:.2f} dollars\n", *e.usd)
                      : std::string("money     unknown: say --price IN:OUT\n"));
}

std::string estimate_json(const Estimate& e, const OptimizeSettings& settings) {
  return Json{{"schema", "ucutlass.estimate/1"},
              {"problems", e.problems},
              {"finished", e.finished},
              {"attempts", e.attempts},
              {"attempts_a_problem", settings.attempts},
              {"kind", name(e.gpu ? TimeKind::measured : TimeKind::modelled)},
              {"minutes", e.minutes},
              {"seconds_an_attempt", e.each.seconds},
              {"assumed", e.each.runs == 0},
              {"runs", e.each.runs},
              {"prompt_tokens", std::round(e.prompt_tokens)},
              {"answer_tokens", std::round(e.answer_tokens)},
              {"capped", e.capped},
              {"usd", e.usd ? Json(*e.usd) : Json(nullptr)}}
             .dump(2) +
         "\n";
}

int dry_run(const Context& context, const OptimizeSettings& settings,
            const std::vector<OptimizeSettings>& problems) {
  const auto path = store_path(context.environment, settings.store);
  std::unique_ptr<Store> store;
  if (path && context.files.exists(*path)) {
    auto opened = Store::open_for_reading(*path, context.clock);
    if (!opened) return report(context, opened.error(), settings.json);
    store = std::move(*opened);
  }
  std::vector<Standing> standings;
  OptimizeSettings common = settings;
  bool gpu = false;
  for (const OptimizeSettings& each : problems) {
    auto standing = standing_of(context, each, store.get());
    if (!standing) return report(context, standing.error(), settings.json);
    gpu = standing->gpu;
    if (!each.resume.empty()) {
      const bool json = common.json;
      common = standing->settings;
      common.json = json;
    }
    standings.push_back({standing->finished, standing->made});
  }
  const auto each = attempt_cost(store.get(), common, gpu);
  if (!each) return report(context, each.error(), settings.json);
  const Estimate all = estimate(common, gpu, standings, *each);
  context.out << (settings.json ? estimate_json(all, common) : estimate_text(all, common));
  return kDone;
}

}  // namespace uc::cli
