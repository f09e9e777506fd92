#pragma once
// Why: how far the best program is from the speed of light, and which launches hold the time: what hypotheses
// start from.
#include <string>
#include <vector>

#include "agent/hypothesis.h"

namespace uc {

struct Bounds {
  double certified_us = 0;   ///< no right program is faster at this precision
  double calibrated_us = 0;  ///< a very good one gets there
  std::string by;            ///< tensor, fma, special, memory
  std::string report = {};   ///< of the problem, as Markdown: made once, for whoever proposes
};

struct Analysis {
  Bounds bounds;
  double best_us = 0;                ///< infinite when nothing is right yet
  double gap = 1;                    ///< best / calibrated: what headroom there is
  std::vector<LaunchCost> launches;  ///< of the best program, modelled
};

/// Bounds of the problem for a precision, from the imported program.
Bounds bounds_of(const Catalog& catalog, const Program& naive, const DeviceSpec& device, Precision precision);

Analysis analyze(const Catalog& catalog, const DeviceSpec& device, const Bounds& bounds, const Outcome* best);

std::string analysis_markdown(const Analysis& analysis, const Outcome* best);
std::string analysis_json(const Analysis& analysis);

}  // namespace uc
