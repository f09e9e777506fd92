#pragma once
// Why: people look for the step that takes the time, and for what made it cheaper than it looks.
#include <vector>

#include "sol/bound.h"
#include "sol/levels.h"

namespace uc::sol {

/// One row a step as written. `seen` names the rules, the observed ones too; times are what `promised` leaves
/// at calibrated rates.
std::vector<SolStep> steps_of(const Bound& seen, const Bound& promised, const At& at);

}  // namespace uc::sol
