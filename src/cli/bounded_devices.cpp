#include "cli/bounded_devices.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "store/calibrations.h"

namespace uc::cli {
namespace {

std::vector<std::string_view> device_names(const Catalog& catalog) {
  std::vector<std::string_view> out;
  for (const DeviceSpec* row : catalog.devices()) out.push_back(row->name);
  std::ranges::sort(out);
  return out;
}

Result<CalibratedDevice> calibrated(const Context& context, const DeviceSpec& row,
                                    const std::string& choice) {
  auto active = active_calibration(context.files, context.environment, row, choice);
  if (!active) return tl::unexpected(active.error());
  return CalibratedDevice(row, active->calibration ? &*active->calibration : nullptr);
}

Error unknown_device(const Catalog& catalog, const std::string& name) {
  const auto names = device_names(catalog);
  const std::string_view near = nearest(name, names);
  return {near.empty() ? fmt::format("no device is named `{}`", name)
                       : fmt::format("no device is named `{}`, did you mean `{}`?", name, near),
          fmt::format("devices: {}, or all", fmt::join(names, ", ")), kUsage};
}

}  // namespace

void bounded_devices_options(Options& options, const Catalog& catalog, DeviceChoice& choice) {
  options.list("--device", choice.names, "NAME,...",
               "the device, several, or all: then a row each (default: the target's own)",
               Options::From::command_line);
  std::vector<std::string> words{"all"};
  for (const std::string_view name : device_names(catalog)) words.emplace_back(name);
  options.suggest(std::move(words));
  options.value("--calibration", choice.calibration, "FILE|none",
                "rates that were seen (default: what `ucutlass calibrate` measured here, else what ships)");
}

Result<std::vector<CalibratedDevice>> all_devices(const Context& context) {
  std::vector<CalibratedDevice> out;
  for (const DeviceSpec* row : context.catalog.devices()) {
    auto device = calibrated(context, *row, {});
    if (!device) return tl::unexpected(device.error());
    out.push_back(std::move(*device));
  }
  return out;
}

Result<std::vector<CalibratedDevice>> chosen_devices(const Context& context, const DeviceChoice& choice,
                                                     const std::string& target) {
  const Catalog& catalog = context.catalog;
  std::vector<const DeviceSpec*> rows;
  for (const std::string& name : choice.names) {
    if (name == "all") {
      rows.assign(catalog.devices().begin(), catalog.devices().end());
      break;
    }
    const DeviceSpec* row = catalog.device(name);
    if (row == nullptr) return tl::unexpected(unknown_device(catalog, name));
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  }
  if (rows.empty()) rows.push_back(catalog.device_of_target(target));
  if (rows.front() == nullptr)
    return fail("no device stands for target " + target, "name one with --device", kUsage);
  if (rows.size() > 1 && !choice.calibration.empty() && choice.calibration != "none")
    return fail("--calibration FILE is of one device, and several are named",
                "name one with --device, or --calibration none", kUsage);
  std::vector<CalibratedDevice> out;
  for (const DeviceSpec* row : rows) {
    auto device = calibrated(context, *row, choice.calibration);
    if (!device) return tl::unexpected(device.error());
    out.push_back(std::move(*device));
  }
  return out;
}

}  // namespace uc::cli
