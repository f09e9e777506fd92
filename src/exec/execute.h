#pragma once
// Why: the CPU executor defines meaning (language.md). It runs operators one by one in their compute type and
// rounds only at `to`, at `store` and at a step's own store; kernels agree with it within the tolerance of
// their types.
#include <span>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "ir/host_tensor.h"
#include "ir/program.h"

namespace uc {

struct ExecuteOptions {
  /// Most memory for all tensors of the program together, bytes; more is an error, not a crash.
  int64_t memory_limit = int64_t{8} << 30;
};

/// The program's results for these inputs, params and scalars, each in declaration order and of the declared
/// type and shape. Errors: a count, type or shape that differs; too much memory; an operator that has no
/// meaning on the host.
Result<std::vector<HostTensor>> execute(const Catalog& catalog, const Program& program,
                                        std::span<const HostTensor> inputs,
                                        std::span<const HostTensor> params,
                                        std::span<const double> scalars = {},
                                        const ExecuteOptions& options = {});

}  // namespace uc
