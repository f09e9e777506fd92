#include "cli/evaluate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/json_rows.h"
#include "cli/output.h"
#include "compiler/edited.h"
#include "diag/render.h"
#include "platform/files.h"

namespace uc::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Given {
  Candidate candidate;
  EmittedProgram emitted;
  std::vector<std::string> edited;
  std::string source;
};

bool is_program(const std::string& path) { return path.ends_with(".uc") || path == "-"; }

Result<Given> read_candidate(const Context& context, const EvaluateWorld& world, const std::string& path) {
  Given out;
  if (!is_program(path)) {
    if (!world.build)
      return fail("an edited kernel is measured, and that needs a GPU",
                  "a program (.uc) is judged with modelled times", kMissing);
    auto edited = read_edited(context.catalog, context.files, path);
    if (!edited) return tl::unexpected(edited.error());
    out.candidate = make_candidate(context.catalog, edited->compiled.source, world.device);
    out.candidate.compiled = std::make_shared<const Compiled>(std::move(edited->compiled));
    out.emitted = std::move(edited->emitted);
    out.edited = std::move(edited->edited);
    return out;
  }
  auto text = read_input(context, path);
  if (!text) return tl::unexpected(text.error());
  out.source = std::move(*text);
  out.candidate = make_candidate(context.catalog, out.source, world.device);
  if (out.candidate.ok()) out.emitted = emit_program(context.catalog, *out.candidate.compiled);
  return out;
}

std::string speedup_line(const Speedup& each) {
  return fmt::format("  {:<24} {:>10.2f} us  speedup {:.3f} [{:.3f}, {:.3f}]  {}\n", each.baseline,
                     each.baseline_us, each.speedup, each.low, each.high, each.verdict);
}

// Of JSON that is stored as text.
Json embedded(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(nullptr) : value;
}

std::string trial_line(const Json& trial) {
  const bool passed = trial.value("passed", false);
  return fmt::format("  trial {:<18} {}{}\n", trial.value("name", ""),
                     passed ? fmt::format("{:.2g} of the tolerance, relative error {:.2g}",
                                          trial.value("excess", 0.0), trial.value("error", 0.0))
                            : "wrong: ",
                     passed ? std::string() : trial.value("why", ""));
}

std::string text(const Given& given, const Judgement& judgement) {
  std::string out = fmt::format("program {}\n", given.emitted.hash);
  for (const std::string& name : given.edited) out += fmt::format("  edited: {}\n", name);
  out += fmt::format("{}{}{}\n", judgement.label, judgement.reason.empty() ? "" : ": ", judgement.reason);
  if (!judgement.message.empty()) out += "  " + judgement.message + "\n";
  const Json trials = embedded(judgement.correctness);
  for (const Json& each : trials.is_array() ? trials : Json::array()) out += trial_line(each);
  if (judgement.kind != TimeKind::none)
    out += fmt::format("  {:.2f} us {}, +-{:.1f} %\n", judgement.time_us, name(judgement.kind),
                       100 * judgement.spread);
  if (judgement.prepack_us > 0)
    out += fmt::format("  {:.2f} us when weights are loaded\n", judgement.prepack_us);
  for (const Speedup& each : judgement.speedups) out += speedup_line(each);
  return out;
}

std::string json_text(const Given& given, const std::string& path, const Judgement& judgement) {
  const std::string findings = is_program(path) ? render_json(given.candidate.compiled->diags.sorted(),
                                                              given.source, path == "-" ? "<stdin>" : path)
                                                : std::string("[]");
  const Json out{{"schema", "ucutlass.evaluate/1"},
                 {"candidate", path},
                 {"program", given.emitted.hash},
                 {"edited", given.edited},
                 {"label", judgement.label},
                 {"reason", judgement.reason},
                 {"message", judgement.message},
                 {"kind", name(judgement.kind)},
                 {"us", judgement.time_us},
                 {"spread", judgement.spread},
                 {"prepack_us", judgement.prepack_us},
                 {"speedups", speedup_rows(judgement.speedups)},
                 {"correctness", embedded(judgement.correctness)},
                 {"timing", embedded(judgement.timing)},
                 {"diagnostics", embedded(findings)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Judgement broken(std::string reason, std::string message) {
  Judgement out;
  out.label = "broken";
  out.reason = std::move(reason);
  out.message = std::move(message);
  return out;
}

Result<Judgement> judged(const EvaluateWorld& world, Given& given) {
  if (!given.candidate.ok()) return broken("rejected", "the check rejects the program");
  if (world.fit) {
    if (std::string why = world.fit(given.candidate); !why.empty())
      return broken("no_candidate", std::move(why));
  }
  std::string library;
  if (world.build) {
    auto built = world.build(given.emitted);
    if (!built) return tl::unexpected(built.error());
    library = std::move(*built);
  }
  if (const auto ready = world.judge.baselines(); !ready) return tl::unexpected(ready.error());
  return world.judge.judge(given.candidate, given.emitted.hash, library, Effort::confirm);
}

}  // namespace

int evaluate_candidate(const Context& context, const EvaluateWorld& world, const std::string& path,
                       bool json) {
  auto given = read_candidate(context, world, path);
  if (!given) return report(context, given.error(), json);
  if (!json && is_program(path))
    context.err << render_text(given->candidate.compiled->diags.sorted(), given->source, path,
                               {.color = context.color_err, .concise = false});
  const auto judgement = judged(world, *given);
  if (!judgement) return report(context, judgement.error(), json);
  if (json)
    context.out << json_text(*given, path, *judgement);
  else if (given->candidate.ok())
    context.out << text(*given, *judgement);
  if (judgement->ok()) return kDone;
  return judgement->flagged() ? kRejected : kFindings;
}

}  // namespace uc::cli
