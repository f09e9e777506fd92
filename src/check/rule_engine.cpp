#include "check/rule_engine.h"

#include <algorithm>

#include "base/text.h"
#include "check/f16x3.h"

namespace uc {
namespace {

// The back end whose rules a launch answers to: the one it names, else the one its kind goes to.
std::string_view backend_of(const Launch& launch) {
  const auto* config = std::get_if<ContractionConfig>(&launch.config);
  if (config == nullptr) return "cuda";
  return config->backend == "auto" ? std::string_view("cutlass3") : std::string_view(config->backend);
}

bool lists(std::string_view words, std::string_view word) {
  if (words == "*") return true;
  const auto parts = split(words, ' ');
  return std::ranges::find(parts, word) != parts.end();
}

bool applies(const RuleSpec& rule, const Launch& launch, const DeviceSpec& device) {
  return rule.check != nullptr && lists(rule.archs, device.arch) && lists(rule.backend, backend_of(launch));
}

// Settings of the named knob, or an operator of the step. `on_settings`: a replacement can stand there.
Span place_of(const Program& program, const Step& step, const Finding& finding, bool& on_settings) {
  const Knob* knob = finding.knob.empty() ? nullptr : step.knob(finding.knob);
  on_settings = knob != nullptr && !knob->setting_spans.empty();
  if (on_settings) return {knob->setting_spans.front().begin, knob->setting_spans.back().end};
  if (finding.op) return program[finding.op].span;
  return step.main ? program[step.main].span : step.span;
}

Diag to_diag(const RuleSpec& rule, Finding finding, const Program& program, StepId step) {
  bool on_settings = false;
  Diag diag;
  diag.id = rule.id;
  diag.slug = rule.slug;
  diag.severity = rule.severity;
  diag.span = place_of(program, program[step], finding, on_settings);
  diag.message = std::move(finding.message);
  diag.label = std::move(finding.label);
  diag.help = std::move(finding.help);
  if (on_settings) diag.replacement = std::move(finding.replacement);
  return diag;
}

}  // namespace

bool legal(const Catalog& catalog, const Program& program, const Launch& launch, const DeviceSpec& device) {
  const Launch seen = as_multiplied(launch);
  const RuleContext context{program, seen, device};
  return std::ranges::none_of(catalog.rules(), [&](const RuleSpec* rule) {
    return rule->severity == Severity::error && applies(*rule, launch, device) &&
           rule->check(context).has_value();
  });
}

void run_rules(const Catalog& catalog, const Program& program, const Launch& launch, const DeviceSpec& device,
               DiagSink& diags) {
  const Launch seen = as_multiplied(launch);
  const RuleContext context{program, seen, device};
  for (const RuleSpec* rule : catalog.rules()) {
    if (!applies(*rule, launch, device)) continue;
    if (auto finding = rule->check(context))
      diags.add(to_diag(*rule, std::move(*finding), program, launch.step));
  }
}

void run_step_rules(const Catalog& catalog, const Program& program, const DeviceSpec& device,
                    DiagSink& diags) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (!program.steps[i].main) continue;
    const StepContext context{catalog, program, StepId(i)};
    for (const RuleSpec* rule : catalog.rules()) {
      if (rule->check_step == nullptr || !lists(rule->archs, device.arch)) continue;
      if (auto finding = rule->check_step(context))
        diags.add(to_diag(*rule, std::move(*finding), program, context.step));
    }
  }
}

}  // namespace uc
