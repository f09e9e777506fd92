#include "plan/ranking.h"

#include <fmt/format.h>

#include "catalog/knob_spec.h"

namespace uc {

Config blank(const Config& config) {
  return std::visit([](const auto& each) { return Config(std::decay_t<decltype(each)>{}); }, config);
}

std::string knobs_text(const Catalog& catalog, const Launch& launch) {
  std::string out;
  for (const KnobSpec* knob : catalog.knobs()) {
    const std::string text = knob->print == nullptr ? std::string() : knob->print(launch);
    if (!text.empty()) out += fmt::format(".{}({})", knob->name, text);
  }
  return out;
}

Ranking ranking_of(const Catalog& catalog, const Program& program, const Launch& given,
                   const DeviceSpec& device, size_t limit) {
  Ranking out;
  out.backends = backends_of(catalog, given, device);
  out.ranked = rank_configs(catalog, program, given, device, limit);
  if (given.config == blank(given.config)) return out;
  out.open = rank_configs(catalog, program, with(given, blank(given.config)), device, limit);
  return out;
}

}  // namespace uc
