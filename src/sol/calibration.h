#pragma once
// Why: what was really seen on a device, kept apart from what it can do: with how and when it was seen, so
// that a rate can be checked again, and raised when a proven kernel beats it.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/device_spec.h"
#include "sol/sol.h"

namespace uc {

/// One rate that was seen. `best` and `median` are of many runs; median 0: not known.
struct SeenRate {
  std::string what;  ///< memory: "copy"; pipes: "fma"; products: name of a Math, "f16"
  double best = 0;   ///< TB/s, 1e12 instructions/s, TFLOP/s
  double median = 0;
  std::string shape;  ///< "8192x8192x8192"; bytes of a memory mix
  std::string data;   ///< "normal", "uniform [0, 1)"; may be empty
  std::string by;     ///< "torch.matmul", "ucutlass gemm"; who reached it
  double sm_mhz = 0;  ///< sampled while it ran; 0: not sampled
};

/// Why a rate is higher than it was measured: a proven kernel was faster than it allowed.
struct RaisedRate {
  std::string unit;  ///< "memory", "fma", "special", "integer", or name of a Math
  double was =
      0;  ///< in the unit of SeenRate; 0: it had none, and the theoretical rate never stood in the way
  double now = 0;
  double time_us = 0;  ///< the proven time
  std::string program;
  std::string date;
};

/// Best rates seen on one device. JSON: docs/schemas/calibration.schema.json.
struct Calibration {
  std::string device;  ///< DeviceSpec::name
  std::string gpu;     ///< as the driver prints it
  std::string driver;
  std::string date;    ///< "2026-11-30"; empty: not known
  std::string source;  ///< what measured it, in words
  double sm_mhz = 0;   ///< sampled under load, median; 0: not sampled
  double dram_mhz = 0;
  double launch_us = 0;          ///< least time between dependent launches; 0: not measured
  std::vector<SeenRate> memory;  ///< "copy", "read", "write", "triad": TB/s, read + write
  std::vector<SeenRate>
      pipes;  ///< "fma", "special", "integer", "half": 1e12 instructions or results a second
  std::vector<SeenRate> products;  ///< TFLOP/s of matrix products
  std::vector<RaisedRate> raised;
};

/// Errors: no JSON, another schema, a field of a wrong type or sign; they name the field.
Result<Calibration> parse_calibration(std::string_view json);
std::string calibration_json(const Calibration& calibration);

/// The best of a kind; nullptr: none was seen. `what` empty: any.
const SeenRate* best_of(const std::vector<SeenRate>& seen, std::string_view what = {});

/// What a device can do at its highest clock, in the unit of SeenRate; 0: it has no such unit.
double theoretical_rate(const DeviceSpec& device, std::vector<SeenRate> Calibration::* kind,
                        std::string_view what);

/// Nothing, or why it cannot be of this device: its name, a rate above the theoretical one.
Result<> fits(const Calibration& calibration, const DeviceSpec& device);

/// A row with its best seen rates replaced. Holds what the row points to.
class CalibratedDevice {
 public:
  /// Without a calibration: nothing was seen, the calibrated ceiling is the theoretical one.
  explicit CalibratedDevice(const DeviceSpec& row, const Calibration* calibration = nullptr);
  CalibratedDevice(const CalibratedDevice&) = delete;
  CalibratedDevice& operator=(const CalibratedDevice&) = delete;
  CalibratedDevice(CalibratedDevice&&) = default;
  CalibratedDevice& operator=(CalibratedDevice&&) = default;
  const DeviceSpec& spec() const { return spec_; }

 private:
  std::vector<UnitRate> rates_;  // moved, it stays where spec_.rates points
  DeviceSpec spec_;
};

/// Puts what proven kernels raised in `before` into a newer one: it was seen all the same.
void keep_proven(const Calibration& before, Calibration& in);

/// The calibration that ships for a device; nothing when there is none.
std::optional<Calibration> shipped_calibration(std::string_view device);

/// The rows with what ships for them; the memory lives as long as the program.
std::span<const DeviceSpec> with_shipped_calibrations(std::span<const DeviceSpec> rows);

/// Raises what a proven time beats: every unit whose certified work needs a higher rate than was seen. A rate
/// is never raised above the theoretical one. Returns what was raised; nothing: the time does not
/// contradict the rates (it may still be below the calibrated bound, when results stay in L2).
std::vector<RaisedRate> raise(Calibration& calibration, const DeviceSpec& device, const SolReport& report,
                              double proven_us, std::string_view program, std::string_view date);

}  // namespace uc
