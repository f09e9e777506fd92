#pragma once
// Why: the best rate of a product is often one of our own kernels; each is compiled as any program is and
// checks itself before its time counts.
#include <string>

#include "cli/calibrate/measured.h"
#include "cli/command.h"

namespace uc::cli {

/// Compiles the benchmarks that `folder` lacks. Needs nvcc and CUTLASS headers, no GPU; minutes the first
/// time. Errors: a tool is missing (kMissing), a compiler failed, the folder cannot be written.
Result<> build_benchmarks(const Context& context, const std::string& folder);

/// Runs those that are there on one GPU and adds their rates; says in a warning which are not there.
void run_benchmarks(const Context& context, const std::string& folder, int64_t device_index, Measured& to);

}  // namespace uc::cli
