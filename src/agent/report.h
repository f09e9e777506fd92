#pragma once
// Why: what a user takes away: the program, the proof that it is right, every baseline beside it, what the
// speedup is made of, how far it is from the limit, and how to get it again.
#include <string>

#include "agent/causes.h"
#include "agent/controller.h"

namespace uc {

/// What a report needs besides the result.
struct ReportContext {
  RunRecord run;
  RunOptions options;
  std::string resume;     ///< command that goes on with the run
  std::string reproduce;  ///< command that does the same run again
};

/// For people. Ends with a newline.
std::string report_text(const ReportContext& context, const RunResult& result, bool color = false);

/// One JSON object, schema ucutlass.optimize/1.
std::string report_json(const ReportContext& context, const RunResult& result);

}  // namespace uc
