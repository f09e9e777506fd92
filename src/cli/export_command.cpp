// `ucutlass export`: stored runs as a text that another store, or another program, reads.
#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/stored_runs.h"
#include "platform/files.h"
#include "store/place.h"
#include "store/results.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass export last -o run.jsonl              # the newest run, with every attempt\n"
    "ucutlass export all > everything.jsonl         # the whole store\n"
    "ucutlass export 20260301-14 20260302-09        # two runs, by the beginnings of their ids\n"
    "ucutlass import run.jsonl --store other.db     # into another store\n";

// Oldest first, each once.
Result<std::vector<RunRecord>> chosen(Store& store, const std::vector<std::string>& names) {
  std::vector<RunRecord> out;
  if (names.size() == 1 && names.front() == "all") {
    auto all = store.runs(SIZE_MAX / 2);
    if (!all) return all;
    out = std::move(*all);
    std::ranges::reverse(out);
    return out;
  }
  for (const std::string& each : names) {
    if (each == "all") return fail("`all` stands alone: it is every run", "`ucutlass export all`", kUsage);
    auto run = store.find_run(each);
    if (!run) return tl::unexpected(run.error());
    if (std::ranges::find(out, run->id, &RunRecord::id) == out.end()) out.push_back(std::move(*run));
  }
  return out;
}

int run_export(const Invocation& invocation) {
  std::vector<std::string> names;
  std::string out, file;
  bool json = false;
  Options options(invocation);
  options.positionals("RUN", names, "runs by id, the beginning of it, or `last`; or `all`");
  options.value("-o,--out", out, "FILE", "write there instead of standard output",
                Options::From::command_line);
  options.value("--store", file, "FILE", "the database of runs (default: ~/.local/share/ucutlass/runs.db)");
  options.flag("--json", json, "errors as JSON; what is exported is JSON lines, schema ucutlass.results/1");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  const auto path = store_path(context.environment, file);
  if (!path) return report(context, path.error(), json);
  const std::string inputs[] = {*path};
  if (auto spared = spare_inputs(out, inputs); !spared) return report(context, spared.error(), json);
  auto store = open_stored_runs(context, file);
  if (!store) return report(context, store.error(), json);
  const auto runs = chosen(**store, names);
  if (!runs) return report(context, runs.error(), json);
  const auto bundles = results::collect(**store, *runs);
  if (!bundles) return report(context, bundles.error(), json);
  if (auto written = write_output(context, out, results::write(*bundles)); !written)
    return report(context, written.error(), json);
  size_t attempts = 0;
  for (const results::Bundle& each : *bundles) attempts += each.attempts.size();
  context.err << fmt::format("{} runs, {} attempts\n", bundles->size(), attempts);
  return kDone;
}

constexpr CommandSpec kRows[] = {{"export", CommandGroup::search,
                                  "write stored runs as JSON lines, for another store or another program",
                                  kExamples, run_export}};

}  // namespace

std::span<const CommandSpec> export_command_rows() { return kRows; }

}  // namespace uc::cli
