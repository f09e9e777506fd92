#pragma once
// Why: what is of all rows (a loss's mean over samples) is known when every row is over, so it is a second
// kernel over rows: one row of what the first left of each.
#include <vector>

#include "plan/rows_shape.h"

namespace uc {

/// Views without a value are in scratch memory, `offset` elements of their type from its beginning.
struct RowsPhase {
  Rows rows;
  RowsShape shape;
  RowsLayout layout;
  int64_t functions() const;  ///< device functions that it is
};

/// One phase, or two, in order.
std::vector<RowsPhase> rows_phases(const Rows& rows, const RowsConfig& config);

/// Bytes of scratch memory of all phases together.
int64_t rows_scratch(const std::vector<RowsPhase>& phases);

/// The results of all rows are of such a form that two phases make them.
bool rows_phases_suffice(const Rows& rows);

}  // namespace uc
