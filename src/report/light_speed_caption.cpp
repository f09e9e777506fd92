// What is said of the light-speed picture, beside it and in it.
#include <algorithm>
#include <fmt/format.h>

#include "report/light_speed_plot.h"
#include "sol/quantity.h"

namespace uc {

std::string light_speed_title(const LightSpeed& data) {
  const size_t count = data.series.empty() ? 0 : data.series.front().points.size();
  return fmt::format("{} {} and the speed of light of one {}", count, count == 1 ? "problem" : "problems",
                     data.device_name);
}

std::string light_speed_summary(const LightSpeed& data) {
  if (data.series.empty()) return "No times.";
  std::vector<const LightPoint*> all;
  for (const LightPoint& each : data.series.front().points) all.push_back(&each);
  return fmt::format(
      "{}'s best time under {} is {} the least possible one (geometric mean); each mark is a problem",
      data.series.front().name, name(data.precision), times(mean_gap(all)));
}

std::vector<std::string> light_speed_caption(const LightSpeed& data) {
  bool modelled = false, other = false;
  for (const LightSeries& series : data.series) {
    modelled |= std::ranges::any_of(series.points, &LightPoint::modelled);
    other |= std::ranges::any_of(series.points,
                                 [&](const auto& each) { return each.precision != data.precision; });
  }
  std::vector<std::string> out;
  std::string sources;
  for (const std::string& each : data.sources) sources += (sources.empty() ? "" : "; ") + each;
  out.push_back(fmt::format(
      "Times: {}. {}", sources.empty() ? "none" : sources,
      modelled ? "Filled marks are measured, hollow ones modelled." : "All of them are measured."));
  out.push_back(
      fmt::format("Bounds: computed by ucutlass for {} with SMs at {:.0f} MHz, f32 data multiplied as {}{}.",
                  data.device_name, data.clock_mhz, name(data.precision),
                  other ? ", for series of another precision as that allows" : ""));
  out.push_back("Made by: " + data.command);
  return out;
}

}  // namespace uc
