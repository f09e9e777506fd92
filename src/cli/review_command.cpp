// `ucutlass review`: what of a stored run could be disbelieved, with the evidence.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/review.h"
#include "cli/optimize/settings.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/stored_runs.h"

namespace uc::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExamples =
    "ucutlass review last                 # flagged and suspicious attempts of the newest run\n"
    "ucutlass review 20260301 --json      # for a script: exit code 4 flagged, 1 suspicious, 0 neither\n"
    "ucutlass show last --attempt 7       # the program of one of them\n";

struct Review {
  const RunRecord& run;
  size_t attempts = 0;
  Bounds bounds;
  std::vector<Reviewed> found;
  size_t flagged = 0;
};

// As the run's report has them, else as they are computed of its first program.
Bounds bounds_of_run(const Context& context, const RunRecord& run,
                     const std::vector<AttemptRecord>& attempts) {
  const Json summary = Json::parse(run.summary, nullptr, false);
  const Json sol = summary.is_object() ? summary.value("sol", Json()) : Json();
  if (sol.is_object() && sol.value("certified_us", 0.0) > 0)
    return {sol.value("certified_us", 0.0), sol.value("calibrated_us", 0.0), {}};
  const DeviceSpec* device = context.catalog.device(run.device);
  const auto settings = parse_settings(run.options);
  if (device == nullptr || !settings || attempts.empty()) return {};
  const Candidate first = make_candidate(context.catalog, attempts.front().program, *device);
  if (first.program.steps.empty()) return {};
  return bounds_of(context.catalog, first.program, *device, run_options(*settings).precision);
}

std::string text(const Review& review) {
  std::string out = fmt::format("run {} of {} on {}: {} attempts, {} flagged, {} suspicious\n", review.run.id,
                                review.run.problem, review.run.device.empty() ? "?" : review.run.device,
                                review.attempts, review.flagged, review.found.size() - review.flagged);
  if (!review.run.imported.empty())
    out += fmt::format("imported from {}: nothing of it is proven here\n", review.run.imported);
  if (review.bounds.certified_us > 0)
    out += fmt::format("bounds: {:.2f} us certified, {:.2f} us at the best rates seen\n",
                       review.bounds.certified_us, review.bounds.calibrated_us);
  for (const Reviewed& each : review.found) {
    const AttemptRecord& at = each.attempt;
    out +=
        fmt::format("\nattempt {}: {}, {}", at.number, each.flagged ? "flagged" : "suspicious", at.rewrite);
    if (at.time_us > 0) out += fmt::format(", {:.2f} us {}", at.time_us, name(at.time_kind));
    if (each.sol_ratio > 0) out += fmt::format(", {:.2f} of the certified bound", each.sol_ratio);
    out += "\n";
    for (const Evidence& evidence : each.evidence)
      out += fmt::format("  {:<18}{}\n", evidence.what, evidence.text);
  }
  return out;
}

std::string json_text(const Review& review) {
  Json found = Json::array();
  for (const Reviewed& each : review.found) {
    Json evidence = Json::array();
    for (const Evidence& one : each.evidence)
      evidence.push_back({{"what", one.what}, {"text", one.text}, {"flag", one.flag}});
    found.push_back({{"attempt", each.attempt.number},
                     {"parent", each.attempt.parent},
                     {"verdict", each.flagged ? "flagged" : "suspicious"},
                     {"label", each.attempt.label},
                     {"reason", each.attempt.reason},
                     {"rewrite", each.attempt.rewrite},
                     {"kind", name(each.attempt.time_kind)},
                     {"us", each.attempt.time_us},
                     {"sol_ratio", each.sol_ratio},
                     {"evidence", std::move(evidence)}});
  }
  return Json{{"schema", "ucutlass.review/1"},
              {"run", review.run.id},
              {"problem", review.run.problem},
              {"device", review.run.device},
              {"source", review.run.source.empty() ? "ucutlass" : review.run.source},
              {"imported", review.run.imported},
              {"attempts", review.attempts},
              {"certified_us", review.bounds.certified_us},
              {"calibrated_us", review.bounds.calibrated_us},
              {"flagged", review.flagged},
              {"suspicious", review.found.size() - review.flagged},
              {"found", std::move(found)}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

int review_run(const Context& context, Store& store, const std::string& id, bool json) {
  const auto run = store.find_run(id);
  if (!run) return report(context, run.error(), json);
  const auto attempts = store.attempts(run->id);
  if (!attempts) return report(context, attempts.error(), json);
  Review all{*run, attempts->size(), bounds_of_run(context, *run, *attempts), {}, 0};
  all.found = review(*attempts, all.bounds);
  all.flagged = static_cast<size_t>(std::ranges::count(all.found, true, &Reviewed::flagged));
  context.out << (json ? json_text(all) : text(all));
  if (all.flagged > 0) return kRejected;
  return all.found.empty() ? kDone : kFindings;
}

int run_review(const Invocation& invocation) {
  std::string id, file;
  bool json = false;
  Options options(invocation);
  options.positional("RUN", id, "a run's id, the beginning of it, or `last`");
  options.value("--store", file, "FILE", "the database of runs (default: ~/.local/share/ucutlass/runs.db)");
  options.flag("--json", json, "one JSON object, schema ucutlass.review/1");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  auto store = open_stored_runs(context, file);
  if (!store) return report(context, store.error(), json);
  return review_run(context, **store, id, json);
}

constexpr CommandSpec kRows[] = {{"review", CommandGroup::search,
                                  "show what of a run could be disbelieved: flags, bounds, inheritance",
                                  kExamples, run_review}};

}  // namespace

std::span<const CommandSpec> review_command_rows() { return kRows; }

}  // namespace uc::cli
