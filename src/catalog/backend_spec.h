#pragma once
// Why: back ends are rows over kernel kinds (sparse), so operators times back ends never explodes.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/device_spec.h"
#include "diag/diag.h"
#include "ir/kernel.h"

namespace uc {

struct EmittedKernel;  // emit/emitted.h

/// Modelled time of one launch. All in microseconds; always labelled as modelled.
struct Estimate {
  double total_us = 0;
  double compute_us = 0;
  double memory_us = 0;
  double waves = 0;       ///< tiles over resident blocks
  double efficiency = 0;  ///< of the calibrated ceiling, 0 to 1
};

struct BackendSpec {
  std::string_view id;     ///< "cutlass3.contraction"
  size_t kind;             ///< index of the Kernel alternative
  std::string_view archs;  ///< space-separated: "sm_90a"
  std::string_view summary;
  /// Ranked beside the first back end that serves a launch, and chosen where it is modelled faster; others
  /// are only asked when those before them have nothing.
  bool beside = false;
  /// Empty when it can emit this kernel, else one line on why not.
  std::string (*refuses)(const Launch&, const DeviceSpec&) = nullptr;
  /// The knob settings worth trying, best guesses first; each starts from the launch's own config (set knobs
  /// stay).
  std::vector<Config> (*configs)(const Launch&, const DeviceSpec&) = nullptr;
  Estimate (*model)(const Launch&, const DeviceSpec&) = nullptr;
  EmittedKernel (*emit)(const Launch&, const DeviceSpec&) = nullptr;
};

}  // namespace uc
