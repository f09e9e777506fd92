#include "agent/raising.h"

#include "store/calibrations.h"

namespace uc {

std::optional<double> proven_us(const RunResult& result) {
  if (result.confirmed >= result.outcomes.size()) return std::nullopt;
  const Judgement& judged = result.outcomes[result.confirmed].judgement;
  const bool proven = judged.label == "ok" && judged.kind == TimeKind::measured && judged.time_us > 0;
  return proven ? std::optional(judged.time_us) : std::nullopt;
}

Result<std::vector<RaisedRate>> raise_by_proof(const Catalog& catalog, const DeviceSpec& device,
                                               const Program& program, Precision precision,
                                               const RunResult& result, Files& files,
                                               const Environment& environment, const Clock& clock) {
  const auto time = proven_us(result);
  if (!time) return std::vector<RaisedRate>{};
  SolOptions options;
  options.precision = precision;
  const SolReport report = speed_of_light(catalog, program, device, options);
  const std::string name = program.name.empty() ? "a program without a name" : program.name;
  return raise_calibration(files, environment, device, report, *time, name, date_of(clock.wall_seconds()));
}

}  // namespace uc
