#pragma once
// Why: a pool is a reduction of windows: rows of a domain whose last dimensions are the taps.
#include <vector>

#include "catalog/scalar_builder.h"
#include "ops/detail/window.h"

namespace uc::ops {

/// Of x, whose last `rank` dimensions are under the windows: [N, C, results..., taps...], of which taps meet.
RowDomain windowed_domain(const Shape& x, const Windows& windows, size_t rank);

/// The greatest element of each window; padding is no element.
NodeId windowed_max(ScalarBuilder& b, NodeId x, const Shape& shape, const Windows& windows, size_t rank);

/// What a mean divides by.
struct Divisor {
  int64_t given = 0;   ///< 0: by the elements
  bool padded = true;  ///< padding counts, but for what lies beyond it
};
NodeId windowed_mean(ScalarBuilder& b, NodeId x, const Shape& shape, const Windows& windows, size_t rank,
                     Divisor divisor);

/// Of x, whose last dimensions are cut into as many equal parts as `sizes` says: each dimension is two, of
/// which the second meets. A domain of another size than x where parts are not equal.
RowDomain adaptive_domain(const Shape& x, const std::vector<int64_t>& sizes);

}  // namespace uc::ops
