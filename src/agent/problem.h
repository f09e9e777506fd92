#pragma once
// Why: a problem is named in several ways (a PyTorch file, a capture of one, a folder with both), and later
// parts want all of it: the graph to start from, the file to judge against.
#include <string>

#include "base/result.h"
#include "ir/graph.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/process.h"

namespace uc {

struct Problem {
  std::string name;
  std::string capture_path;  ///< the .json, or the .py that was captured
  std::string source_path;   ///< the .py; empty when none is known
  std::string json;          ///< text of the capture
  std::string hash;          ///< of that text
  CapturedProblem captured;
};

/// How PROBLEM is found and captured.
struct ProblemPlaces {
  std::string source;  ///< --source FILE.py; empty: problem.py beside problem.json, X.py beside X.json
  std::string python;  ///< interpreter; empty: $UCUTLASS_PYTHON, else python3
};

/// Reads, and first captures when it is a .py file (that needs torch). Errors: nothing there, no torch, a
/// problem that does not run, a capture that is damaged.
Result<Problem> load_problem(const std::string& path, const ProblemPlaces& places, Files& files,
                             Processes& processes, const Environment& environment);

}  // namespace uc
