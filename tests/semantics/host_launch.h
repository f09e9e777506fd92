#pragma once
// Why: kernels as `lower` makes them, run on the host: the same memory, strides and scalar expression that a
// back end emits code for. What they store has to be what the program means.
#include <vector>

#include "ir/host_tensor.h"
#include "ir/kernel.h"
#include "ir/program.h"

namespace uc::semantics {

struct ProgramData {
  std::vector<HostTensor> inputs, params;
  std::vector<double> scalars;
};

/// The program's results after every launch in order; load steps first, as their order in `launches` says.
std::vector<HostTensor> run_launches(const Program& program, const std::vector<Launch>& launches,
                                     const ProgramData& data);

}  // namespace uc::semantics
