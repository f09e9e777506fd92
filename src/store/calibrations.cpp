#include "store/calibrations.h"

#include <ctime>
#include <filesystem>
#include <fmt/format.h>

#include "store/place.h"

namespace uc {
namespace {

Result<Calibration> read(Files& files, const std::string& path, const DeviceSpec& device) {
  std::error_code ignored;
  if (const auto is = std::filesystem::status(path, ignored);
      std::filesystem::exists(is) && !std::filesystem::is_regular_file(is))
    return fail(path + " is no regular file", "name a calibration that `ucutlass calibrate -o FILE` wrote",
                2);
  const auto text = files.read(path);
  if (!text) return tl::unexpected(text.error());
  auto parsed = parse_calibration(*text);
  auto fine = parsed ? fits(*parsed, device) : Result<>();
  if (parsed && fine) return parsed;
  Error error = parsed ? fine.error() : parsed.error();
  error.message = fmt::format("{}: {}", path, error.message);
  return tl::unexpected(std::move(error));
}

}  // namespace

std::string date_of(double wall_seconds) {
  const auto seconds = static_cast<std::time_t>(wall_seconds);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

Result<std::string> calibration_path(const Environment& environment, std::string_view device) {
  auto folder = data_folder(environment);
  if (!folder)
    return fail("no place for calibrations: neither XDG_DATA_HOME nor HOME is set", "set XDG_DATA_HOME");
  return fmt::format("{}/calibration/{}.json", *folder, device);
}

Result<ActiveCalibration> active_calibration(Files& files, const Environment& environment,
                                             const DeviceSpec& device, const std::string& choice) {
  if (choice == "none") return ActiveCalibration{std::nullopt, "none"};
  std::string path = choice;
  if (path.empty()) {
    const auto measured = calibration_path(environment, device.name);
    if (measured && files.exists(*measured)) path = *measured;
  }
  if (path.empty()) {
    auto shipped = shipped_calibration(device.name);
    const std::string origin = shipped ? "shipped with the program" : "none";
    return ActiveCalibration{std::move(shipped), origin};
  }
  auto found = read(files, path, device);
  if (!found) {
    Error error = found.error();
    if (choice.empty())
      error.help += fmt::format("; or go without it: --calibration none, or remove {}", path);
    return tl::unexpected(std::move(error));
  }
  return ActiveCalibration{std::move(*found), path};
}

Result<std::string> save_calibration(Files& files, const Environment& environment, const DeviceSpec& device,
                                     const Calibration& calibration) {
  auto fine = fits(calibration, device);
  if (!fine) return tl::unexpected(fine.error());
  auto path = calibration_path(environment, device.name);
  if (!path) return path;
  auto done = files.make_folder(path->substr(0, path->rfind('/')));
  if (done) done = files.write(*path, calibration_json(calibration));
  if (!done) return tl::unexpected(done.error());
  return path;
}

Result<std::vector<RaisedRate>> raise_calibration(Files& files, const Environment& environment,
                                                  const DeviceSpec& device, const SolReport& report,
                                                  double proven_us, std::string_view program,
                                                  std::string_view date) {
  auto active = active_calibration(files, environment, device);
  if (!active) return tl::unexpected(active.error());
  std::vector<RaisedRate> raised;
  if (!active->calibration) return raised;
  raised = raise(*active->calibration, device, report, proven_us, program, date);
  if (raised.empty()) return raised;
  const auto saved = save_calibration(files, environment, device, *active->calibration);
  if (!saved) return tl::unexpected(saved.error());
  return raised;
}

}  // namespace uc
