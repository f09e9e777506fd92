#pragma once
// Why: one candidate, judged as `ucutlass optimize` judges its own: a program, or a kernel that somebody
// edited.
#include <functional>
#include <string>

#include "agent/evaluator.h"
#include "base/result.h"
#include "cli/command.h"
#include "compiler/emission.h"

namespace uc::cli {

/// What evaluating works with.
struct EvaluateWorld {
  const DeviceSpec& device;
  Evaluator& judge;
  std::function<Result<std::string>(const EmittedProgram&)> build;  ///< makes the shared object; its path
};

/// Reads CANDIDATE (a .uc, or what read_edited takes), builds and judges it, and prints what came out. Exit
/// codes: kDone; kFindings when it is refused, does not build, or is not right; kRejected when the judge
/// flags it.
int evaluate_candidate(const Context& context, const EvaluateWorld& world, const std::string& path);

}  // namespace uc::cli
