#include "cli/calibrate/measured.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace uc::cli {
namespace {

using nlohmann::json;

double number(const json& row, const char* key) {
  const auto found = row.find(key);
  const double value = found != row.end() && found->is_number() ? found->get<double>() : 0;
  return std::isfinite(value) && value > 0 ? value : 0;
}

std::string text(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

SeenRate seen_of(const json& row) {
  return {text(row, "what"), number(row, "best"), number(row, "median"), text(row, "shape"),
          text(row, "data"), text(row, "by"),     number(row, "sm_mhz")};
}

void add_launch(const json& row, Calibration& to) {
  const double us = number(row, "us");
  if (us > 0 && (to.launch_us == 0 || us < to.launch_us)) to.launch_us = us;
}

// False: no record that is known, or one without its rate.
bool add(const json& row, Measured& to) {
  const std::string record = text(row, "record");
  if (record == "device") {
    to.gpu = {text(row, "name"), static_cast<int>(number(row, "sms")),
              static_cast<int64_t>(number(row, "l2_bytes")), number(row, "max_sm_mhz")};
    to.seen.gpu = to.gpu.name;
    return !to.gpu.name.empty();
  }
  if (record == "launch") {
    add_launch(row, to.seen);
    return number(row, "us") > 0;
  }
  SeenRate seen = seen_of(row);
  if (seen.what.empty() || seen.best == 0) return false;
  if (const double mhz = number(row, "dram_mhz"); mhz > 0) to.seen.dram_mhz = std::max(to.seen.dram_mhz, mhz);
  if (record == "memory") {
    to.seen.memory.push_back(std::move(seen));
  } else if (record == "pipe" && seen.what == "f64") {
    seen.best *= 2;  // FLOP of a multiply-add
    seen.median *= 2;
    to.seen.products.push_back(std::move(seen));
  } else if (record == "pipe") {
    to.seen.pipes.push_back(std::move(seen));
  } else if (record == "product" && parse_math(seen.what)) {
    to.seen.products.push_back(std::move(seen));
  } else {
    return false;
  }
  return true;
}

// "program 1a2b: 0.1656 ms, 829.9 TFLOP/s; cuBLAS, ...: 0.19 ms, 723.4 TFLOP/s": the number before the unit.
double teraflops(std::string_view part) {
  const size_t unit = part.find(" TFLOP/s");
  if (unit == std::string_view::npos) return 0;
  const size_t space = part.rfind(' ', unit - 1);
  const size_t begin = space == std::string_view::npos ? 0 : space + 1;
  double value = 0;
  const auto [end, code] = std::from_chars(part.data() + begin, part.data() + unit, value);
  return code == std::errc() && end == part.data() + unit && std::isfinite(value) ? value : 0;
}

// Whether a device can do it; fits() knows the limits.
bool possible(const DeviceSpec& device, const SeenRate& rate, std::vector<SeenRate> Calibration::* kind) {
  Calibration one;
  one.device = device.name;
  one.*kind = {rate};
  return fits(one, device).has_value();
}

constexpr std::array kKinds{&Calibration::memory, &Calibration::pipes, &Calibration::products};

double median_clock(const Calibration& seen) {
  std::vector<double> clocks;
  for (const auto kind : kKinds) {
    for (const SeenRate& each : seen.*kind) {
      if (each.sm_mhz > 0) clocks.push_back(each.sm_mhz);
    }
  }
  std::ranges::sort(clocks);
  return clocks.empty() ? 0 : clocks[clocks.size() / 2];
}

}  // namespace

void add_lines(std::string_view lines, Measured& to) {
  for (const std::string_view line : split(lines, '\n')) {
    if (trim(line).empty()) continue;
    const json row = json::parse(line, nullptr, false);
    if (!row.is_object() || !add(row, to))
      to.warnings.push_back(fmt::format("not understood: {}", line.substr(0, 160)));
  }
}

void add_benchmark(std::string_view printed, std::string_view failed, std::string_view math,
                   std::string_view shape, Measured& to) {
  const std::string what = fmt::format("own kernel in {} of {}", math, shape);
  if (!failed.empty()) {
    to.warnings.push_back(fmt::format("{}: its rate is left out: {}", what, trim(failed.substr(0, 300))));
    return;
  }
  for (const std::string_view line : split(printed, '\n')) {
    if (!starts_with(line, "program ")) continue;
    const size_t second = line.find(';');
    const double own = teraflops(line.substr(0, second));
    const double vendor = second == std::string_view::npos ? 0 : teraflops(line.substr(second));
    const std::string data = "uniform [-1, 1)";
    if (own > 0)
      to.seen.products.push_back(
          {std::string(math), own, own, std::string(shape), data, "ucutlass gemm, median of 5 blocks", 0});
    // Three products for one are no way of cuBLAS.
    if (vendor > 0 && math.find("x3") == std::string_view::npos)
      to.seen.products.push_back(
          {std::string(math), vendor, vendor, std::string(shape), data, "cuBLAS, median of 5 blocks", 0});
    if (own > 0) return;
  }
  to.warnings.push_back(what + " printed no rate");
}

void finish(const DeviceSpec& device, Measured& measured) {
  measured.seen.device = device.name;
  measured.seen.sm_mhz = median_clock(measured.seen);
  for (const auto kind : kKinds) {
    std::erase_if(measured.seen.*kind, [&](const SeenRate& rate) {
      if (possible(device, rate, kind)) return false;
      measured.warnings.push_back(fmt::format("left out: {} of {} ({:.4g}) is above what {} can do",
                                              rate.what, rate.by, rate.best, device.name));
      return true;
    });
  }
}

std::vector<std::string> differences(const MeasuredGpu& gpu, const DeviceSpec& device) {
  std::vector<std::string> out;
  if (gpu.sms > 0 && gpu.sms != device.sms)
    out.push_back(fmt::format("it has {} SMs, the row of {} says {}", gpu.sms, device.name, device.sms));
  if (gpu.l2_bytes > 0 && gpu.l2_bytes != device.l2_bytes)
    out.push_back(fmt::format("its L2 has {} bytes, the row says {}", gpu.l2_bytes, device.l2_bytes));
  if (gpu.max_sm_mhz > 0 && gpu.max_sm_mhz != device.boost_mhz)
    out.push_back(fmt::format("its highest SM clock is {:.0f} MHz, the row says {:.0f}", gpu.max_sm_mhz,
                              device.boost_mhz));
  return out;
}

}  // namespace uc::cli
