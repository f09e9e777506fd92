#include "check/rule_engine.h"

#include "base/text.h"

namespace uc {
namespace {

bool listed(std::string_view list, std::string_view word) {
  for (const std::string_view each : split(list, ' ')) {
    if (each == word || each == "*") return true;
  }
  return false;
}

// The back end that a launch of this kind goes to, as rules name it.
std::string_view backend_of(const Launch& launch) { return std::holds_alternative<Contraction>(launch.kernel) ? "cutlass3" : "cuda"; }

bool applies(const RuleSpec& rule, const Launch& launch, const DeviceSpec& device) {
  return listed(rule.archs, device.arch) && listed(rule.backend, backend_of(launch));
}

// Where a finding points: the knob's settings when it is written, else the step.
Span place_of_finding(const Step& step, const Finding& finding) {
  const Knob* knob = step.knob(finding.knob);
  if (knob == nullptr) return step.span;
  if (knob->setting_spans.empty()) return knob->span;
  return {knob->setting_spans.front().begin, knob->setting_spans.back().end};
}

}  // namespace

bool legal(const Catalog& catalog, const Program& program, const Launch& launch, const DeviceSpec& device) {
  const RuleContext context{program, launch, device};
  for (const RuleSpec* rule : catalog.rules()) {
    if (rule->severity == Severity::error && applies(*rule, launch, device) && rule->check(context)) return false;
  }
  return true;
}

void run_rules(const Catalog& catalog, const Program& program, const Launch& launch, const DeviceSpec& device, DiagSink& diags) {
  const RuleContext context{program, launch, device};
  const Step& step = program[launch.step];
  for (const RuleSpec* rule : catalog.rules()) {
    if (!applies(*rule, launch, device)) continue;
    auto finding = rule->check(context);
    if (!finding) continue;
    Diag diag;
    diag.id = rule->id;
    diag.slug = rule->slug;
    diag.severity = rule->severity;
    diag.span = place_of_finding(step, *finding);
    diag.message = std::move(finding->message);
    diag.label = std::move(finding->label);
    diag.help = std::move(finding->help);
    if (step.knob(finding->knob) != nullptr) diag.replacement = std::move(finding->replacement);
    diags.add(std::move(diag));
  }
}

}  // namespace uc
