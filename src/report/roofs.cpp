// What a roofline shows, before it is drawn: ceilings, and work as operations and bytes.
#include "report/roofs.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "report/roofline_plot.h"

namespace uc {
namespace {

double scalar_operations(const SolWork& work) {
  return 2 * work.fma_ops + work.special_ops + work.integer_ops;
}

PlottedWork plotted(const SolWork& work) {
  PlottedWork out;
  out.scalar = !(work.minimum_flops > 0);
  out.operations = out.scalar ? scalar_operations(work) : work.minimum_flops;
  out.bytes = work.read_bytes + work.write_bytes;
  return out;
}

}  // namespace

std::vector<Roof> roofs_of(const SolSubject& subject) {
  std::map<std::string, double> work;  // by way to multiply
  for (const SolStep& each : subject.report.steps) {
    if (!each.math.empty() && !each.at_load) work[each.math] += each.work.minimum_flops;
  }
  const auto most = std::ranges::max_element(work, {}, [](const auto& each) { return each.second; });
  const std::string used = most == work.end() ? "f32" : most->first;
  const DeviceSpec& device = *subject.device;
  const double clock = device.boost_mhz > 0 ? subject.report.clock_mhz / device.boost_mhz : 1;
  std::vector<Roof> out;
  for (const UnitRate& each : device.rates) {
    const double peak = device.peak_flops(each.math) * clock;
    if (!(peak > 0)) continue;
    const std::string name(uc::name(each.math));
    // One line a rate: bf16 has that of f16, integers that of f8.
    const bool shown =
        each.math == Math::f32 || each.math == Math::tf32 || each.math == Math::f16 || each.math == Math::f8;
    if (!shown && name != used) continue;
    const double seen = each.calibrated_tflops > 0 ? std::min(device.calibrated_flops(each.math), peak) : 0;
    out.push_back({name, peak, seen, name == used});
  }
  return out;
}

PlottedWork plotted_whole(const SolReport& report) {
  PlottedWork out = plotted(report.minimum);
  // Results that may stay in L2 are no bytes of the certified bound.
  const double moved = report.certified.memory_us * 1e-6 * report.dram_tbps * 1e12;
  if (moved > 0 && std::isfinite(moved)) out.bytes = moved;
  return out;
}

PlottedWork plotted_step(const SolStep& step) { return plotted(step.work); }

std::string roofline_note(const SolReport& report) {
  size_t hidden = 0;
  for (const SolStep& each : report.steps)
    hidden += !each.at_load && !(plotted_step(each).operations > 0) ? 1 : 0;
  std::string out;
  const PlottedWork whole = plotted_whole(report);
  if (!(whole.operations > 0)) {
    out = "No work is left of the whole, so only operators have a place. ";
  } else if (whole.scalar) {
    out =
        "No matrix product is left of the whole, so its operations are scalar ones: two for a multiply-add, "
        "one for a "
        "special function. ";
  }
  if (hidden > 0)
    out += fmt::format("{} operator{} only move{} data and {} no place in the picture.", hidden,
                       hidden == 1 ? "" : "s", hidden == 1 ? "s" : "", hidden == 1 ? "has" : "have");
  return out;
}

}  // namespace uc
