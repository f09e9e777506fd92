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
  /// Makes the shared object; its path. Empty: nothing is built, and nothing that somebody edited is judged.
  std::function<Result<std::string>(const EmittedProgram&)> build;
  /// What the judge needs besides the program, and whether it answers the problem at all: a line for people
  /// when it does not. May be empty.
  std::function<std::string(Candidate&)> fit = {};
};

/// Reads CANDIDATE (a .uc, or what read_edited takes), builds and judges it, and prints what came out: text,
/// or one JSON object, schema ucutlass.evaluate/1. Exit codes: kDone; kFindings when it is refused, does not
/// build, or is not right; kRejected when the judge flags it.
int evaluate_candidate(const Context& context, const EvaluateWorld& world, const std::string& path,
                       bool json = false);

}  // namespace uc::cli
