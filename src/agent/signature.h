#pragma once
// Why: a program that somebody wrote is a candidate for a problem only when it takes and gives what the
// problem does, within what the run allows.
#include <string>

#include "ir/program.h"

namespace uc {

struct ProgramRules {
  Precision allowed = Precision::strict;
  bool prepack = true;  ///< work on params may be done when they are loaded
  bool escape = false;  ///< `cuda(...)`, source that the compiler cannot look into
};

/// Why the program is no candidate for the problem that `start` says, in words that its author can act on;
/// empty when it is one.
std::string signature_fault(const Program& program, const Program& start, const ProgramRules& rules);

}  // namespace uc
