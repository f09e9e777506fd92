#pragma once
// Why: hypotheses come as text from somebody who may be wrong, boastful or hostile; what reaches the loop is
// bounded and of one form.
#include <string>
#include <string_view>
#include <vector>

#include "agent/hypothesis.h"

namespace uc {

struct ReadHypotheses {
  std::vector<Hypothesis> hypotheses;  ///< all open
  std::string why_not;                 ///< a line for who answered, when there is none
};

/// Reads `{"hypotheses": [{"id", "what", "why", "speedup", "implementation_risk", "performance_risk"}]}` from
/// an answer, or the array alone. Ids become words of a-z, 0-9 and -, each once; texts one line; speedups lie
/// between 0.1 and `most_speedup`, risks between 1 and 5; what is missing is 1, 3 and 3.
ReadHypotheses read_hypotheses(std::string_view answer, double most_speedup);

/// Words of a-z, 0-9 and -, at most 40 bytes.
std::string slug(std::string_view text);

/// One line of printable text, at most `most` bytes.
std::string one_line(std::string_view text, size_t most);

}  // namespace uc
