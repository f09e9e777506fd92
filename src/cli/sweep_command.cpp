// `ucutlass sweep`: optimize many problems, one after the other, into one store.
#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <ostream>
#include <sstream>

#include "base/hash.h"
#include "cli/optimize/estimate.h"
#include "cli/optimize/flags.h"
#include "cli/optimize/session.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/sweep/online.h"
#include "cli/sweep/problems.h"
#include "cli/sweep/table.h"
#include "platform/clock.h"
#include "platform/interrupt.h"
#include "store/decisions.h"
#include "store/place.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass sweep kb59 --device model:h200 --attempts 12        # 59 problems; times are modelled\n"
    "ucutlass sweep level1 --sources ~/KernelBench/KernelBench    # measured, against PyTorch\n"
    "ucutlass sweep L1/23 L2/76 mine.json --attempts 20\n"
    "ucutlass sweep kb59 --attempts 40 --policy 'sol(25%,16)'     # those that are near their bound stop "
    "early\n"
    "ucutlass sweep kb59 --attempts 40 --dry-run                  # attempts, minutes, tokens, dollars "
    "first\n"
    "ucutlass sweep all --shard 2/8                               # the second of eight machines' parts\n";

constexpr size_t kMostJudges = 8;  // that hold a problem's buffers on one GPU side by side

struct SweepSettings {
  OptimizeSettings each;  ///< what every problem is optimized with
  std::vector<std::string> problems;
  SweepPlaces places{.corpus = "data/kernelbench", .sources = ""};
  std::string shard = "1/1";
  bool verbose = false;
  bool json = false;
  std::string policy_text;
  std::optional<schedule::Policy> policy;  ///< nothing: one problem after the other
};

class Sweep {
 public:
  Sweep(const Context& context, const SweepSettings& settings) : context_(context), settings_(settings) {}

  int run(const std::vector<SweepProblem>& problems) {
    if (!settings_.json) context_.out << table_head() << std::flush;
    for (size_t i = 0; i < problems.size(); ++i) {
      if (settings_.verbose) say(fmt::format("== {} ({} of {})", problems[i].name, i + 1, problems.size()));
      rows_.push_back(optimized(problems[i]));
      if (!settings_.json) context_.out << table_line(rows_.back()) << std::flush;
      if (rows_.back().state == "interrupted") {
        say("interrupted; the same command goes on where it was");
        break;
      }
    }
    return sum_up({});
  }

  // Attempt by attempt, as the policy says.
  int run_online(const std::vector<SweepProblem>& problems) {
    const InterruptGuard guard;
    rows_.resize(problems.size());
    std::vector<DecisionRecord> decisions;
    std::vector<size_t> went_to;
    const SweepSchedule how{name_of(problems), schedule::name(*settings_.policy)};
    OnlineSchedule schedule(
        *settings_.policy, static_cast<int>(settings_.each.attempts),
        [&](size_t i, Turn& turn) { rows_[i] = optimized(problems[i], &turn); },
        [&](size_t i, int attempt, double us) {
          if (settings_.verbose) say(fmt::format("{} attempt {}", problems[i].name, attempt));
          went_to.push_back(i);
          decisions.push_back(
              {how.sweep, static_cast<int64_t>(decisions.size()) + 1, how.policy, {}, attempt, us, 1});
        });
    schedule.run(problems.size(), interrupt_requested);
    for (size_t i = 0; i < problems.size(); ++i) {
      rows_[i].name = problems[i].name;
      rows_[i].seconds = schedule.seconds(i);
      if (rows_[i].state.empty()) rows_[i].state = "interrupted";
    }
    for (size_t i = 0; i < decisions.size(); ++i) decisions[i].run = rows_[went_to[i]].run;
    if (!settings_.json) {
      context_.out << table_head();
      for (const SweepRow& row : rows_) context_.out << table_line(row);
    }
    const auto kept = keep(decisions);
    const int code = sum_up(how);
    return kept ? code : report(context_, kept.error());
  }

 private:
  // The same problems with the same options are the same sweep.
  std::string name_of(const std::vector<SweepProblem>& problems) const {
    std::string text = settings_json(settings_.each);
    for (const SweepProblem& each : problems) text += "\n" + each.name;
    return "sweep-" + content_hash(text).substr(0, 12);
  }

  Result<> keep(const std::vector<DecisionRecord>& decisions) const {
    const auto path = store_path(context_.environment, settings_.each.store);
    if (!path) return tl::unexpected(path.error());
    auto store = Store::open(*path, context_.clock);
    if (!store) return tl::unexpected(store.error());
    auto transaction = Transaction::begin((*store)->database());
    if (!transaction) return tl::unexpected(transaction.error());
    for (const DecisionRecord& each : decisions) {
      if (auto done = record_decision(**store, each); !done) return done;
    }
    return transaction->commit();
  }

  int sum_up(const SweepSchedule& how) const {
    context_.out << (settings_.json ? sweep_json(rows_, how) : "\n" + summary_text(rows_));
    const auto stopped = [](const SweepRow& row) { return row.state == "interrupted"; };
    if (std::ranges::any_of(rows_, stopped)) return kInterrupted;
    const bool all = std::ranges::all_of(rows_, [](const SweepRow& row) { return row.state == "done"; });
    return all ? kDone : kFindings;
  }

  void say(const std::string& line) const { context_.err << line << "\n" << std::flush; }

  // A thread of a schedule may not throw.
  static int ended(const Context& inner, OptimizeSettings settings, bool* from_before, Turn* turn) {
    try {
      return optimize_problem(inner, std::move(settings), from_before, turn);
    } catch (const std::exception& error) {
      return report(inner, Error{error.what(), {}}, true);
    }
  }

