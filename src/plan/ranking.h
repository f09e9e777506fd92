#pragma once
// Why: a choice that nobody can look at is not trusted: what each step could have been, in the model's order,
// and which back ends refuse it.
#include <string>
#include <vector>

#include "plan/choose.h"

namespace uc {

/// What automatic knobs of one launch had to choose among.
struct Ranking {
  std::vector<Served> backends;      ///< of the launch's kind, those that refuse too
  std::vector<RankedConfig> ranked;  ///< best modelled time first; keeps the knobs that the program gives
  std::vector<RankedConfig> open;    ///< the same as if the step gave no knob; empty when it gives none
};

/// `given`: as lowered, before anything was chosen.
Ranking ranking_of(const Catalog& catalog, const Program& program, const Launch& given,
                   const DeviceSpec& device, size_t limit);

/// The knobs of a launch that differ from automatic, as in a program: ".tile(128x256x64).cluster(2x1)".
std::string knobs_text(const Catalog& catalog, const Launch& launch);

/// Every knob automatic, for a config of the same kind.
Config blank(const Config& config);

}  // namespace uc
