#pragma once
// Why: with `.skip(zeros)` tiles of the result go over parts of K of different length, and both the sum and
// the longest of them take time.
#include "ir/kernel.h"

namespace uc {

/// Tiles of K that tiles of the result go over, clusters being one: templates/uc_skip_range.h.
struct SkippedWork {
  double all = 0;      ///< summed over the clusters of one matrix
  double longest = 0;  ///< of one cluster
  double share = 1;    ///< of what there is without structure
};

/// Requires tile and cluster.
SkippedWork skipped_work(const Contraction& kernel, const ContractionConfig& config);

}  // namespace uc
