#pragma once
// Why: every normalisation goes over slices and writes as many elements as it reads.
#include "ops/detail/slices.h"

namespace uc::ops {

/// y = of(row, slice) for every slice of `x`, written to the same places of `out`.
template <class Of>
void rewrite_slices(const HostTensor& x, const Slices& slices, HostTensor& out, Of of) {
  SliceReader reader(x, slices);
  for (size_t i = 0; i < slices.count(); ++i) {
    const Floats row = reader.floats(i);
    std::vector<double> made(row.begin(), row.end());
    of(made, i);
    for (size_t k = 0; k < made.size(); ++k) put(out, slices.at(i, k), made[k]);
  }
}

}  // namespace uc::ops
