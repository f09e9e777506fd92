#pragma once
// Why: from a checked program to text: kernels, glue, manifest, and the forms that users take away.
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/pipeline.h"
#include "emit/emitted.h"

namespace uc {

struct EmittedProgram {
  std::string hash;                    ///< program hash: in file and symbol names
  std::vector<EmittedKernel> kernels;  ///< one a launch, in launch order; equal hashes are the same kernel
  std::string glue;                    ///< C++: tables for uc_runtime.h
  std::string manifest;                ///< JSON, ucutlass.manifest/1
};

/// Requires `compiled.ok()`. Identical input gives identical bytes.
EmittedProgram emit_program(const Catalog& catalog, const Compiled& compiled);

/// `ucutlass_<hash>.h`: a typed C++ wrapper around the program's shared object.
std::string emit_header(const Compiled& compiled);

/// `ucutlass_<hash>.py`: a PyTorch module, `ModelNew`, and a custom operator over the shared object by
/// ctypes.
std::string emit_torch(const Compiled& compiled);

/// `kernelbench_<hash>.py` but for what only the build and the problem know: @SOURCES@, @MODEL@, @LIBRARY@
/// (compiler/kernelbench.h).
std::string emit_kernelbench_frame(const Compiled& compiled);

}  // namespace uc
