#pragma once
// Why: policies are chosen by replaying what finished runs did, ours and those of other agents, so what a
// replay needs of a run is a file format of its own (docs/schemas, ucutlass.attempt-log/1).
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uc::schedule {

struct LoggedAttempt {
  bool accepted = false;  ///< label `ok` or `minor`, with a time
  double time_us = 0;     ///< 0 unless accepted
  double tokens = 0;      ///< of a language model, prompt and answer
  double seconds = 0;     ///< from its start to its end
};

/// One problem's attempts in the order in which they were made.
struct LoggedProblem {
  std::string name;
  double reference_us = 0;  ///< PyTorch's time: what has to be beaten
  double sol_us = 0;        ///< the certified bound
  std::vector<LoggedAttempt> attempts;
};

using AttemptLog = std::vector<LoggedProblem>;

/// Lines of JSON: of a problem {"problem", "reference_us", "sol_us"}, and of an attempt {"problem", "label",
/// "us", "tokens", "seconds"}, in any order but that of the attempts; other fields are left alone. Errors
/// name `file` and the line: no object, an unknown label, an accepted attempt without a time, times that are
/// not above 0, a problem without its two times, or given twice with others.
Result<AttemptLog> read_log(std::string_view text, std::string_view file);

/// The same lines again.
std::string write_log(const AttemptLog& log);

/// True when any attempt cost tokens.
bool has_tokens(const AttemptLog& log);

}  // namespace uc::schedule
