#pragma once
// Why: the rule book. What makes a configuration invalid, slow or silently wrong is one row: check, help,
// examples.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/device_spec.h"
#include "diag/diag.h"
#include "ir/kernel.h"
#include "ir/program.h"

namespace uc {

/// What a rule sees: one launch with every knob resolved, on one device.
struct RuleContext {
  const Program& program;
  const Launch& launch;
  const DeviceSpec& device;
  const Contraction* contraction() const { return std::get_if<Contraction>(&launch.kernel); }
  const ContractionConfig* config() const { return std::get_if<ContractionConfig>(&launch.config); }
  const Map* map() const { return std::get_if<Map>(&launch.kernel); }
  const MapConfig* map_config() const { return std::get_if<MapConfig>(&launch.config); }
};

class Catalog;

/// What a rule on a step sees, whether or not a kernel exists for it yet: knobs as they are written.
struct StepContext {
  const Catalog& catalog;
  const Program& program;
  StepId step;
};

/// What a rule found. `knob` names the knob to point at (the step when it is not written; operand 'a'/'b' by
/// name).
struct Finding {
  std::string knob;
  std::string message;
  std::string label;
  std::string help;  ///< a legal neighbour
  std::string
      replacement;  ///< text to put in place of the knob's settings (inside the parentheses); may be empty
  OpId op = {};     ///< what to point at when no knob is: an operator of the chain; else the main one
};

/// Who else would notice that a rule is broken: what becomes of its bad example without the check. The last
/// two are why there is a rule book at all; the first two cost a template backtrace.
enum class CaughtBy : uint8_t {
  unstated,
  compiler,         ///< a static_assert or a missing specialisation, seen by any C++ compiler
  device_compiler,  ///< the same, in the kernel's body: seen by nvcc's device pass alone
  launch,           ///< compiles; a status of CUTLASS or of the driver once there are sizes and addresses
  emitter,          ///< a limit of this compiler: there is no source to try
  nobody            ///< runs: slow, or with wrong results
};
constexpr std::string_view name(CaughtBy by) {
  constexpr std::string_view kNames[] = {"unstated", "compiler", "device compiler",
                                         "launch",   "emitter",  "nobody"};
  return kNames[static_cast<size_t>(by)];
}

struct RuleSpec {
  std::string_view id;    ///< "UC2104"
  std::string_view slug;  ///< "cooperative-tile-m"
  Severity severity = Severity::error;
  std::string_view summary;                 ///< the rule in one sentence
  std::string_view rationale;               ///< why: what the hardware or CUTLASS does otherwise
  std::string_view source;                  ///< where the fact is from
  std::string_view archs;                   ///< "sm_90a", or "*"
  std::string_view backend;                 ///< "cutlass3", "cuda", or "*"
  CaughtBy caught_by = CaughtBy::unstated;  ///< of rules on contractions; tests/oracle proves it
  std::optional<Finding> (*check)(const RuleContext&) = nullptr;
  std::string_view bad_example;   ///< a whole program that raises exactly this id
  std::string_view good_example;  ///< the mended program, which raises none
  std::optional<Finding> (*check_step)(const StepContext&) = nullptr;
};

}  // namespace uc
