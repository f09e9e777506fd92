// `ucutlass sweep`: optimize many problems, one after the other, into one store.
#include <algorithm>
#include <fmt/format.h>
#include <ostream>
#include <sstream>

#include "cli/optimize/estimate.h"
#include "cli/optimize/flags.h"
#include "cli/optimize/session.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/sweep/problems.h"
#include "cli/sweep/table.h"
#include "platform/clock.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass sweep kb59 --device model:h200 --attempts 12        # 59 problems; times are modelled\n"
    "ucutlass sweep level1 --sources ~/KernelBench/KernelBench    # measured, against PyTorch\n"
    "ucutlass sweep L1/23 L2/76 mine.json --attempts 20\n"
    "ucutlass sweep kb59 --attempts 40 --dry-run                  # attempts, minutes, tokens, dollars "
    "first\n"
    "ucutlass sweep all --shard 2/8                               # the second of eight machines' parts\n";

struct SweepSettings {
  OptimizeSettings each;  ///< what every problem is optimized with
  std::vector<std::string> problems;
  SweepPlaces places{.corpus = "data/kernelbench", .sources = ""};
  std::string shard = "1/1";
  bool verbose = false;
  bool json = false;
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
    context_.out << (settings_.json ? sweep_json(rows_) : "\n" + summary_text(rows_));
    if (rows_.back().state == "interrupted") return kInterrupted;
    const bool all = std::ranges::all_of(rows_, [](const SweepRow& row) { return row.state == "done"; });
    return all ? kDone : kFindings;
  }

 private:
  void say(const std::string& line) const { context_.err << line << "\n" << std::flush; }

  // What goes wrong with one problem is a row, and the others go on.
  SweepRow optimized(const SweepProblem& problem) const {
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
    const int code = optimize_problem(inner, std::move(settings), &from_before);
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
  if (const auto target = target_of(each, invocation.context); !target)
    return report(invocation.context, target.error(), settings.json);
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
  return each.dry_run ? estimate_sweep(invocation.context, settings, mine)
                      : Sweep(invocation.context, settings).run(mine);
}

constexpr CommandSpec kRows[] = {
    {"sweep", CommandGroup::search, "optimize many problems into one store", kExamples, run_sweep}};

}  // namespace

std::span<const CommandSpec> sweep_command_rows() { return kRows; }

}  // namespace uc::cli
