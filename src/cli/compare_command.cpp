// `ucutlass compare`: two runs, or two agents over many problems, by the same numbers.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/attempt_logs.h"
#include "cli/options.h"
#include "cli/output.h"
#include "metrics/metrics.h"

namespace uc::cli {
namespace {

using Json = nlohmann::ordered_json;
using schedule::AttemptLog;
using schedule::LoggedProblem;

constexpr std::string_view kExamples =
    "ucutlass compare last 20260301-142301    # two runs of the store\n"
    "ucutlass compare ours.jsonl theirs.jsonl # two agents: every problem that both tried\n";
constexpr std::array<double, 5> kReached{1.0, 1.2, 1.5, 2.0, 4.0};

// The best speedup after each attempt; 0 before the first that was accepted.
std::vector<double> progress(const LoggedProblem& problem) {
  std::vector<double> out;
  double best = 0;
  for (const auto& each : problem.attempts) {
    if (each.accepted) best = std::max(best, problem.reference_us / each.time_us);
    out.push_back(best);
  }
  return out;
}

struct Side {
  std::string name;
  std::vector<double> speedups;  // one a problem that both tried
  std::vector<std::vector<double>> progress;

  void add(const LoggedProblem& problem, double unsolved) {
    progress.push_back(cli::progress(problem));
    const double best = progress.back().empty() ? 0 : progress.back().back();
    speedups.push_back(best > 0 ? best : unsolved);
  }
};

struct Comparison {
  std::array<Side, 2> sides;
  std::vector<std::string> problems;
  std::vector<std::string> alone;  // tried by one side only
  std::vector<double> ratios;      // of the first over the second
};

Comparison compared(const AttemptLog& first, const AttemptLog& second, double unsolved) {
  Comparison out;
  const auto in = [](const AttemptLog& log, const std::string& name) {
    return std::ranges::find(log, name, &LoggedProblem::name);
  };
  for (const LoggedProblem& each : first) {
    const auto other = in(second, each.name);
    if (other == second.end()) {
      out.alone.push_back(each.name);
      continue;
    }
    out.problems.push_back(each.name);
    out.sides[0].add(each, unsolved);
    out.sides[1].add(*other, unsolved);
    out.ratios.push_back(out.sides[0].speedups.back() / out.sides[1].speedups.back());
  }
  for (const LoggedProblem& each : second) {
    if (in(first, each.name) == first.end()) out.alone.push_back(each.name);
  }
  return out;
}

std::string interval(const metrics::Interval& each) {
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", each.value, each.low, each.high);
}

std::string metric_line(std::string_view what, const std::string& a, const std::string& b) {
  return fmt::format("{:<28} {:>26} {:>26}\n", what, a, b);
}

std::string text(const Comparison& all) {
  const auto& [a, b] = all.sides;
  std::string out = metric_line("over PyTorch's best", a.name, b.name);
  for (size_t i = 0; i < all.problems.size(); ++i)
    out += fmt::format("{:<28} {:>25.3f}x {:>25.3f}x  {:>8.3f}\n", all.problems[i], a.speedups[i],
                       b.speedups[i], all.ratios[i]);
  const auto both = [&](std::string_view what, auto of) { out += metric_line(what, of(a), of(b)); };
  out += fmt::format("\n{} problems that both tried\n", all.problems.size());
  both("geomean",
       [](const Side& side) { return interval(metrics::bootstrap(side.speedups, metrics::geomean)); });
  both("median",
       [](const Side& side) { return interval(metrics::bootstrap(side.speedups, metrics::median)); });
  for (const double r : kReached)
    both(fmt::format("at least {:g}x", r),
         [&](const Side& side) { return fmt::format("{:.1f} %", 100 * metrics::fast_p(side.speedups, r)); });
  out += fmt::format(
      "\nThe first over the second: geomean {}; area between the Fast-p curves up to 10x {:+.3f}\n",
      interval(metrics::bootstrap(all.ratios, metrics::geomean)),
      metrics::area_between(a.speedups, b.speedups));
  if (!all.alone.empty())
    out += fmt::format("Tried by one side only, not counted: {}\n", fmt::join(all.alone, ", "));
  return out;
}

Json interval_json(const metrics::Interval& each) {
  return {{"value", each.value}, {"low", each.low}, {"high", each.high}};
}

Json side_json(const Side& side) {
  Json reached = Json::array();
  for (const double r : kReached)
    reached.push_back({{"speedup", r},
                       {"share", metrics::fast_p(side.speedups, r)},
                       {"share_after_attempts", metrics::attempt_fast_p(side.progress, r)}});
  return {{"name", side.name},
          {"geomean", interval_json(metrics::bootstrap(side.speedups, metrics::geomean))},
          {"median", interval_json(metrics::bootstrap(side.speedups, metrics::median))},
          {"fast_p", std::move(reached)}};
}

std::string json_text(const Comparison& all) {
  Json problems = Json::array();
  for (size_t i = 0; i < all.problems.size(); ++i)
    problems.push_back({{"problem", all.problems[i]},
                        {"speedups", {all.sides[0].speedups[i], all.sides[1].speedups[i]}},
                        {"ratio", all.ratios[i]}});
  return Json{{"schema", "ucutlass.compare/1"},
              {"sides", {side_json(all.sides[0]), side_json(all.sides[1])}},
              {"ratio", interval_json(metrics::bootstrap(all.ratios, metrics::geomean))},
              {"area", metrics::area_between(all.sides[0].speedups, all.sides[1].speedups)},
              {"problems", std::move(problems)},
              {"one_side_only", all.alone}}
             .dump(2) +
         "\n";
}

int run_compare(const Invocation& invocation) {
  std::array<std::string, 2> names;
  std::string store;
  double unsolved = 1;
  bool json = false;
  Options options(invocation);
  options.positional("FIRST", names[0], "a file of attempts (JSON lines), or a run of the store");
  options.positional("SECOND", names[1], "the other one");
  options.value("--unsolved", unsolved, "SPEEDUP", "what a problem without an accepted attempt counts for",
                1e-6, 1);
  options.value("--store", store, "FILE", "the database of runs (default: ~/.local/share/ucutlass/runs.db)");
  options.flag("--json", json, "one JSON object");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  std::array<AttemptLog, 2> logs;
  for (size_t i = 0; i < 2; ++i) {
    auto log = read_attempt_logs(context, std::span(&names[i], 1), store);
    if (!log) return report(context, log.error(), json);
    logs[i] = std::move(*log);
  }
  Comparison all = compared(logs[0], logs[1], unsolved);
  for (size_t i = 0; i < 2; ++i) all.sides[i].name = names[i];
  if (all.problems.empty())
    return report(context,
                  Error{fmt::format("{} and {} have no problem in common", names[0], names[1]),
                        fmt::format("their problems are: {}", fmt::join(all.alone, ", ")), kFindings},
                  json);
  context.out << (json ? json_text(all) : text(all));
  return kDone;
}

constexpr CommandSpec kRows[] = {{"compare", CommandGroup::search,
                                  "compare two runs, or two agents over the same problems", kExamples,
                                  run_compare}};

}  // namespace

std::span<const CommandSpec> compare_command_rows() { return kRows; }

}  // namespace uc::cli
