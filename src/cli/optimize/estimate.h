#pragma once
// Why: hours and money are asked for before they are spent. What runs of the same kind took is in the store;
// where there are none, assumptions stand in and say so.
#include <string>
#include <vector>

#include "cli/optimize/settings.h"

namespace uc::cli {

/// What one attempt took in earlier runs, or is assumed to take.
struct AttemptCost {
  double seconds = 0;
  double prompt_tokens = 0, answer_tokens = 0;  ///< of a language model
  size_t runs = 0;                              ///< that it was seen in; 0: assumed
};

/// Of finished runs with the same kind of times and the same proposer (and model): the median over runs of
/// seconds an attempt, the mean of tokens. `store` null: there is none.
Result<AttemptCost> attempt_cost(Store* store, const OptimizeSettings& settings, bool gpu);

/// How far one problem is.
struct Standing {
  bool finished = false;
  int64_t made = 0;  ///< attempts of a run that would be gone on with
};

struct Estimate {
  size_t problems = 0, finished = 0;
  int64_t attempts = 0;  ///< at most, final measurements apart
  AttemptCost each;
  bool gpu = false;
  double minutes = 0;
  double prompt_tokens = 0, answer_tokens = 0;  ///< of all problems; caps are kept
  bool capped = false;
  std::optional<double> usd;  ///< nothing: no price is known
};

/// `settings` are those of each problem.
Estimate estimate(const OptimizeSettings& settings, bool gpu, const std::vector<Standing>& problems,
                  const AttemptCost& each);

std::string estimate_text(const Estimate& estimate, const OptimizeSettings& settings);
/// One JSON object, schema ucutlass.estimate/1.
std::string estimate_json(const Estimate& estimate, const OptimizeSettings& settings);

/// `--dry-run` of these problems: reads the store and the captures, and tries nothing. The exit code.
int dry_run(const Context& context, const OptimizeSettings& settings,
            const std::vector<OptimizeSettings>& problems);

}  // namespace uc::cli
