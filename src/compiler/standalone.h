#pragma once
// Why: one file that a sceptic compiles and runs: the program against naive kernels of its own meaning, and
// its speed beside cuBLAS, with nothing else of ucutlass present.
#include <string>

#include "compiler/pipeline.h"

namespace uc {

/// CUDA source, built by `nvcc -arch=native ucutlass_<hash>_bench.cu -ldl` beside the header and support
/// files.
std::string emit_standalone(const Catalog& catalog, const Compiled& compiled);

}  // namespace uc
