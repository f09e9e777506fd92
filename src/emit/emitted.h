#pragma once
// Why: what a back end emits for one kernel. Sizes are arguments, so equal configurations share a build.
#include <cstdint>
#include <string>
#include <vector>

namespace uc {

/// One kernel as source text. Symbols are named by `hash`: configuration, arch, emitter and toolchain
/// versions.
struct EmittedKernel {
  std::string hash;           ///< 16 hex digits
  std::string device_source;  ///< CUDA: one extern "C" __global__ function `uck_<hash>`
  std::string host_source;  ///< C++: `uck_<hash>_prepare`, compiled with the CUTLASS headers; empty: the glue
                            ///< launches
  bool needs_cutlass = false;
  std::string summary;  ///< "gemm f16 128x256x64 cooperative 2x1, bias gelu": for people and logs
};

}  // namespace uc
