#pragma once
// Why: a captured problem brings runs that torch made at reduced sizes. A program that says the same gives
// the same numbers on the CPU: so the import, and every rewrite of it, is tried against an independent
// meaning before anything is built.
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "ir/graph.h"
#include "ir/program.h"

namespace uc {

/// One recorded run against the program's results.
struct CaseCheck {
  std::string name;  ///< "case 1, seed 42, problem"
  bool passed = false;
  double excess =
      0;  ///< max over elements of |out - ref| / (atol + rtol |ref| + torch's own error); passes at <= 1
  double error = 0;        ///< |out - ref64| / |ref64| in the 2-norm, worst output
  double error_bound = 0;  ///< what `error` may be: 4 (u + sqrt(K) 2^-24 + u_store), as the judge has it
  std::string why;         ///< empty when passed
};

struct CaseTolerance {
  double allclose = 1e-4;  ///< atol and rtol
  Math math = Math::f32;   ///< least accurate way to multiply that the program may take
};

/// The tolerance that goes with a precision: 1e-4 when strict, 1e-2 below. Data that the problem itself has
/// in 16 bits or less lowers it too.
CaseTolerance tolerance_of(Precision precision, const Graph& graph);

/// Runs a program at the recorded sizes over all recorded cases. Its inputs and params are found by name in
/// `tensors`. Errors: the executor cannot run it; a tensor that the cases do not hold.
Result<std::vector<CaseCheck>> run_cases(const Catalog& catalog, const Program& program,
                                         const std::map<std::string, GraphTensorId, std::less<>>& tensors,
                                         const ReducedRun& run, const CaseTolerance& tolerance);

struct ImportCheck {
  std::vector<CaseCheck> cases;
  bool passed() const;
};

/// Imports the reduced graph and runs it. Errors: the problem has no reduced run, or cannot be imported.
Result<ImportCheck> verify_import(const Catalog& catalog, const CapturedProblem& problem);

}  // namespace uc
