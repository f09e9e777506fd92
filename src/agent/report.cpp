#include "agent/report.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/artefacts.h"
#include "agent/json_rows.h"

namespace uc {
namespace {

using Json = nlohmann::ordered_json;

// Runs in 16 bits with the problem's own input and output: what a 16-bit program has to be compared with.
constexpr std::array<std::string_view, 2> kSamePrecision{"eager_autocast", "compile_autocast"};

bool same_precision(const ReportContext& context, std::string_view baseline) {
  const std::string_view name = baseline.substr(0, baseline.find(' '));
  const bool half =
      context.options.precision == Precision::f16 || context.options.precision == Precision::bf16;
  if (half) return std::ranges::find(kSamePrecision, name) != kSamePrecision.end();
  return context.options.precision == Precision::tf32 ? name == "eager_tf32" || name == "compile_tf32"
                                                      : name == "eager" || name == "compile";
}

// The measurement that headlines are taken from.
const Outcome& headline(const RunResult& result) {
  const bool confirmed = result.confirmed != SIZE_MAX && result.outcomes[result.confirmed].judgement.ok();
  return result.outcomes[confirmed ? result.confirmed : result.best];
}

std::string proof_line(const Judgement& judgement) {
  const Json trials = Json::parse(judgement.correctness, nullptr, false);
  if (!trials.is_array() || trials.empty()) return "no trials";
  double excess = 0, error = 0, bound = 0;
  size_t passed = 0;
  for (const Json& each : trials) {
    excess = std::max(excess, each.value("excess", 0.0));
    passed += each.value("passed", false) ? 1 : 0;
    if (each.value("error", 0.0) < error) continue;
    error = each.value("error", 0.0);
    bound = each.value("error_bound", 0.0);
  }
  return fmt::format(
      "{} of {} trials passed; at most {:.2g} of the tolerance, relative error {:.2g} (bound {:.2g})", passed,
      trials.size(), excess, error, bound);
}

std::string ratio(const Speedup& each) {
  if (each.low == each.high) return fmt::format("{:.2f}x", each.speedup);
  return fmt::format("{:.2f}x [{:.2f}, {:.2f}]", each.speedup, each.low, each.high);
}

std::string remarks(const ReportContext& context, const RunResult& result, const std::string& name) {
  std::string out;
  const std::string plain = name.substr(0, name.find(' '));
  if (plain == result.baselines.best) out += "PyTorch's best; ";
  if (same_precision(context, name)) out += "same precision; ";
  const Baseline* baseline = result.baselines.find(plain);
  if (baseline != nullptr && !baseline->own_io) out += "other input and output types; ";
  if (baseline != nullptr && !baseline->passed) out += "misses the tolerance; ";
  if (baseline != nullptr && !baseline->note.empty()) out += baseline->note + "; ";
  return out.empty() ? out : out.substr(0, out.size() - 2);
}

std::string baseline_lines(const ReportContext& context, const RunResult& result) {
  std::string out;
  const Judgement& judged = headline(result).judgement;
  const auto compared = [&](const std::string& name) {
    return std::ranges::any_of(judged.speedups, [&](const Speedup& each) {
      return each.baseline.substr(0, each.baseline.find(' ')) == name;
    });
  };
  for (const Speedup& each : judged.speedups) {
    out += fmt::format("  {:<28} {:>10.2f} us  {:<22} {:<14} {}\n", each.baseline, each.baseline_us,
                       ratio(each), each.verdict, remarks(context, result, each.baseline));
  }
  for (const Baseline& each : result.baselines.all) {
    if (compared(each.name)) continue;
    const std::string time =
        each.us > 0 ? fmt::format("{:>10.2f} us  {:<22}", each.us,
                                  fmt::format("{:.2f}x (not alternated)", each.us / judged.time_us))
                    : fmt::format("{:>13}  {:<22}", "none", "");
    out += fmt::format("  {:<28} {} {:<14} {}\n", each.name, time, "", remarks(context, result, each.name));
  }
  return out;
}

std::string cause_lines(const RunResult& result) {
  const Causes causes = causes_of(result, reference_baseline(result.baselines));
  if (causes.shares.empty()) return "  no baseline to tell them over\n";
  std::string out;
  for (const CauseShare& each : causes.shares)
    out += fmt::format("  {:<28} {:>6.2f}x  {} ({})\n", each.cause, each.factor, name(each.kind), each.how);
  return out +
         fmt::format("  {:<28} {:>6.2f}x  over PyTorch's {}\n", "together", causes.total, causes.baseline);
}

std::string counts_line(const RunResult& result) {
  size_t right = 0, wrong = 0, rejected = 0, unbuilt = 0, other = 0;
  for (const Outcome& each : result.outcomes) {
    if (each.judgement.ok())
      ++right;
    else if (each.judgement.label == "incorrect")
      ++wrong;
    else if (each.judgement.reason == "rejected")
      ++rejected;
    else if (each.judgement.reason == "build_failed")
      ++unbuilt;
    else
      ++other;
  }
  return fmt::format(
      "{} attempt{}: {} right, {} wrong, {} rejected by the check, {} did not build, {} flagged or broken",
      result.outcomes.size(), result.outcomes.size() == 1 ? "" : "s", right, wrong, rejected, unbuilt, other);
}

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "  ";
  }
  return out;
}

