// `ucutlass replay`: what a policy of spending attempts would have saved, and lost.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/attempt_logs.h"
#include "cli/options.h"
#include "cli/output.h"
#include "metrics/metrics.h"
#include "schedule/replay.h"

namespace uc::cli {
namespace {

using Json = nlohmann::ordered_json;
using schedule::AttemptLog;
using schedule::Cost;
using schedule::Frontier;
using schedule::Replayed;

constexpr std::string_view kExamples =
    "ucutlass replay attempts.jsonl                          # the frontier: what each policy keeps and "
    "saves\n"
    "ucutlass replay 20260301-1 20260301-2                   # of runs in the store\n"
    "ucutlass replay log.jsonl --policy 'sol(25%,16)'        # of one policy, every problem\n"
    "ucutlass replay log.jsonl --kind roi --budget 0.5 --csv # all policies that go by gain, with half of "
    "the tokens\n";

struct Settings {
  std::vector<std::string> logs, policies;
  std::string store, cost = "auto", kind = "sol", output;
  double retain = 0.95, budget = 1, unsolved = 1;
  bool json = false, csv = false;
};

// A list is separated by commas, and so are the two numbers of a policy.
std::vector<std::string> whole(const std::vector<std::string>& pieces) {
  std::vector<std::string> out;
  bool open = false;
  for (const std::string& piece : pieces) {
    if (open)
      out.back() += "," + piece;
    else
      out.push_back(piece);
    open = std::ranges::count(out.back(), '(') > std::ranges::count(out.back(), ')');
  }
  return out;
}

Cost cost_of(const Settings& settings, const AttemptLog& log) {
  if (settings.cost == "tokens") return Cost::tokens;
  if (settings.cost == "seconds") return Cost::seconds;
  return settings.cost == "auto" && schedule::has_tokens(log) ? Cost::tokens : Cost::attempts;
}

size_t count(const Replayed& replayed) {
  size_t out = 0;
  for (const int each : replayed.attempts) out += static_cast<size_t>(each);
  return out;
}

Json value(const Replayed& each) {
  return {{"policy", schedule::name(each.policy)},
          {"geomean", each.geomean},
          {"retention", each.retention},
          {"cost", each.cost},
          {"saved", 1 - each.cost_share},
          {"attempts", count(each)},
          {"gain", each.gain}};
}

std::string line(const Replayed& each, std::string_view remark) {
  return fmt::format("{:<18} {:>8.1f} %  {:>8.3f}x  {:>8.1f} %  {:>9}  {:>7.2f}  {}\n",
                     schedule::name(each.policy), each.retention * 100, each.geomean,
                     (1 - each.cost_share) * 100, count(each), each.gain, remark);
}

std::string header() {
  return fmt::format("{:<18} {:>10}  {:>9}  {:>10}  {:>9}  {:>7}\n", "policy", "retention", "geomean",
                     "saved", "attempts", "gain");
}

std::string summary(const AttemptLog& log, const Replayed& fixed, Cost cost) {
  const auto mean = metrics::bootstrap(fixed.speedups, metrics::geomean);
  return fmt::format(
      "{} problems, {} attempts, {:.0f} {}. All of them: geomean {:.3f}x [{:.3f}, {:.3f}], median {:.3f}x, "
      "at least 1x on "
      "{:.0f} %, 2x on {:.0f} %\n\n",
      log.size(), count(fixed), fixed.cost, schedule::name(cost), mean.value, mean.low, mean.high,
      metrics::median(fixed.speedups), 100 * metrics::fast_p(fixed.speedups, 1),
      100 * metrics::fast_p(fixed.speedups, 2));
}

std::string csv(const std::vector<const Replayed*>& rows) {
  std::string out = "policy,geomean,retention,cost,saved,attempts,gain\n";
  for (const Replayed* each : rows)
    out += fmt::format("\"{}\",{:.6g},{:.6g},{:.9g},{:.6g},{},{:.6g}\n", schedule::name(each->policy),
                       each->geomean, each->retention, each->cost, 1 - each->cost_share, count(*each),
                       each->gain);
  return out;
}

// For people: of the efficient ones the cheapest at each of these retentions.
constexpr std::array<double, 11> kLevels{0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.99, 1};

std::vector<size_t> shown(const Frontier& found) {
  std::vector<size_t> out;
  for (const double level : kLevels) {
    const auto at = std::ranges::find_if(
        found.efficient, [&](size_t each) { return found.all[each].retention >= level - 1e-12; });
    if (at != found.efficient.end() && (out.empty() || out.back() != *at)) out.push_back(*at);
  }
  return out;
}

std::string frontier_text(const AttemptLog& log, const Frontier& found, Cost cost, double retain) {
  std::string out = summary(log, found.fixed, cost) + header() + line(found.fixed, "all attempts");
  std::vector<size_t> rows = shown(found);
  if (found.best != SIZE_MAX && std::ranges::find(rows, found.best) == rows.end()) rows.push_back(found.best);
  std::ranges::sort(rows, {}, [&](size_t each) { return found.all[each].retention; });
  for (const size_t each : rows) {
    const std::string remark =
        each == found.best ? fmt::format("the cheapest that keeps {:g} %", retain * 100) : "";
    out += line(found.all[each], remark);
  }
  out += fmt::format("\n{} of {} policies are beaten by no other in both; --json and --csv show all.\n",
                     found.efficient.size(), found.all.size());
  if (found.best == SIZE_MAX) out += fmt::format("None keeps {:g} %.\n", retain * 100);
  return out;
}

Json frontier_json(const AttemptLog& log, const Frontier& found, const Settings& settings, Cost cost) {
  Json all = Json::array(), efficient = Json::array();
  for (const Replayed& each : found.all) all.push_back(value(each));
  for (const size_t each : found.efficient) efficient.push_back(schedule::name(found.all[each].policy));
  return {{"schema", "ucutlass.replay/1"},
          {"problems", log.size()},
          {"cost", schedule::name(cost)},
          {"budget", settings.budget},
          {"retain", settings.retain},
          {"fixed", value(found.fixed)},
          {"policies", std::move(all)},
          {"efficient", std::move(efficient)},
          {"best", found.best == SIZE_MAX ? Json(nullptr) : value(found.all[found.best])}};
}

std::string policy_text(const AttemptLog& log, const Replayed& each) {
  std::string out = fmt::format("\n{}\n{:<40} {:>9}  {:>9}\n", schedule::name(each.policy), "problem",
                                "attempts", "speedup");
  for (size_t i = 0; i < log.size(); ++i)
    out += fmt::format("{:<40} {:>4} / {:<4} {:>8.3f}x\n", log[i].name, each.attempts[i],
                       log[i].attempts.size(), each.speedups[i]);
  return out;
}

Result<std::string> show_policies(const Settings& settings, const AttemptLog& log,
                                  const schedule::ReplayOptions& options) {
  std::vector<Replayed> rows;
  for (const std::string& text : whole(settings.policies)) {
    const auto policy = schedule::parse_policy(text);
    if (!policy) return tl::unexpected(policy.error());
    auto replayed = schedule::replay(log, *policy, options);
    if (!replayed) return tl::unexpected(replayed.error());
    rows.push_back(std::move(*replayed));
  }
  if (settings.csv) {
    std::vector<const Replayed*> all;
    for (const Replayed& each : rows) all.push_back(&each);
    return csv(all);
  }
  const auto fixed = schedule::replay(log, schedule::Policy{}, {options.cost, options.unsolved, 1});
  if (!fixed) return tl::unexpected(fixed.error());
  if (settings.json) {
    Json all = Json::array();
    for (const Replayed& each : rows) {
      Json problems = Json::array();
      for (size_t i = 0; i < log.size(); ++i)
        problems.push_back(
            {{"problem", log[i].name}, {"attempts", each.attempts[i]}, {"speedup", each.speedups[i]}});
      all.push_back(value(each));
      all.back()["by_problem"] = std::move(problems);
    }
    return Json{{"schema", "ucutlass.replay/1"},
                {"problems", log.size()},
                {"cost", schedule::name(options.cost)},
                {"budget", options.budget},
                {"fixed", value(*fixed)},
                {"policies", std::move(all)}}
               .dump(2) +
           "\n";
  }
  std::string out = summary(log, *fixed, options.cost) + header() + line(*fixed, "all attempts");
  for (const Replayed& each : rows) out += line(each, "");
  for (const Replayed& each : rows) out += policy_text(log, each);
  return out;
}

Result<std::string> show_frontier(const Settings& settings, const AttemptLog& log,
                                  const schedule::ReplayOptions& options) {
  const auto kind = settings.kind == "roi" ? schedule::Policy::Kind::roi : schedule::Policy::Kind::sol;
  const auto found = schedule::frontier(log, kind, schedule::default_eps(), schedule::default_patience(),
                                        settings.retain, options);
  if (!found) return tl::unexpected(found.error());
  if (settings.csv) {
    std::vector<const Replayed*> all{&found->fixed};
    for (const Replayed& each : found->all) all.push_back(&each);
    return csv(all);
  }
  if (settings.json) return frontier_json(log, *found, settings, options.cost).dump(2) + "\n";
  return frontier_text(log, *found, options.cost, settings.retain);
}

int run_replay(const Invocation& invocation) {
  Settings settings;
  Options options(invocation);
  options.positionals("LOG", settings.logs,
                      "files of attempts (JSON lines, `-` is stdin), or runs of the store");
  options.list("--policy", settings.policies, "POLICY",
               "show this policy instead of the frontier: fixed, sol(EPS,W), roi(EPS,W)",
               Options::From::command_line);
  options.choice("--kind", settings.kind, {"sol", "roi"}, "the policies of the frontier",
                 Options::From::command_line);
  options.value("--retain", settings.retain, "SHARE", "of the geomean, that the best policy keeps", 0, 1);
  options.value("--budget", settings.budget, "SHARE", "of the cost of all attempts that may be spent", 0, 1);
  options.value("--unsolved", settings.unsolved, "SPEEDUP",
                "what a problem without an accepted attempt counts for", 1e-6, 1);
  options.choice("--cost", settings.cost, {"auto", "tokens", "attempts", "seconds"},
                 "what is spent; auto: tokens where the log has them, else attempts");
  options.value("--store", settings.store, "FILE",
                "the database of runs (default: ~/.local/share/ucutlass/runs.db)");
  options.flag("--json", settings.json, "one JSON object");
  options.flag("--csv", settings.csv, "every policy, a line each");
  options.value("-o,--out", settings.output, "FILE", "write there instead of standard output",
                Options::From::command_line);
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  if (auto spared = spare_inputs(settings.output, settings.logs); !spared)
    return report(context, spared.error(), settings.json);
  const auto log = read_attempt_logs(context, settings.logs, settings.store);
  if (!log) return report(context, log.error(), settings.json);
  const schedule::ReplayOptions how{cost_of(settings, *log), settings.unsolved, settings.budget};
  const auto text =
      settings.policies.empty() ? show_frontier(settings, *log, how) : show_policies(settings, *log, how);
  if (!text) return report(context, text.error(), settings.json);
  if (auto written = write_output(context, settings.output, *text); !written)
    return report(context, written.error(), settings.json);
  return kDone;
}

constexpr CommandSpec kRows[] = {{"replay", CommandGroup::search,
                                  "replay finished runs under policies of spending attempts", kExamples,
                                  run_replay}};

}  // namespace

std::span<const CommandSpec> replay_command_rows() { return kRows; }

}  // namespace uc::cli
