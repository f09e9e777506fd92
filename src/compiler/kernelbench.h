#pragma once
// Why: one Python file that KernelBench evaluates like any other solution, with the built library inside.
#include <string>

#include "base/result.h"
#include "compiler/emission.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/process.h"

namespace uc {

struct KernelBenchGiven {
  std::string library;  ///< path of the built shared object
  std::string problem;  ///< path of the problem's .py; empty: the program has no params
};

/// The text of `kernelbench_<hash>.py`, with `ModelNew`, and what is worth saying about it in `notes`.
/// Python's standard library takes the constructor out of the problem. Errors: no Python (exit code 3), no
/// problem given for a program with params (2), what Python says of the problem.
Result<std::string> emit_kernelbench(const Compiled& compiled, const EmittedProgram& emitted,
                                     const KernelBenchGiven& given, const Environment& environment,
                                     Files& files, Processes& processes, std::string& notes);

}  // namespace uc
