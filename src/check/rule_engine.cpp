#include "check/rule_engine.h"

#include <algorithm>

#include "base/text.h"
#include "check/backends.h"
#include "check/multiplied.h"

namespace uc {
namespace {

// The back end whose rules a launch answers to.
std::string_view backend_of(const Launch& launch) {
  const auto* config = std::get_if<ContractionConfig>(&launch.config);
  return config == nullptr ? std::string_view("cuda") : std::string_view(config->backend);
}

// The launch as back ends would have it: on the one that it names, else on each that is willing, best first.
// When none is, on the first of all, whose rules then say what is wrong.
std::vector<Launch> served(const Catalog& catalog, const Launch& launch, const DeviceSpec& device) {
  const auto* config = std::get_if<ContractionConfig>(&launch.config);
  if (config == nullptr || config->backend != "auto") return {launch};
  auto rows = willing_backends(catalog, launch, device);
  if (rows.empty()) {
    const auto all = backends_of(catalog, launch, device);
    if (!all.empty()) rows.push_back(all.front().row);
  }
  std::vector<Launch> out;
  for (const BackendSpec* row : rows) out.push_back(on_backend(launch, *row));
  if (out.empty()) out.push_back(launch);
  return out;
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

struct Findings {
  std::vector<Diag> diags;
  bool errors = false;
  bool of_settings = false;  // some error points at a knob that is written
};

Findings findings(const Catalog& catalog, const Program& program, const Launch& launch,
                  const DeviceSpec& device) {
  const Launch seen = as_multiplied(launch);
  const RuleContext context{program, seen, device};
  Findings out;
  for (const RuleSpec* rule : catalog.rules()) {
    if (!applies(*rule, launch, device)) continue;
    auto finding = rule->check(context);
    if (!finding) continue;
    const bool error = rule->severity == Severity::error;
    out.errors = out.errors || error;
    out.of_settings = out.of_settings || (error && program[launch.step].knob(finding->knob) != nullptr);
    out.diags.push_back(to_diag(*rule, std::move(*finding), program, launch.step));
  }
  return out;
}

}  // namespace

bool legal(const Catalog& catalog, const Program& program, const Launch& launch, const DeviceSpec& device) {
  return std::ranges::any_of(served(catalog, launch, device), [&](const Launch& each) {
    const Launch seen = as_multiplied(each);
    const RuleContext context{program, seen, device};
    return std::ranges::none_of(catalog.rules(), [&](const RuleSpec* rule) {
      return rule->severity == Severity::error && applies(*rule, each, device) &&
             rule->check(context).has_value();
    });
  });
}

void run_rules(const Catalog& catalog, const Program& program, const Launch& launch, const DeviceSpec& device,
               DiagSink& diags) {
  std::optional<Findings> first;
  for (const Launch& each : served(catalog, launch, device)) {
    Findings found = findings(catalog, program, each, device);
    if (!first || !found.errors) first = std::move(found);
    // A setting that is wrong on the first is told; only what data ask for is served elsewhere.
    if (!first->errors || first->of_settings) break;
  }
  for (Diag& diag : first->diags) diags.add(std::move(diag));
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
