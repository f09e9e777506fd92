#pragma once
// Why: the one interpreter of scalar expressions: the executor uses it op by op, tests use it on whole
// kernels.
#include <span>

#include "ir/host_tensor.h"
#include "ir/scalar.h"

namespace uc {

/// Where the elements of a leaf are: element `index` of the domain is data[offset + sum of index * stride].
struct LeafData {
  const HostTensor* data = nullptr;
  Strides stride;  ///< one a dimension of the domain, 0 where broadcast
  int64_t offset = 0;
};

/// Evaluates `wanted[i]` for every element of `domain`, in row-major order, into `out[i]` (of that many
/// elements). `views` holds one entry a view of the scalar that the wanted nodes read; `running` may be null
/// when none reads it. Calls compute in their node's type; casts round. Values go to `out` as they are:
/// rounding to out's dtype is the caller's (`round_to_dtype`), but a float stored among integers is
/// truncated.
void interpret(const Scalar& scalar, const Shape& domain, std::span<const LeafData> views,
               const LeafData* running, std::span<const NodeId> wanted, std::span<HostTensor> out);

/// Every element rounded to the tensor's own dtype, as a store does (ir/dtype.h: round_to).
void round_to_dtype(HostTensor& tensor);

/// round_to for integers, without passing through double.
int64_t wrap_to(DType type, int64_t value);

}  // namespace uc