std::string without_prepack_line(const RunResult& result) {
  if (result.without_prepack == SIZE_MAX) return {};
  const Outcome& bare = result.outcomes[result.without_prepack];
  if (!bare.judgement.ok())
    return fmt::format("Without prepared weights: {} ({})\n", bare.judgement.label, bare.judgement.message);
  std::string out = fmt::format("Without prepared weights: {:.2f} us {}", bare.judgement.time_us,
                                name(bare.judgement.kind));
  for (const Speedup& each : bare.judgement.speedups) {
    if (each.baseline == reference_baseline(result.baselines) || each.baseline == result.baselines.best)
      out += fmt::format(", {} over {}", ratio(each), each.baseline);
  }
  return out + "\n";
}

Json judgement_value(const Judgement& judgement) {
  Json speedups = speedup_rows(judgement.speedups);
  Json trials = Json::parse(judgement.correctness, nullptr, false);
  return {{"label", judgement.label},
          {"reason", judgement.reason},
          {"message", judgement.message},
          {"kind", name(judgement.kind)},
          {"us", judgement.time_us},
          {"prepack_us", judgement.prepack_us},
          {"speedups", std::move(speedups)},
          {"trials", trials.is_discarded() ? Json::array() : std::move(trials)}};
}

Json attempt_value(const Outcome& each) {
  return {{"number", each.number},
          {"parent", each.parent},
          {"rewrite", each.rewrite},
          {"what", each.what},
          {"cause", name(each.cause)},
          {"expected_speedup", each.expected_speedup},
          {"program_hash", each.candidate->hash()},
          {"label", each.judgement.label},
          {"reason", each.judgement.reason},
          {"kind", name(each.judgement.kind)},
          {"us", each.judgement.time_us}};
}

// Empty when nobody was asked who costs something.
std::string spent_line(const Spent& spent) {
  if (spent.calls == 0) return {};
  std::string out = fmt::format("{} requests, {} tokens of prompts and {} of answers", spent.calls,
                                spent.prompt_tokens, spent.answer_tokens);
  if (spent.usd > 0) out += fmt::format(", {:.4f} USD", spent.usd);
  if (spent.estimated) out += "; where the endpoint did not say, the most that it can have been is counted";
  return out + "\n";
}

Json spent_value(const Spent& spent) {
  return {{"calls", spent.calls},
          {"prompt_tokens", spent.prompt_tokens},
          {"answer_tokens", spent.answer_tokens},
          {"usd", spent.usd},
          {"estimated", spent.estimated}};
}

}  // namespace

