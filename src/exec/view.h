#pragma once
// Why: host tensors are contiguous in logical order, while views are strides over the memory of another
// value; this reads a view's elements out of the root's, whatever the operator that made it.
#include "ir/host_tensor.h"

namespace uc {

struct HostView {
  const Shape& shape;
  const Strides& stride;
  int64_t offset = 0;
};

/// The elements of `view`, contiguous, out of the memory that `root` occupies with strides `root_stride`.
HostTensor read_view(const HostTensor& root, const Strides& root_stride, const HostView& view);

}  // namespace uc
