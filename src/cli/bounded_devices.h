#pragma once
// Why: commands that bound programs take devices in one way: by name, several or all, with the rates that
// were seen on them.
#include <string>
#include <vector>

#include "cli/options.h"
#include "sol/calibration.h"

namespace uc::cli {

struct DeviceChoice {
  std::vector<std::string> names;  ///< empty: the target's own; "all"
  std::string calibration;         ///< as active_calibration() takes it
};

/// --device NAME,... and --calibration FILE|none.
void bounded_devices_options(Options& options, const Catalog& catalog, DeviceChoice& choice);

/// Each once, in the order named. Errors: a name that no device has (with the nearest), no device stands for
/// the target, a calibration that cannot be used.
Result<std::vector<CalibratedDevice>> chosen_devices(const Context& context, const DeviceChoice& choice,
                                                     const std::string& target);

/// Every device there is, with the rates seen on it.
Result<std::vector<CalibratedDevice>> all_devices(const Context& context);

}  // namespace uc::cli
