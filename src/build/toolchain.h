#pragma once
// Why: which nvcc, g++ and CUTLASS headers build kernels; their versions are part of every cache key.
#include <string>

#include "base/result.h"
#include "platform/process.h"

namespace uc {

struct Toolchain {
  std::string nvcc;          ///< path; empty when there is none
  std::string nvcc_version;  ///< "13.0"
  std::string cuda_include;  ///< folder of cuda.h
  std::string gxx;           ///< path
  std::string gxx_version;   ///< "12.2.0"
  std::string cutlass;       ///< folder that holds include/ and tools/util/include/; empty when there is none
  std::string cutlass_version;  ///< "4.2.0"
  /// Short text of all versions: part of cache keys.
  std::string id() const;
};

/// What this machine has; missing parts stay empty. CUTLASS: $UCUTLASS_CUTLASS_DIR, else
/// third_party/cutlass-4.2 beside the program's folder or above it. Errors: $UCUTLASS_CUTLASS_DIR is not a
/// CUTLASS of 4.2 to 4.7.
Result<Toolchain> find_toolchain(Processes& processes);

/// An error that names what is missing to build kernels and how to get it, or nothing.
Result<> require_build(const Toolchain& toolchain);

}  // namespace uc
