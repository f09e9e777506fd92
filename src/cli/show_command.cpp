// `ucutlass show`: what is stored of runs.
#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/report.h"
#include "agent/restore.h"
#include "cli/optimize/settings.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/stored_runs.h"

namespace uc::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExamples =
    "ucutlass show                        # the runs that are stored, newest first\n"
    "ucutlass show last                   # the report of the newest run\n"
    "ucutlass show 20260301 --attempts    # every attempt of the run whose id begins so\n"
    "ucutlass show last --attempt 7       # one attempt: its program, what became of it\n";

std::string when(double seconds) {
  if (seconds <= 0) return fmt::format("{:<19}", "-");
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

int list_runs(const Context& context, Store& store, bool json) {
  const auto runs = store.runs(50);
  if (!runs) return report(context, runs.error(), json);
  if (json) {
    Json all = Json::array();
    for (const RunRecord& each : *runs) {
      all.push_back({{"run", each.id},
                     {"problem", each.problem},
                     {"device", each.device},
                     {"state", name(each.state)},
                     {"started", each.started},
                     {"ended", each.ended},
                     {"folder", each.folder},
                     {"source", each.source.empty() ? "ucutlass" : each.source},
                     {"imported", each.imported}});
    }
    context.out << Json{{"schema", "ucutlass.runs/1"}, {"runs", std::move(all)}}.dump(2) << "\n";
    return kDone;
  }
  if (runs->empty()) context.err << "no run is stored yet; start one: `ucutlass optimize PROBLEM`\n";
  for (const RunRecord& each : *runs)
    context.out << fmt::format("{:<22} {:<12} {:<6} {} {}{}\n", each.id, name(each.state), each.device,
                               when(each.started), each.problem, each.imported.empty() ? "" : "  imported");
  return kDone;
}

Json attempt_json(const AttemptRecord& each) {
  const auto value = [](const std::string& text) {
    Json parsed = Json::parse(text, nullptr, false);
    return parsed.is_discarded() ? Json(nullptr) : parsed;
  };
  return {{"number", each.number},
          {"parent", each.parent},
          {"proposer", each.proposer},
          {"rewrite", each.rewrite},
          {"hypothesis", each.hypothesis},
          {"cause", each.cause},
          {"expected_speedup", each.expected_speedup},
          {"program", each.program},
          {"program_hash", each.program_hash},
          {"kernel_hashes", value(each.kernel_hashes)},
          {"diagnostics", value(each.diagnostics)},
          {"build_log", each.build_log},
          {"label", each.label},
          {"reason", each.reason},
          {"message", each.message},
          {"correctness", value(each.correctness)},
          {"kind", name(each.time_kind)},
          {"us", each.time_us},
          {"timing", value(each.timing)},
          {"started", each.started},
          {"ended", each.ended}};
}

std::string attempt_line(const AttemptRecord& each) {
  const std::string time = each.time_us > 0
                               ? fmt::format("{:>10.2f} us {}", each.time_us, name(each.time_kind))
                               : fmt::format("{:>13}", "-");
  return fmt::format("{:>4} <- {:<4} {:<10} {}  {}{}\n", each.number, each.parent, each.label, time,
                     each.rewrite, each.label == "ok" ? "" : ": " + each.message);
}

std::string attempt_text(const AttemptRecord& each) {
  std::string out = fmt::format("attempt {} of run {}, from attempt {}, by {} ({})\n", each.number, each.run,
                                each.parent, each.proposer, each.rewrite);
  out += fmt::format("{}\nexpected {:.2f}x; {}", each.hypothesis, each.expected_speedup, each.label);
  if (!each.reason.empty()) out += fmt::format(" ({}): {}", each.reason, each.message);
  if (each.time_us > 0) out += fmt::format("; {:.2f} us {}", each.time_us, name(each.time_kind));
  if (!each.build_log.empty()) out += "\nbuild: " + each.build_log;
  return out + "\n\n" + each.program;
}

int show_attempts(const Context& context, Store& store, const RunRecord& run, int64_t number, bool json) {
  const auto attempts = store.attempts(run.id);
  if (!attempts) return report(context, attempts.error(), json);
  if (number == 0) {
    Json all = Json::array();
    for (const AttemptRecord& each : *attempts) {
      if (json)
        all.push_back(attempt_json(each));
      else
        context.out << attempt_line(each);
    }
    if (json)
      context.out
          << Json{{"schema", "ucutlass.attempts/1"}, {"run", run.id}, {"attempts", std::move(all)}}.dump(2)
          << "\n";
    return kDone;
  }
  const auto found = std::ranges::find(*attempts, number, &AttemptRecord::number);
  if (found == attempts->end()) {
    return report(
        context,
        Error{fmt::format("run {} has no attempt {}", run.id, number),
              fmt::format("it has {}: `ucutlass show {} --attempts`", attempts->size(), run.id), kUsage},
        json);
  }
  context.out << (json ? attempt_json(*found).dump(2) + "\n" : attempt_text(*found));
  return kDone;
}

int show_run(const Context& context, Store& store, const RunRecord& run, bool json) {
  if (!run.imported.empty())
    context.err << fmt::format("run {} was imported from {}: nothing of it is proven here\n", run.id,
                               run.imported);
  if (!run.source.empty()) return show_attempts(context, store, run, 0, json);
  const auto settings = parse_settings(run.options);
  if (!settings) return report(context, settings.error(), json);
  const DeviceSpec* device = context.catalog.device(run.device);
  if (device == nullptr)
    return report(context,
                  Error{fmt::format("the run's device `{}` is not known to this version", run.device),
                        "use the version that made the run", kFindings},
                  json);
  const RunOptions options = run_options(*settings);
  auto result = restore(context.catalog, *device, store, run, options.precision);
  if (!result) return report(context, result.error(), json);
  const std::string resume = "ucutlass optimize --resume " + run.id;
  result->interrupted = run.state != RunState::done;
  const ReportContext how{run, options, resume, command_line(*settings)};
  context.out << (json ? report_json(how, *result) : report_text(how, *result, context.color_out));
  return kDone;
}

int run_show(const Invocation& invocation) {
  std::string id, file;
  bool attempts = false, json = false;
  int64_t attempt = 0;
  Options options(invocation);
  options.positional("RUN", id, "a run's id, the beginning of it, or `last`; without: the list of runs",
                     false);
  options.flag("--attempts", attempts, "every attempt of the run", Options::From::command_line);
  options.value("--attempt", attempt, "N", "one attempt: its program and what became of it", 1);
  options.value("--store", file, "FILE", "the database of runs (default: ~/.local/share/ucutlass/runs.db)");
  options.flag("--json", json, "one JSON object");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  auto store = open_stored_runs(context, file);
  if (!store) return report(context, store.error(), json);
  if (id.empty()) return list_runs(context, **store, json);
  const auto run = (*store)->find_run(id);
  if (!run) return report(context, run.error(), json);
  if (attempts || attempt != 0) return show_attempts(context, **store, *run, attempt, json);
  return show_run(context, **store, *run, json);
}

constexpr CommandSpec kRows[] = {
    {"show", CommandGroup::search, "show stored runs, their reports and attempts", kExamples, run_show}};

}  // namespace

std::span<const CommandSpec> show_command_rows() { return kRows; }

}  // namespace uc::cli
