#pragma once
// Why: what one element of an expression costs is asked by every cost model.
#include "ir/scalar.h"

namespace uc {

/// Instructions for one element.
struct ScalarCost {
  double fma = 0;      ///< multiply-adds and what costs as much
  double special = 0;  ///< special-function results
};

ScalarCost scalar_cost(const Scalar& scalar);

}  // namespace uc
