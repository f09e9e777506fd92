#pragma once
// Why: a compiled program as C++: tables for uc_runtime.h, which holds all the code. And its manifest.
#include <string>
#include <vector>

#include "emit/emitted.h"
#include "emit/size_formula.h"
#include "ir/kernel.h"
#include "ir/program.h"
#include "plan/buffers.h"

namespace uc {

/// What vector accesses and the tensor memory accelerator need of a pointer: bytes.
inline constexpr int64_t kGlueAlign = 16;

struct GlueInput {
  const Program& program;
  const std::vector<Launch>& launches;
  const BufferPlan& buffers;
  const std::vector<EmittedKernel>& kernels;  ///< one a launch, in order; equal hashes share a cubin
  std::string hash;                           ///< program hash
  std::string source;                         ///< canonical program text
};

/// All numbers of the tables that may depend on sizes, in a fixed order, and everything else in the tables.
struct GlueNumbers {
  std::vector<SizedNumber> values;
  std::string rest;  ///< equal texts: tables that differ in `values` alone
};
GlueNumbers glue_numbers(const GlueInput& input);

/// What a library that serves many sizes has in place of numbers.
struct GlueSizes {
  struct Range {
    std::string name;
    int64_t low = 1, high = 1, step = 1;
    int64_t chosen = 1;  ///< what the kernels were chosen for
  };
  std::vector<Range> dims;
  std::vector<std::string> formulas;  ///< one a number, C++ over `d[0]`, `d[1]`, ...: the named dimensions
};

/// C++ source of the program: cubins are included as `<hash>.cubin` found in an assembler include folder.
/// With `sizes` it serves all sizes in their ranges.
std::string emit_glue(const GlueInput& input, const GlueSizes* sizes = nullptr);

/// JSON, schema "ucutlass.manifest/1": program hash and text, inputs, params, outputs (name, dtype, shape,
/// stride, alignment, binding), packed and workspace bytes, kernels. With `sizes` also the named dimensions
/// with their ranges; shapes and bytes are then those of the sizes that the kernels were chosen for.
std::string emit_manifest(const GlueInput& input, const GlueSizes* sizes = nullptr);

}  // namespace uc
