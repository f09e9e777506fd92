#pragma once
// Why: a compiled program as C++: tables for uc_runtime.h, which holds all the code. And its manifest.
#include <string>
#include <vector>

#include "emit/emitted.h"
#include "ir/kernel.h"
#include "ir/program.h"
#include "plan/buffers.h"

namespace uc {

struct GlueInput {
  const Program& program;
  const std::vector<Launch>& launches;
  const BufferPlan& buffers;
  const std::vector<EmittedKernel>& kernels;  ///< one a launch, in order; equal hashes share a cubin
  std::string hash;                           ///< program hash
  std::string source;                         ///< canonical program text
};

/// C++ source of the program: cubins are included as `<hash>.cubin` found in an assembler include folder.
std::string emit_glue(const GlueInput& input);

/// JSON, schema "ucutlass.manifest/1": program hash and text, inputs, params, outputs (name, dtype, shape,
/// stride, alignment, binding), packed and workspace bytes, kernels.
std::string emit_manifest(const GlueInput& input);

}  // namespace uc
