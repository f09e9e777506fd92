#include "plan/choose.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "check/diags.h"
#include "check/row_scope.h"
#include "check/rule_engine.h"
#include "ir/kernel_parts.h"

namespace uc {
namespace {

// Ways that lose nothing of f32 data.
constexpr std::array<Math, 3> kFaithful{Math::f16x3, Math::tf32x3, Math::f32};

bool names_math(const Step& step) {
  const Knob* knob = step.knob("math");
  if (knob == nullptr || knob->settings.empty()) return false;
  const auto* word = std::get_if<std::string>(&knob->settings[0]);
  return word != nullptr && *word != name(Math::automatic);
}

Launch multiplied(const Launch& launch, Math math) {
  Launch out = launch;
  *math_of(out.kernel) = math;
  return out;
}

// The fastest way that has a legal configuration; when none has, the first that a back end is there for,
// whose rules then say what is wrong.
Math fastest_faithful(const Catalog& catalog, const Program& program, const Launch& launch,
                      const DeviceSpec& device) {
  std::optional<std::pair<double, Math>> best;
  std::optional<Math> served;
  for (const Math math : kFaithful) {
    const Launch candidate = multiplied(launch, math);
    if (backend_for(catalog, candidate, device) == nullptr) continue;
    if (!served) served = math;
    const auto ranked = rank_configs(catalog, program, candidate, device, 1);
    if (ranked.empty() || (best && ranked.front().estimate.total_us >= best->first)) continue;
    best = {ranked.front().estimate.total_us, math};
  }
  return best ? best->second : served.value_or(Math::f32);
}

}  // namespace

Launch with(const Launch& launch, const Config& config) {
  Launch out = launch;
  out.config = config;
  return out;
}

const BackendSpec* backend_for(const Catalog& catalog, const Launch& launch, const DeviceSpec& device,
                               std::string* why) {
  std::string reasons;
  for (const Served& each : backends_of(catalog, launch, device)) {
    if (each.refusal.empty()) return each.row;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", each.row->id, each.refusal);
  }
  if (why != nullptr) *why = reasons.empty() ? fmt::format("no back end for {}", device.arch) : reasons;
  return nullptr;
}

std::optional<Estimate> estimate(const Catalog& catalog, const Launch& launch, const DeviceSpec& device) {
  const BackendSpec* backend = backend_for(catalog, launch, device);
  if (backend == nullptr) return std::nullopt;
  return backend->model(launch, device);
}

std::vector<RankedConfig> rank_configs(const Catalog& catalog, const Program& program, const Launch& launch,
                                       const DeviceSpec& device, size_t limit) {
  std::vector<RankedConfig> ranked;
  const auto willing = willing_backends(catalog, launch, device);
  bool served = false;
  for (const BackendSpec* row : willing) {
    if (served && !row->beside) continue;
    for (const Config& config : row->configs(launch, device)) {
      const Launch candidate = on_backend(with(launch, config), *row);
      if (!legal(catalog, program, candidate, device)) continue;
      // The first stays what `auto` means; another one is written out.
      ranked.push_back(
          {row == willing.front() ? config : candidate.config, row, row->model(candidate, device)});
    }
    // Of contractions the first back end that has any is the fastest, but for those that stand beside it;
    // those of convolutions compete.
    served = !ranked.empty() && !std::holds_alternative<Convolution>(launch.kernel);
  }
  std::ranges::stable_sort(ranked, {}, [](const RankedConfig& each) { return each.estimate.total_us; });
  if (ranked.size() > limit) ranked.resize(limit);
  return ranked;
}

void choose_math(const Catalog& catalog, const Program& program, std::vector<Launch>& launches,
                 const DeviceSpec& device) {
  for (Launch& launch : launches) {
    Math* math = math_of(launch.kernel);
    if (math == nullptr || *math != Math::f32 || operand_type_of(launch.kernel) != DType::f32 ||
        names_math(program[launch.step]))
      continue;
    *math = fastest_faithful(catalog, program, launch, device);
  }
}

void choose_automatic(const Catalog& catalog, const Program& program, std::vector<Launch>& launches,
                      const DeviceSpec& device, DiagSink& diags) {
  for (Launch& launch : launches) {
    const Step& step = program[launch.step];
    std::string why;
    if (backend_for(catalog, launch, device, &why) == nullptr) {
      diags.add(kinds::no_backend, step.span, fmt::format("no back end for {} emits this step", device.arch))
          .help = why;
      continue;
    }
    const auto ranked = rank_configs(catalog, program, launch, device, 1);
    if (ranked.empty()) {
      diags
          .add(kinds::no_legal_choice, step.span, "no legal configuration exists with the knobs of this step")
          .help = "drop a knob, or set it to auto; `ucutlass explain UC1906`";
      continue;
    }
    launch.config = ranked.front().config;
  }
}

Program write_knobs(const Catalog& catalog, const Program& program, const std::vector<Launch>& launches) {
  Program out = program;
  for (const Launch& launch : launches) {
    Step& step = out[launch.step];
    const std::vector<Knob> given = std::exchange(step.knobs, {});
    for (const KnobSpec* spec : catalog.knobs()) {
      if (spec->print == nullptr) continue;
      const std::string text = spec->print(launch);
      if (text.empty()) continue;
      Knob knob;
      knob.name = spec->name;
      knob.settings.emplace_back(text);
      step.knobs.push_back(std::move(knob));
    }
    // Settings that no back end emits are not in the config: they stay as they are written.
    for (const Knob& knob : given) {
      const KnobSpec* spec = catalog.knob(knob.name, *knob_op(out, step).spec);
      const bool kept =
          spec != nullptr && step.knob(knob.name) == nullptr &&
          (!spec->emitted || (spec->not_emitted != nullptr && !spec->not_emitted(knob).empty()));
      if (kept) step.knobs.push_back(knob);
    }
  }
  return out;
}

}  // namespace uc
