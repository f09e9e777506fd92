#pragma once
// Why: two questions that are asked of many devices at once: where would this run how fast, and what would a
// device need to run it in a given time.
#include <span>
#include <string>

#include "base/result.h"
#include "sol/sol.h"

namespace uc {

/// Nothing, or an error when a contraction of the program multiplies in a way that the device has no unit
/// for; it names the devices that have one. A device without the unit is never given another's rate.
Result<> require_units(const Catalog& catalog, const Program& program, const DeviceSpec& device,
                       Precision precision);

/// Bounds of one program on several devices, a row each; `missing` is empty or says why there are none.
struct DeviceBounds {
  SolReport report;
  std::string missing;
};
std::string sol_table(std::span<const DeviceBounds> rows, bool color = false);
/// An array: reports of ucutlass.sol/1, or {"device", "missing"}.
std::string sol_array_json(std::span<const DeviceBounds> rows);

/// Whether each device can reach `time_us`. `report` gives the work; rates are shown relative to its device.
std::string sol_reach_text(const SolReport& report, double time_us, std::span<const DeviceBounds> devices,
                           bool color = false);
/// Schema ucutlass.sol-need/1.
std::string sol_reach_json(const SolReport& report, double time_us, std::span<const DeviceBounds> devices);

}  // namespace uc
