#include "sol/calibration.h"

#include <array>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace uc::embedded {
std::string_view calibration(std::string_view file);
}

namespace uc {
namespace {

constexpr std::string_view kProvenBy = "proven kernel of";

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

double theoretical_rate(const DeviceSpec& device, std::vector<SeenRate> Calibration::* kind,
                        std::string_view what) {
  const double clocks = device.sms * device.boost_mhz * 1e6 / 1e12;
  if (kind == &Calibration::memory) return device.dram_bytes_per_second() / 1e12;
  if (kind == &Calibration::products)
    return device.peak_flops(parse_math(what).value_or(Math::automatic)) / 1e12;
  if (what == "fma") return device.peak_flops(Math::f32) / 2 / 1e12;
  if (what == "special") return device.special_per_clock_per_sm * clocks;
  if (what == "integer") return device.int32_per_clock_per_sm * clocks;
  if (what == "half") return device.half_fma_per_clock_per_sm * clocks;
  return 0;
}

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
  constexpr std::array kKinds{std::pair(&Calibration::memory, "TB/s"), std::pair(&Calibration::pipes, "T/s"),
                              std::pair(&Calibration::products, "TFLOP/s")};
  for (const auto& [kind, unit] : kKinds) {
    for (const SeenRate& each : calibration.*kind) {
      auto fine = below(each, theoretical_rate(device, kind, each.what), unit, device);
      if (!fine) return fine;
    }
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
  const double clock = report.clock_mhz / device.boost_mhz;
  // `what` empty: any, of memory.
  const auto beat = [&](std::vector<SeenRate> Calibration::* kind, std::string_view what,
                        double certified_us) {
    const double at_clock = kind == &Calibration::memory ? 1 : clock;
    // The least rate at which that work takes that time.
    const double needed = certified_us / proven_us * at_clock * theoretical_rate(device, kind, what);
    const double was = best_rate(calibration.*kind, what);
    if (was == 0 || needed <= was) return;
    out.push_back({std::string(what.empty() ? "memory" : what), was, needed, proven_us, std::string(program),
                   std::string(date)});
    (calibration.*kind)
        .push_back({what.empty() ? "proven" : std::string(what), needed, 0, "", "",
                    fmt::format("{} {}", kProvenBy, program), 0});
  };
  beat(&Calibration::memory, "", report.certified.memory_us);
  beat(&Calibration::pipes, "fma", report.certified.fma_us);
  beat(&Calibration::pipes, "special", report.certified.special_us);
  beat(&Calibration::pipes, "integer", report.certified.integer_us);
  std::set<std::string> maths;
  for (const SolStep& step : report.steps) {
    if (!step.at_load && !step.math.empty()) maths.insert(step.math);
  }
  for (const std::string& math : maths) beat(&Calibration::products, math, report.certified.tensor_us);
  calibration.raised.insert(calibration.raised.end(), out.begin(), out.end());
  return out;
}

}  // namespace uc
