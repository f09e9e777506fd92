#pragma once
// Why: a speedup is only honest when it says what it is made of: a lower precision, weights prepared
// beforehand, less arithmetic, better kernels. The programs on the way to the best one are measured, so their
// ratios tell.
#include <string>
#include <vector>

#include "agent/controller.h"

namespace uc {

struct CauseShare {
  std::string
      cause;  ///< precision, prepack, algebra, kernel; "a + b" where a program between could not be timed
  double factor = 1;  ///< the product of all factors is the total
  TimeKind kind = TimeKind::none;
  std::string how;  ///< which attempts it is the ratio of
};

struct Causes {
  std::string baseline;  ///< what the total is over
  double total = 1;
  std::vector<CauseShare> shares;
};

/// The way from PyTorch's `baseline` by way of the imported program to the best. Empty shares when there is
/// no best or no such baseline.
Causes causes_of(const RunResult& result, const std::string& baseline);

/// The baseline that causes and headlines are told over: eager_tf32, else eager, else the best that there is.
std::string reference_baseline(const Baselines& baselines);

}  // namespace uc