std::string report_text(const ReportContext& context, const RunResult& result, bool) {
  std::string out =
      fmt::format("{} on {}, precision {}{}\n", context.run.problem,
                  result.baselines.device.empty() ? context.run.device : result.baselines.device,
                  name(context.options.precision), context.options.prepack ? "" : ", weights not prepared");
  if (result.interrupted)
    out += fmt::format("Interrupted; everything is saved. To go on: {}\n", context.resume);
  if (!result.has_best()) {
    out += "No program is right yet, so there is no speedup to report.\n";
    for (const Outcome& each : result.outcomes)
      out += fmt::format("  attempt {} ({}): {}: {}\n", each.number, each.rewrite, each.judgement.label,
                         each.judgement.message);
    return out + counts_line(result) + "\n" + spent_line(result.spent) + "Run " + context.run.id +
           (context.run.folder.empty() ? "" : ", files in " + context.run.folder) + "\n";
  }
  const Outcome& best = result.outcomes[result.best];
  const Judgement& judged = headline(result).judgement;
  out += fmt::format("\nBest program (attempt {}): {:.2f} us {}\n{}", best.number, judged.time_us,
                     name(judged.kind), indented(best.candidate->text()));
  out += fmt::format("\nProof ({}): {}\n",
                     judged.kind == TimeKind::measured
                         ? "on the GPU, against PyTorch"
                         : "on the CPU at reduced sizes, against PyTorch's recorded results",
                     proof_line(judged));
  out += "\nAgainst PyTorch:\n" + baseline_lines(context, result);
  out += "\nWhat the speedup is made of:\n" + cause_lines(result) + without_prepack_line(result);
  out += fmt::format(
      "\nSpeed of light: {:.2f} us certified, {:.2f} us calibrated (bound by {}); this program takes {:.2f}x "
      "the calibrated bound.\n",
      result.bounds.certified_us, result.bounds.calibrated_us, result.bounds.by,
      judged.time_us / std::max(result.bounds.calibrated_us, 1e-9));
  out += "\n" + counts_line(result) + "\n" + spent_line(result.spent);
  if (judged.kind == TimeKind::modelled)
    out += "All times of ours are modelled: run with --device gpu to measure them.\n";
  out +=
      "Run " + context.run.id + (context.run.folder.empty() ? "" : ", files in " + context.run.folder) + "\n";
  return out + "Again: " + context.reproduce + "\n";
}

std::string report_json(const ReportContext& context, const RunResult& result) {
  Json baselines = Json::array();
  for (const Baseline& each : result.baselines.all) {
    baselines.push_back({{"name", each.name},
                         {"us", each.us},
                         {"kind", name(each.kind)},
                         {"own_io", each.own_io},
                         {"passed", each.passed},
                         {"same_precision", same_precision(context, each.name)},
                         {"note", each.note}});
  }
  Json attempts = Json::array();
  for (const Outcome& each : result.outcomes) attempts.push_back(attempt_value(each));
  Json out = {{"schema", "ucutlass.optimize/1"},
              {"run", context.run.id},
              {"problem", context.run.problem},
              {"device", result.baselines.device},
              {"precision", name(context.options.precision)},
              {"prepack", context.options.prepack},
              {"seed", context.options.seed},
              {"controller", context.options.controller.name},
              {"spent", spent_value(result.spent)},
              {"interrupted", result.interrupted},
              {"best_baseline", result.baselines.best},
              {"baselines", std::move(baselines)},
              {"sol",
               {{"certified_us", result.bounds.certified_us},
                {"calibrated_us", result.bounds.calibrated_us},
                {"bound_by", result.bounds.by}}},
              {"attempts", std::move(attempts)},
              {"best", nullptr},
              {"folder", context.run.folder},
              {"resume", context.resume},
              {"reproduce", context.reproduce}};
  if (!result.has_best()) return out.dump(2) + "\n";
  const Outcome& best = result.outcomes[result.best];
  const Outcome& judged = headline(result);
  const Causes causes = causes_of(result, reference_baseline(result.baselines));
  Json shares = Json::array();
  for (const CauseShare& each : causes.shares)
    shares.push_back(
        {{"cause", each.cause}, {"factor", each.factor}, {"kind", name(each.kind)}, {"how", each.how}});
  out["best"] = {{"attempt", best.number},
                 {"measured_by_attempt", judged.number},
                 {"program", best.candidate->text()},
                 {"program_hash", best.candidate->hash()}};
  out["best"].update(judgement_value(judged.judgement));
  out["best"]["gap"] = judged.judgement.time_us / std::max(result.bounds.calibrated_us, 1e-9);
  out["causes"] = {{"baseline", causes.baseline}, {"total", causes.total}, {"shares", std::move(shares)}};
  if (result.without_prepack != SIZE_MAX)
    out["without_prepack"] = judgement_value(result.outcomes[result.without_prepack].judgement);
  return out.dump(2) + "\n";
}

}  // namespace uc
