#include "sol/calibration.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace uc::embedded {
std::string_view calibration(std::string_view file);
}

namespace uc {
namespace {

constexpr std::string_view kProvenBy = "proven kernel of";

// Results a second of the pipes that calibrations know, at the highest clock; 1e12.
double pipe_peak(const DeviceSpec& device, std::string_view pipe) {
  const double clocks = device.sms * device.boost_mhz * 1e6 / 1e12;
  if (pipe == "fma") return device.peak_flops(Math::f32) / 2 / 1e12;
  if (pipe == "special") return device.special_per_clock_per_sm * clocks;
  if (pipe == "integer") return device.int32_per_clock_per_sm * clocks;
  if (pipe == "half") return device.half_fma_per_clock_per_sm * clocks;
  return 0;
}

double best_rate(const std::vector<SeenRate>& seen, std::string_view what = {}) {
  const SeenRate* best = best_of(seen, what);
  return best == nullptr ? 0 : best->best;
}

Result<> below(const SeenRate& seen, double peak, std::string_view unit, const DeviceSpec& device) {
  if (seen.best <= peak) return {};
  return fail(fmt::format("{} of {}: {:.4g} {} were seen, and {} allows {:.4g}", seen.what,
                          seen.by.empty() ? "a calibration" : seen.by, seen.best, unit, device.name, peak),
              "either the measurement is wrong or the device's factors are; nothing above them is kept");
}

}  // namespace

const SeenRate* best_of(const std::vector<SeenRate>& seen, std::string_view what) {
  const SeenRate* best = nullptr;
  for (const SeenRate& each : seen) {
    if (!what.empty() && each.what != what) continue;
    if (best == nullptr || each.best > best->best) best = &each;
  }
  return best;
}

Result<> fits(const Calibration& calibration, const DeviceSpec& device) {
  if (calibration.device != device.name)
    return fail(fmt::format("the calibration is of `{}`, not of `{}`", calibration.device, device.name),
                fmt::format("measure one there: ucutlass calibrate; or name its device: --device {}",
                            calibration.device));
  for (const SeenRate& each : calibration.memory) {
    auto fine = below(each, device.dram_bytes_per_second() / 1e12, "TB/s", device);
    if (!fine) return fine;
  }
  for (const SeenRate& each : calibration.pipes) {
    auto fine = below(each, pipe_peak(device, each.what), "T/s", device);
    if (!fine) return fine;
  }
  for (const SeenRate& each : calibration.products) {
    const double peak = device.peak_flops(parse_math(each.what).value_or(Math::automatic)) / 1e12;
    auto fine = below(each, peak, "TFLOP/s", device);
    if (!fine) return fine;
  }
  return {};
}

CalibratedDevice::CalibratedDevice(const DeviceSpec& row, const Calibration* calibration)
    : rates_(row.rates.begin(), row.rates.end()), spec_(row) {
  static const Calibration nothing;
  const Calibration& seen = calibration == nullptr ? nothing : *calibration;
  for (UnitRate& rate : rates_) rate.calibrated_tflops = best_rate(seen.products, name(rate.math));
  spec_.rates = rates_;
  spec_.calibrated_mhz = seen.sm_mhz;
  spec_.calibrated_dram_tbps = best_rate(seen.memory);
  spec_.calibrated_fma_tops = best_rate(seen.pipes, "fma");
  spec_.calibrated_special_tops = best_rate(seen.pipes, "special");
  spec_.calibrated_integer_tops = best_rate(seen.pipes, "integer");
  if (seen.launch_us > 0) spec_.launch_us = seen.launch_us;
}

void keep_proven(const Calibration& before, Calibration& in) {
  for (const auto kind : {&Calibration::memory, &Calibration::pipes, &Calibration::products}) {
    for (const SeenRate& each : before.*kind) {
      if (each.by.starts_with(kProvenBy)) (in.*kind).push_back(each);
    }
  }
  in.raised.insert(in.raised.begin(), before.raised.begin(), before.raised.end());
}

std::optional<Calibration> shipped_calibration(std::string_view device) {
  const std::string_view text = embedded::calibration(fmt::format("{}.json", device));
  if (text.empty()) return std::nullopt;
  auto parsed = parse_calibration(text);
  return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
}

std::span<const DeviceSpec> with_shipped_calibrations(std::span<const DeviceSpec> rows) {
  // Never freed: catalogs point to the rows, and each family asks once.
  auto& kept = *new std::vector<CalibratedDevice>;  // NOLINT(cppcoreguidelines-owning-memory)
  auto& specs = *new std::vector<DeviceSpec>;       // NOLINT(cppcoreguidelines-owning-memory)
  for (const DeviceSpec& row : rows) {
    const auto shipped = shipped_calibration(row.name);
    kept.emplace_back(row, shipped ? &*shipped : nullptr);
    specs.push_back(kept.back().spec());
  }
  return specs;
}

std::vector<RaisedRate> raise(Calibration& calibration, const DeviceSpec& device, const SolReport& report,
                              double proven_us, std::string_view program, std::string_view date) {
  std::vector<RaisedRate> out;
  // Faster than the certified bound is no proof of a rate: something else is wrong.
  if (!(proven_us > 0) || report.certified.total_us > proven_us) return out;
  const auto beat = [&](std::vector<SeenRate>& seen, std::string_view what, std::string_view unit,
                        double certified_us, double peak) {
    const double needed =
        certified_us / proven_us * peak;  // the least rate at which that work takes that time
    const double was = best_rate(seen, what);
    if (was == 0 || needed <= was) return;
    out.push_back({std::string(unit), was, needed, proven_us, std::string(program), std::string(date)});
    seen.push_back({what.empty() ? "proven" : std::string(what), needed, 0, "", "",
                    fmt::format("{} {}", kProvenBy, program), report.clock_mhz});
  };
  const double clock = report.clock_mhz / device.boost_mhz;
  beat(calibration.memory, "", "memory", report.certified.memory_us, device.dram_bytes_per_second() / 1e12);
  beat(calibration.pipes, "fma", "fma", report.certified.fma_us, clock * pipe_peak(device, "fma"));
  beat(calibration.pipes, "special", "special", report.certified.special_us,
       clock * pipe_peak(device, "special"));
  beat(calibration.pipes, "integer", "integer", report.certified.integer_us,
       clock * pipe_peak(device, "integer"));
  std::set<std::string> maths;
  for (const SolStep& step : report.steps) {
    if (!step.at_load && !step.math.empty()) maths.insert(step.math);
  }
  for (const std::string& math : maths) {
    const double peak = device.peak_flops(parse_math(math).value_or(Math::automatic)) / 1e12;
    beat(calibration.products, math, math, report.certified.tensor_us, clock * peak);
  }
  calibration.raised.insert(calibration.raised.end(), out.begin(), out.end());
  return out;
}

}  // namespace uc
