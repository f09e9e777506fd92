#include "cli/evaluate.h"

#include <fmt/format.h>
#include <ostream>

#include "cli/output.h"
#include "compiler/edited.h"
#include "diag/render.h"
#include "platform/files.h"

namespace uc::cli {
namespace {

struct Given {
  Candidate candidate;
  EmittedProgram emitted;
  std::vector<std::string> edited;
};

/// Nothing: the program is refused, and its findings are printed.
Result<std::optional<Given>> read_candidate(const Context& context, const DeviceSpec& device,
                                            const std::string& path) {
  Given out;
  if (!path.ends_with(".uc")) {
    auto edited = read_edited(context.catalog, context.files, path);
    if (!edited) return tl::unexpected(edited.error());
    out.candidate = make_candidate(context.catalog, edited->compiled.source, device);
    out.candidate.compiled = std::make_shared<const Compiled>(std::move(edited->compiled));
    out.emitted = std::move(edited->emitted);
    out.edited = std::move(edited->edited);
    return out;
  }
  const auto text = read_given(context.files, path);
  if (!text) return tl::unexpected(text.error());
  out.candidate = make_candidate(context.catalog, *text, device);
  context.err << render_text(out.candidate.compiled->diags.sorted(), *text, path,
                             {.color = context.color_err, .concise = false});
  if (!out.candidate.ok()) return std::nullopt;
  out.emitted = emit_program(context.catalog, *out.candidate.compiled);
  return out;
}

std::string speedup_line(const Speedup& each) {
  return fmt::format("  {:<24} {:>10.2f} us  speedup {:.3f} [{:.3f}, {:.3f}]  {}\n", each.baseline,
                     each.baseline_us, each.speedup, each.low, each.high, each.verdict);
}

std::string text(const Given& given, const Judgement& judgement) {
  std::string out = fmt::format("program {}\n", given.emitted.hash);
  for (const std::string& name : given.edited) out += fmt::format("  edited: {}\n", name);
  out += fmt::format("{}{}{}\n", judgement.label, judgement.reason.empty() ? "" : ": ", judgement.reason);
  if (!judgement.message.empty()) out += "  " + judgement.message + "\n";
  if (judgement.kind != TimeKind::none)
    out += fmt::format("  {:.2f} us {}, +-{:.1f} %\n", judgement.time_us, name(judgement.kind),
                       100 * judgement.spread);
  for (const Speedup& each : judgement.speedups) out += speedup_line(each);
  return out;
}

}  // namespace

int evaluate_candidate(const Context& context, const EvaluateWorld& world, const std::string& path) {
  const auto given = read_candidate(context, world.device, path);
  if (!given) return report(context, given.error());
  if (!*given) return kFindings;
  const auto library = world.build((*given)->emitted);
  if (!library) return report(context, library.error());
  if (const auto ready = world.judge.baselines(); !ready) return report(context, ready.error());
  const auto judged =
      world.judge.judge((*given)->candidate, (*given)->emitted.hash, *library, Effort::confirm);
  if (!judged) return report(context, judged.error());
  context.out << text(**given, *judged);
  if (judged->ok()) return kDone;
  return judged->flagged() ? kRejected : kFindings;
}

}  // namespace uc::cli
