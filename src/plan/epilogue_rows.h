#pragma once
// Why: an epilogue whose elements meet in rows goes over its accumulators several times before they are
// stored: once for what meets first, again for what depends on that, and a last time. What each time
// computes, what is then left to the epilogue itself, and what cannot be done so, is the same for rules,
// model and emitter.
#include <string>
#include <vector>

#include "ir/kernel.h"

namespace uc {

/// Accumulators hold one value an element: `held[s]` when stage s is gathered, `held.back()` when all has met
/// and the epilogue begins. Each is computed of the one before, the first of the accumulator.
struct EpilogueRows {
  std::vector<std::vector<NodeId>> stages;  ///< nodes `across` that can meet at once
  std::vector<NodeId> held;                 ///< one more than stages
  std::vector<size_t> once;                 ///< effects that store an element a row
  std::vector<size_t>
      early;  ///< effects of elements that are not made of what is held at last: stored by hand
  std::vector<size_t> late;  ///< the others, which the epilogue makes of what is held at last
};

/// Elements meet in the epilogue.
bool has_rows(const Scalar& epilogue);

/// Requires has_rows(epilogue), and that it is not refused.
EpilogueRows epilogue_rows(const Scalar& epilogue);

/// Why an epilogue's rows cannot meet in the accumulators; empty when they can.
std::string epilogue_rows_refuses(const Contraction& kernel);

/// What the epilogue begins with: `late` effects of a running value that is held at last. The same kernel
/// where nothing meets.
Contraction without_rows(const Contraction& kernel);
Scalar without_rows(const Scalar& epilogue);

/// An effect that stores an element a row.
bool once_a_row(const Scalar& epilogue, const Effect& effect);

/// A cluster's tiles hold what meets: a whole number of groups, none of which straddles a tile, or the one
/// whole row, which may end before they do.
bool holds_rows(const Contraction& kernel, int64_t tile_n, int64_t cluster_n);

/// The one whole row ends before the cluster's tiles do: columns beyond the matrix are left out one by one.
bool ends_within(const Contraction& kernel, const ContractionConfig& config);

/// Blocks of a cluster that share a row; 1 when tiles hold whole rows. Requires that tile and cluster hold
/// it.
int64_t blocks_of_row(const Contraction& kernel, const ContractionConfig& config);

/// Bytes of shared memory in which blocks that share rows meet.
int64_t meeting_bytes(const Contraction& kernel, const ContractionConfig& config);

}  // namespace uc
