#include "sol/several.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sol/graph.h"
#include "sol/quantity.h"
#include "sol/roofline.h"
#include "sol/work.h"

namespace uc {
namespace {

using nlohmann::ordered_json;

std::string bold(bool on, const std::string& text) { return on ? "\x1b[1m" + text + "\x1b[0m" : text; }

std::string devices_that_multiply(const Catalog& catalog, Math math) {
  std::string out;
  for (const DeviceSpec* row : catalog.devices()) {
    if (row->multiplies(math)) out += fmt::format("{}{}", out.empty() ? "" : ", ", row->name);
  }
  return out.empty() ? "none" : out;
}

}  // namespace

Result<> require_units(const Catalog& catalog, const Program& program, const DeviceSpec& device,
                       Precision precision) {
  for (const OpId id : sol::running_ops(program)) {
    if (!sol::work_of(catalog, program, id).contracts) continue;
    const Math math = sol::math_of(program, id, sol::fastest_math(precision, device));
    if (device.multiplies(math)) continue;
    return fail(
        fmt::format("{} ({}) has no unit that multiplies {}", device.name, device.full_name, name(math)),
        fmt::format("devices that have one: {}", devices_that_multiply(catalog, math)), 2);
  }
  return {};
}

std::string sol_table(std::span<const DeviceBounds> rows, bool color) {
  std::string text;
  const auto out = std::back_inserter(text);
  if (!rows.empty()) {
    const SolReport& first = rows.front().report;
    fmt::format_to(out, "{}\n", bold(color, "speed of light of " + first.program));
  }
  fmt::format_to(
      out, "{}\n",
      bold(color, fmt::format("{:<10} {:<26} {:>9} {:>10} {:>12} {:<8} {:>12} {:>12} {:<8}", "device", "",
                              "precision", "SM clock", "certified", "by", "promised", "calibrated", "by")));
  for (const DeviceBounds& row : rows) {
    const SolReport& report = row.report;
    fmt::format_to(out, "{:<10} {:<26} ", report.device, report.device_name);
    if (!row.missing.empty()) {
      fmt::format_to(out, "{}\n", row.missing);
      continue;
    }
    const bool seen = report.calibrated_dram_tbps > 0;  // else the theoretical rates stand in
    fmt::format_to(out, "{:>9} {:>6.0f} MHz {:>12} {:<8} {:>12} {:>12} {:<8}", name(report.precision),
                   report.clock_mhz, column_duration(report.certified.total_us), report.certified.by,
                   column_duration(report.promised.total_us),
                   seen ? column_duration(report.calibrated.total_us) : "none seen",
                   seen ? report.calibrated.by : "");
    if (report.verdict)
      fmt::format_to(out, " {} is {}", column_duration(report.verdict->time_us), report.verdict->word);
    fmt::format_to(out, "\n");
  }
  return text;
}

std::string sol_array_json(std::span<const DeviceBounds> rows) {
  ordered_json out = ordered_json::array();
  for (const DeviceBounds& row : rows) {
    if (row.missing.empty()) {
      out.push_back(ordered_json::parse(sol_json(row.report)));
    } else {
      out.push_back({{"device", row.report.device}, {"missing", row.missing}});
    }
  }
  return out.dump(2) + "\n";
}

}  // namespace uc
