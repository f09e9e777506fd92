#pragma once
// Why: overlapping slices of one tensor are read once. How many elements strided views of one memory name
// together is a question about sets, answered here apart from who reads them.
#include <vector>

#include "ir/program.h"

namespace uc::sol {

/// Elements that a view names, each once: broadcast dimensions count one.
double distinct_elements(const Value& view);

/// Elements of `root`'s memory that at least one of the views names. Exact for views that are boxes of the
/// memory's dimensions after any splitting, merging, reordering or even stepping of them; for others a lower
/// bound, never more than the exact number.
double distinct_elements(const Value& root, const std::vector<const Value*>& views);

}  // namespace uc::sol