  // What goes wrong with one problem is a row, and the others go on.
  SweepRow optimized(const SweepProblem& problem, Turn* turn = nullptr) const {
    OptimizeSettings settings = settings_.each;
    settings.problem = problem.path;
    settings.source = problem.source;
    settings.json = true;
    std::ostringstream out;
    std::ostringstream quiet;
    bool from_before = false;
    const Context inner{context_.catalog,
                        context_.in,
                        out,
                        settings_.verbose ? context_.err : quiet,
                        context_.environment,
                        context_.files,
                        context_.processes,
                        context_.clock};
    const auto begin = context_.clock.now();
    const int code = ended(inner, std::move(settings), &from_before, turn);
    const auto told = row_of_report(out.str());
    SweepRow row;
    if (told) {
      row = *told;
    } else {
      row.state = "failed";
      row.message = told.error().message;
    }
    if (code == kInterrupted) row.state = "interrupted";
    row.name = problem.name;
    row.seconds = std::chrono::duration<double>(context_.clock.now() - begin).count();
    row.from_before = from_before;
    return row;
  }

  const Context& context_;
  const SweepSettings& settings_;
  std::vector<SweepRow> rows_;
};

int estimate_sweep(const Context& context, const SweepSettings& settings,
                   const std::vector<SweepProblem>& problems) {
  OptimizeSettings common = settings.each;
  common.json = settings.json;
  std::vector<OptimizeSettings> all;
  for (const SweepProblem& problem : problems) {
    all.push_back(settings.each);
    all.back().problem = problem.path;
    all.back().source = problem.source;
  }
  return dry_run(context, common, all);
}

int run_sweep(const Invocation& invocation) {
  SweepSettings settings;
  OptimizeSettings& each = settings.each;
  Options options(invocation);
  options.positionals(
      "PROBLEM", settings.problems,
      "kb59, all, level1, L1/23, a capture (.json), a PyTorch file (.py), or a folder of captures");
  options.value("--corpus", settings.places.corpus, "FOLDER",
                "where captures of KernelBench are, in level1, level2, level3 (default: data/kernelbench)");
  options.value("--sources", settings.places.sources, "FOLDER",
                "where KernelBench's Python files are, in level1, ...: to measure against");
  options.value("--shard", settings.shard, "I/N", "only the I-th of N parts, counted from 1");
  declare_budget(options, each);
  options.choice("--controller", each.controller, controller_names(), "how the loop runs");
  options.value(
      "--policy", settings.policy_text, "POLICY",
      "which problem gets the next attempt: fixed, sol(EPS,W) or roi(EPS,W), as `ucutlass replay` has "
      "them (default: one problem after the other)",
      Options::From::command_line);
  options.flag("--no-prepack", each.no_prepack, "do not prepare weights when they are loaded");
  options.list("--baselines", each.baselines, "NAME", "PyTorch's ways to measure (default: all)");
  options.value("--store", each.store, "FILE",
                "the database of runs (default: ~/.local/share/ucutlass/runs.db)");
  options.flag("--fresh", each.fresh, "do again what the store has already");
  options.flag("--no-build", each.no_build, "without a GPU: do not compile the best programs");
  options.value("--jobs", each.jobs, "N", "builds at once (default: as memory and cores allow)", 0, 256);
  options.flag("--verbose", settings.verbose, "show the progress of each problem");
  options.flag("--json", settings.json, "one JSON object, schema ucutlass.sweep/1, at the end");
  if (const auto code = options.parse()) return *code;
  each.reuse = !each.fresh;
  if (!settings.policy_text.empty()) {
    const auto policy = schedule::parse_policy(settings.policy_text);
    if (!policy) return report(invocation.context, policy.error(), settings.json);
    settings.policy = *policy;
    each.policy = schedule::name(*policy);
  }
  const auto target = target_of(each, invocation.context);
  if (!target) return report(invocation.context, target.error(), settings.json);
  if (!settings.places.sources.empty() && !invocation.context.files.exists(settings.places.sources))
    return report(invocation.context,
                  Error{"there is no folder " + settings.places.sources,
                        "--sources names the folder that holds KernelBench's level1, level2, level3", kUsage},
                  settings.json);
  const auto shard = parse_shard(settings.shard);
  if (!shard) return report(invocation.context, shard.error(), settings.json);
  auto problems = sweep_problems(settings.problems, settings.places, invocation.context.files);
  if (!problems) return report(invocation.context, problems.error(), settings.json);
  const auto mine = part_of(*problems, *shard);
  if (mine.empty())
    return report(invocation.context,
                  Error{fmt::format("part {} of {} problems is empty", settings.shard, problems->size()),
                        "name fewer parts", kUsage},
                  settings.json);
  if (settings.policy && target->gpu && mine.size() > kMostJudges)
    return report(
        invocation.context,
        Error{fmt::format("--policy keeps a judge for each problem, and {} do not fit on a GPU", mine.size()),
              fmt::format("name at most {} problems, or a smaller --shard", kMostJudges), kUsage},
        settings.json);
  return each.dry_run      ? estimate_sweep(invocation.context, settings, mine)
         : settings.policy ? Sweep(invocation.context, settings).run_online(mine)
                           : Sweep(invocation.context, settings).run(mine);
}

constexpr CommandSpec kRows[] = {
    {"sweep", CommandGroup::search, "optimize many problems into one store", kExamples, run_sweep}};

}  // namespace

std::span<const CommandSpec> sweep_command_rows() { return kRows; }

}  // namespace uc::cli
