#pragma once
// Why: rates that were measured on this machine outlive the process, and win over those that ship.
#include <optional>
#include <string>

#include "platform/environment.h"
#include "platform/files.h"
#include "sol/calibration.h"

namespace uc {

/// "2026-11-30", UTC, of Clock::wall_seconds().
std::string date_of(double wall_seconds);

/// `<data folder>/calibration/<device>.json` (store/place.h). Errors: no data folder.
Result<std::string> calibration_path(const Environment& environment, std::string_view device);

struct ActiveCalibration {
  std::optional<Calibration> calibration;
  std::string origin;  ///< the file, "shipped with the program", or "none"
};

/// `choice`: empty: what was measured here, else what ships; "none": nothing; else a file. Errors: the file
/// cannot be read, is no calibration, or is not of the device.
Result<ActiveCalibration> active_calibration(Files& files, const Environment& environment,
                                             const DeviceSpec& device, const std::string& choice = {});

/// Writes it where active_calibration finds it; whole or not at all. Returns the path. Errors: as fits(); the
/// file system.
Result<std::string> save_calibration(Files& files, const Environment& environment, const DeviceSpec& device,
                                     const Calibration& calibration);

/// raise() on what is active, saved when something was raised. Errors: as the two above.
Result<std::vector<RaisedRate>> raise_calibration(Files& files, const Environment& environment,
                                                  const DeviceSpec& device, const SolReport& report,
                                                  double proven_us, std::string_view program,
                                                  std::string_view date);

}  // namespace uc
