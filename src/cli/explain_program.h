#pragma once
// Why: `ucutlass explain PROGRAM.uc` shows what was chosen for every automatic knob and what else there was.
#include <string>

#include "cli/command.h"

namespace uc::cli {

struct ExplainProgram {
  std::string path;    ///< of the program, or "-"
  std::string device;  ///< a device row; empty: the target's own
  int64_t limit = 8;   ///< configurations listed a step
  bool json = false;   ///< one object of schema ucutlass.ranking/1
};

/// Writes the ranking of every step to standard output; returns the exit code. Times are modelled.
int explain_program(const Context& context, const ExplainProgram& settings);

}  // namespace uc::cli
